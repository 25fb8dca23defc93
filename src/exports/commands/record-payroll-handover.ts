import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { type Input, operation } from '../../platform/operation.js';
import { period, text } from '../../platform/schemas.js';
import {
  describePayrollFile,
  type PayrollHandover,
  payrollHandover,
  payrollHandoverExample,
} from '../payroll-handover.js';
import { insertHandover } from '../payroll-handover-store.js';
import { listHandovers } from '../payroll-handover-views.js';
import { layouts } from '../payroll-layouts.js';

const body = z.strictObject({
  period: period.describe('The period that was handed over'),
  layout: z.enum(layouts).describe('The layout of the file'),
  note: text(1000).optional().describe('Free text, for example the recipient'),
});

@injectable()
export class RecordPayrollHandover {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Writes the file again from one database snapshot. Its hash later shows whether payroll has the same file. */
  async execute(
    { body: request }: Input<unknown, unknown, z.infer<typeof body>>,
    caller: Caller,
  ): Promise<PayrollHandover> {
    const file = await this.unitOfWork.run(
      caller,
      { lock: 'none', access: 'read', isolation: 'repeatable read' },
      (trx) => describePayrollFile(trx, caller, request, this.clock),
    );
    return this.unitOfWork.run(caller, { lock: 'none', access: 'write' }, async (trx) => {
      const handoverId = await insertHandover(trx, caller, { ...file, ...request, note: request.note ?? null });
      const [handover] = await listHandovers(trx, caller.workspaceId, { handoverId });
      return handover as PayrollHandover;
    });
  }
}

export const recordPayrollHandover = operation({
  id: 'recordPayrollHandover',
  summary: 'Record that the payroll file of a period was handed over, with its hash and totals',
  method: 'post',
  path: '/v1/payroll-handovers',
  access: 'manager',
  body,
  response: payrollHandover,
  status: 201,
  failures: {},
  example: {
    body: { period: '2026-02', layout: 'generic', note: 'Sent to payroll' },
    answer: payrollHandoverExample,
  },
  handler: RecordPayrollHandover,
});
