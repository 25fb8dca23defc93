import { type Clock } from '../kernel/clock.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period } from '../kernel/period.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { askedPeriod } from './asked-period.js';
import { plainAmount } from './payroll-csv.js';
import { type Summary, summed } from './snapshot.js';
import { type CurrencySummary, readTeamStatements, type TeamMemberStatement } from './team-statements.js';

/** What is told of a team's period, in whatever file: one row a rep and currency. */
export interface TeamExport {
  readonly period: Period;
  readonly currency: string;
  readonly members: readonly TeamMemberStatement[];
  readonly rows: readonly TeamRow[];
  /** By currency: amounts of two have no total. */
  readonly totals: readonly CurrencySummary[];
  readonly columns: readonly string[];
}

export interface TeamRow {
  readonly member: TeamMemberStatement;
  readonly amounts: CurrencySummary;
}

/** Words of the workspace's, or a number of ours with the decimals of its currency. */
export type TeamCell = { readonly text: string } | { readonly amount: string };

const columns = ['Name', 'Email', 'Commissions', 'Bonuses', 'Adjustments', 'Net Payout', 'Statement Status'];

export async function loadTeamExport(
  trx: Work,
  workspaceId: string,
  asked: Period | undefined,
  clock: Clock,
): Promise<TeamExport> {
  const { period, currency } = await askedPeriod(trx, workspaceId, asked, clock);
  const members = await readTeamStatements(trx, workspaceId, period, currency);
  const rows = members.flatMap((member) => [member.main, ...member.others].map((amounts) => ({ member, amounts })));
  const totals = [...groupBy(rows, ({ amounts }) => amounts.currency)].map(([of, ofIt]) => ({
    currency: of,
    summary: summed(ofIt.map(({ amounts }) => amounts.summary)),
  }));
  return { period, currency, members, rows, totals, columns: totals.length > 1 ? [...columns, 'Currency'] : columns };
}

export function teamCells({ member, amounts: { currency, summary } }: TeamRow, { totals }: TeamExport): TeamCell[] {
  return [
    { text: member.name },
    { text: member.email },
    ...amountCells(summary, currency),
    { text: member.status },
    ...(totals.length > 1 ? [{ text: currency }] : []),
  ];
}

export function amountCells(summary: Summary, currency: string): TeamCell[] {
  const { totalCommission, totalBonuses, totalAdjustments, netPayout } = summary;
  return [totalCommission, totalBonuses, totalAdjustments, netPayout].map((exact) => ({
    amount: plainAmount(exact, currency),
  }));
}

export function teamHeaders({ rows, totals }: TeamExport): Record<string, string> {
  const [only, another] = totals;
  return {
    'X-Row-Count': String(rows.length),
    ...(only === undefined || another !== undefined
      ? {}
      : { 'X-Net-Total': plainAmount(only.summary.netPayout, only.currency) }),
  };
}
