import { z } from 'zod';
import { Failure } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { period, text } from '../../platform/operations/schemas.js';
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
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case')
    .optional()
    .describe('SHA-256 of the file that was handed over. If the file is different now, nothing is recorded'),
  note: text(1000).optional().describe('Free text, for example the recipient'),
});

export const recordPayrollHandover = operation({
  id: 'recordPayrollHandover',
  summary: 'Record that the payroll file of a period was handed over, with its hash and totals',
  method: 'post',
  path: '/v1/payroll-handovers',
  access: 'manager',
  payroll: true,
  stepUp: 'always',
  body,
  response: payrollHandover,
  status: 201,
  failures: { payroll_file_changed: 409 },
  example: {
    body: { period: '2026-02', layout: 'generic', note: 'Sent to payroll' },
    answer: payrollHandoverExample,
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  /** Writes the file again from one database snapshot. Its hash later shows whether payroll has the same file. */
  async execute({ body: { sha256, ...request } }, caller, { unitOfWork, clock }): Promise<PayrollHandover> {
    const file = await unitOfWork.run(caller, { lock: 'none', access: 'read', isolation: 'repeatable read' }, (trx) =>
      describePayrollFile(trx, caller, request, clock),
    );
    if (sha256 !== undefined && sha256 !== file.sha256)
      throw new Failure(
        'payroll_file_changed',
        'The file has changed since it was exported. Export it again, check it, and hand over the new file.',
        { sha256: file.sha256 },
      );
    return unitOfWork.write(caller, async (trx) => {
      const handoverId = await insertHandover(trx, caller, { ...file, ...request, note: request.note ?? null });
      const [handover] = await listHandovers(trx, caller.workspaceId, { handoverId });
      return handover as PayrollHandover;
    });
  },
});
