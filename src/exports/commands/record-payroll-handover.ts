import { z } from 'zod';
import { Failure } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { period, text } from '../../platform/operations/schemas.js';
import { assertPaidByHandover } from '../load-payroll-file.js';
import {
  describePayrollFile,
  type PayrollHandover,
  payrollHandover,
  payrollHandoverExample,
} from '../payroll-handover.js';
import { insertHandover } from '../payroll-handover-store.js';
import { countHandovers, listHandovers } from '../payroll-handover-views.js';
import { layouts, scopes } from '../payroll-layouts.js';

const body = z.strictObject({
  period: period.describe('The period that was handed over'),
  layout: z.enum(layouts).describe('The layout of the file'),
  scope: z
    .enum(scopes)
    .default('full')
    .describe('new: the file contains only what earlier hand-overs of the period do not, and adds to them'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case')
    .optional()
    .describe('SHA-256 of the file that was handed over. If the file is different now, nothing is recorded'),
  note: text(1000).optional().describe('Free text, for example the recipient'),
});

function fileChanged(details?: { readonly sha256: string }): Failure {
  return new Failure(
    'payroll_file_changed',
    'The file has changed since it was exported. Export it again, check it, and hand over the new file.',
    details,
  );
}

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
  failures: { payroll_file_changed: 409, payouts_enabled: 409 },
  example: {
    body: { period: '2026-02', layout: 'generic', note: 'Sent to payroll' },
    response: payrollHandoverExample,
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  /** Writes the file again from one database snapshot. Its hash later shows whether payroll has the same file. */
  async execute({ body: { sha256, ...request } }, caller, { unitOfWork, clock }): Promise<PayrollHandover> {
    const file = await unitOfWork.run(
      caller,
      { lock: 'none', access: 'read', isolation: 'repeatable read' },
      async (tx) => {
        await assertPaidByHandover(tx, request.period);
        return describePayrollFile(tx, caller, request, clock);
      },
    );
    if (sha256 !== undefined && sha256 !== file.sha256) throw fileChanged({ sha256: file.sha256 });
    const lock = request.scope === 'new' ? 'exclusive' : 'shared';
    return unitOfWork.run(caller, { lock, access: 'write' }, async (tx) => {
      // Payouts may have been enabled since the file was written.
      await assertPaidByHandover(tx, request.period);
      // Of two people who record the same file with what is new, one is the first.
      if (request.scope === 'new' && (await countHandovers(tx, request.period)) >= file.part) throw fileChanged();
      const handoverId = await insertHandover(tx, caller, { ...file, ...request, note: request.note ?? null });
      const [handover] = await listHandovers(tx, { handoverId });
      return handover as PayrollHandover;
    });
  },
});
