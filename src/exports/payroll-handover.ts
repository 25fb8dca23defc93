import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Caller, visibleReps } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { missingPayrollIds } from '../statements/team-statements.js';
import { findWorkspace } from '../workspaces/workspace-views.js';
import { csvFile } from './payroll-csv.js';
import { type Layout, layouts, payrollFile } from './payroll-layouts.js';
import { loadTeamExport } from './team-export.js';

export const payrollHandover = z.object({
  handoverId: z.string(),
  period: z.string(),
  layout: z.enum(layouts),
  note: z.string().nullable(),
  filename: z.string(),
  sha256: z
    .string()
    .describe('SHA-256 of the file that GET /v1/statements/export.csv returned for this period and layout'),
  bytes: z.int(),
  rowCount: z.int(),
  totals: z.array(z.object({ currency: z.string(), netPayout: z.number() })),
  missingPayrollIds: z.array(z.object({ repId: z.string(), name: z.string(), email: z.string() })),
  actor: z.object({ repId: z.string().nullable(), name: z.string() }),
  createdAt: z.string(),
});
export type PayrollHandover = z.input<typeof payrollHandover>;

export type HandedFile = Pick<
  PayrollHandover,
  'filename' | 'sha256' | 'bytes' | 'rowCount' | 'totals' | 'missingPayrollIds'
>;

/** Describes the file that the export returns by default for this layout: its hash, size and totals. */
export async function describePayrollFile(
  trx: Work,
  caller: Caller,
  { period, layout }: { readonly period: string; readonly layout: Layout },
  clock: Clock,
): Promise<HandedFile> {
  const { workspaceId } = caller;
  const { payroll } = await findWorkspace(trx, workspaceId);
  const selection = { repIds: visibleReps(caller), everyone: false };
  const included = layout === 'generic' ? 'everyone' : 'approved';
  const team = await loadTeamExport(trx, workspaceId, period, clock, selection, included);
  const file = payrollFile(layout, team, payroll, false);
  const content = Buffer.from(csvFile(file.columns, file.lines, ','));
  return {
    filename: file.filename,
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes: content.length,
    rowCount: file.lines.length,
    totals: team.totals.map(({ currency, summary }) => ({ currency, netPayout: Number(summary.netPayout) })),
    missingPayrollIds: missingPayrollIds(team.members),
  };
}

export const payrollHandoverExample = {
  handoverId: sampleIds.quotaId,
  period: '2026-02',
  layout: 'generic',
  note: 'Sent to payroll',
  filename: 'statements-2026-02.csv',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  bytes: 143,
  rowCount: 1,
  totals: [{ currency: 'USD', netPayout: 5600 }],
  missingPayrollIds: [],
  actor: { repId: sampleIds.managerId, name: 'Mia' },
  createdAt: '2026-03-02T09:00:00.000Z',
};
