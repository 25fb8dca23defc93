import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type Caller, visibleReps } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { author } from '../people/reps/author.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type HandedAmount } from '../statements/handed-amounts.js';
import {
  changedPayrollIds,
  listChangedPayrollIds,
  missingPayrollIds,
  peopleWithoutPayrollId,
} from '../statements/team-statements.js';
import { loadPayrollFile } from './load-payroll-file.js';
import { csvFile, fileHash } from './payroll-csv.js';
import { type Layout, layouts, type Scope, scopes } from './payroll-layouts.js';

export const netTotals = z.array(
  z
    .object({
      currency: fields.currency,
      netPayout: z.number().describe('Sum of the net payouts in this currency'),
    })
    .describe('Total of one currency'),
);

export const payrollHandover = z
  .object({
    handoverId: z.string().describe('Id of the hand-over (UUID)'),
    period: fields.period,
    layout: z.enum(layouts).describe('Layout of the file'),
    scope: z
      .enum(scopes)
      .describe('full: everyone in the period; new: only what earlier hand-overs of the period do not contain'),
    note: z.string().nullable().describe('Free text; null for none'),
    filename: z.string().describe('Name of the file'),
    sha256: z
      .string()
      .describe('SHA-256 of the file that GET /v1/statements/export.csv returned for this period, layout and scope'),
    bytes: z.int().describe('Size of the file in bytes'),
    rowCount: z.int().describe('Number of rows without the header'),
    totals: netTotals.describe('Net payout of the file by currency'),
    missingPayrollIds: peopleWithoutPayrollId.describe('Reps in the file who have no payrollId'),
    changedPayrollIds: changedPayrollIds.describe(
      'Reps in the file whose payrollId was set or changed after their approval or since the hand-over before',
    ),
    actor: author.describe('Who recorded the hand-over'),
    createdAt: fields.createdAt,
  })
  .describe('A file that was handed over to payroll');
export type PayrollHandover = z.input<typeof payrollHandover>;

export type HandedFile = Pick<
  PayrollHandover,
  'filename' | 'sha256' | 'bytes' | 'rowCount' | 'totals' | 'missingPayrollIds' | 'changedPayrollIds'
> & {
  /** What the file contains of approved statements. */
  readonly amounts: readonly HandedAmount[];
  /** The number of the file; see `TeamExport`. */
  readonly part: number;
};

/** Describes the file that the export returns by default for this layout and scope: its hash, size and totals. */
export async function describePayrollFile(
  tx: Transaction,
  caller: Caller,
  requested: { readonly period: string; readonly layout: Layout; readonly scope: Scope },
  clock: Clock,
): Promise<HandedFile> {
  const selection = { repIds: visibleReps(caller), everyone: false };
  const { file, team } = await loadPayrollFile(tx, { ...requested, extended: false }, selection, clock);
  const content = Buffer.from(await csvFile(file.columns, file.lines, ','));
  return {
    filename: file.filename,
    sha256: fileHash(content),
    bytes: content.length,
    rowCount: file.lines.length,
    totals: team.totals.map(({ currency, summary }) => ({ currency, netPayout: Number(summary.netPayout) })),
    missingPayrollIds: missingPayrollIds(team.members),
    changedPayrollIds: listChangedPayrollIds(team.members),
    amounts: team.rows
      .filter(({ member }) => member.status === 'approved')
      .map(({ member: { repId }, amounts }) => ({ repId, ...amounts })),
    part: team.part,
  };
}

export const payrollHandoverExample = {
  handoverId: sampleIds.quotaId,
  period: '2026-02',
  layout: 'generic',
  scope: 'full',
  note: 'Sent to payroll',
  filename: 'statements-2026-02-generic.csv',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  bytes: 143,
  rowCount: 1,
  totals: [{ currency: 'USD', netPayout: 5600 }],
  missingPayrollIds: [],
  changedPayrollIds: [],
  actor: { repId: sampleIds.managerId, name: 'Mia' },
  createdAt: '2026-03-02T09:00:00.000Z',
};
