import { z } from 'zod';
import { fields, pathIds } from '../../api/resource-fields.js';
import { layouts } from '../../exports/payroll-layouts.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { author } from '../../people/reps/author.js';
import { wholeNumber } from '../../platform/operations/schemas.js';
import { changedPayrollIds, peopleWithoutPayrollId } from '../../statements/team-statements.js';

export const batchStatuses = ['open', 'paid', 'cancelled'] as const;

const line = z
  .object({
    repId: fields.repId,
    repName: fields.repName,
    period: fields.period.describe('Pay period of the statement'),
    version: fields.version.describe('Approved version of the statement'),
    currency: fields.currency,
    commission: z.number().describe('Part of the amount that rules pay for deals'),
    bonus: z.number().describe('Part of the amount that bonus rules pay'),
    adjustment: z.number().describe('Rest: adjustments, corrections, and what is kept of it'),
    amount: z.number().describe('What is paid, in `currency`'),
  })
  .describe('What the batch pays a person in one currency');

export const payoutBatch = z
  .object({
    batchId: z.string().describe('Id of the batch (UUID)'),
    period: fields.period,
    layout: z.enum(layouts).describe('Layout of the file'),
    status: z
      .enum(batchStatuses)
      .describe('open: waits to be paid; paid: final; cancelled: its amounts are unpaid again'),
    filename: z.string().describe('Name of the file'),
    sha256: z.string().describe('SHA-256 of the file, in lower-case hexadecimal'),
    rowCount: z.int().describe('Number of rows of the file without the header'),
    totals: z
      .array(
        z
          .object({ currency: fields.currency, payable: z.number().describe('Sum in this currency') })
          .describe('Total of one currency'),
      )
      .describe('What the batch pays, by currency'),
    people: z.int().describe('Number of people in the batch'),
    paidOn: z.string().nullable().describe('Day on which it was paid, YYYY-MM-DD; null unless it is paid'),
    reference: z
      .string()
      .nullable()
      .describe('Reference of the payment, such as that of the payroll run; null for none'),
    actor: author.describe('Who created the batch'),
    createdAt: fields.createdAt,
    decidedAt: z
      .string()
      .nullable()
      .describe('When it was marked as paid or cancelled, instant in ISO 8601; null while it is open'),
  })
  .describe('Approved amounts that are paid together');
export type PayoutBatch = z.input<typeof payoutBatch>;

export const payoutBatchWithLines = z
  .object({
    ...payoutBatch.shape,
    lines: z.array(line).describe('What it pays, by name of the person'),
    missingPayrollIds: peopleWithoutPayrollId.describe('People in the batch who have no payrollId'),
    changedPayrollIds: changedPayrollIds.describe(
      'People in the batch whose payrollId was set or changed after their approval',
    ),
  })
  .describe('A payout batch with what it pays');
export type PayoutBatchWithLines = z.input<typeof payoutBatchWithLines>;

/** In a huge workspace, the lines are most of a batch. */
export const linesQuery = wholeNumber(0, 10_000)
  .optional()
  .describe('Max number of lines, and of people in the other lists, 0 to 10000; all by default');

export const batchParams = z.strictObject({ batchId: pathIds.batchId });

export function batchNotFound(): Failure {
  return new Failure('payout_batch_not_found', 'There is no payout batch with this id in this workspace.');
}

export const batchExample = {
  batchId: sampleIds.batchId,
  period: '2026-02',
  layout: 'generic',
  status: 'open',
  filename: 'payout-2026-02-generic.csv',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  rowCount: 1,
  totals: [{ currency: 'USD', payable: 1600 }],
  people: 1,
  paidOn: null,
  reference: null,
  actor: { repId: sampleIds.managerId, name: 'Mia' },
  createdAt: '2026-03-02T09:00:00.000Z',
  decidedAt: null,
} as const;

export const batchWithLinesExample = {
  ...batchExample,
  lines: [
    {
      repId: sampleIds.repId,
      repName: 'Ben',
      period: '2026-02',
      version: 1,
      currency: 'USD',
      commission: 1600,
      bonus: 0,
      adjustment: 0,
      amount: 1600,
    },
  ],
  missingPayrollIds: [],
  changedPayrollIds: [],
} as const;
