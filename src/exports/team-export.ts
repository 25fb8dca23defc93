import { type Clock } from '../kernel/clock.js';
import { compareNames } from '../kernel/compare-names.js';
import { type DayRange } from '../kernel/day.js';
import { plainAmount } from '../kernel/money-text.js';
import { type Period } from '../kernel/period.js';
import { mapInSlices } from '../kernel/waiting.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { loadHandedAmounts, newAmounts } from '../statements/handed-amounts.js';
import { hasNothing } from '../statements/payslip.js';
import { type CurrencySummary, totalsInSlices } from '../statements/snapshot.js';
import { resolvePeriod } from '../statements/statement-views.js';
import {
  hasAmount,
  listChangedPayrollIds,
  listSharedPayrollIds,
  missingPayrollIds,
  readTeamStatements,
  type TeamMemberStatement,
  type TeamSelection,
} from '../statements/team-statements.js';

/** The content of every team file: one row per rep and currency. */
export interface TeamExport {
  readonly period: Period;
  readonly days: DayRange;
  readonly currency: string;
  readonly members: readonly TeamMemberStatement[];
  readonly rows: readonly TeamRow[];
  /** Totals by currency. Amounts in different currencies are never added. */
  readonly totals: readonly CurrencySummary[];
  readonly columns: readonly string[];
  /** The number of the file of the period: that of hand-overs before it and one, or 1 if it contains everything. */
  readonly part: number;
}

export interface TeamRow {
  readonly member: TeamMemberStatement;
  readonly amounts: CurrencySummary;
}

/** Text from the workspace, or an amount with the decimals of its currency. */
export type TeamCell = { readonly text: string } | { readonly amount: string };

/**
 * The statements to include: approved ones, approved ones and drafts, or everyone's. Without a generated version,
 * `everyone` includes the earnings so far.
 */
export type Included = 'approved' | 'draft' | 'everyone';

const columns = ['Name', 'Email', 'Commissions', 'Bonuses', 'Adjustments', 'Net Payout', 'Statement Status'];

/** In pay periods, what is paid comes first, and what is earned second. */
const paidColumns = ['Name', 'Email', 'Payable', 'Earned', 'Commissions', 'Bonuses', 'Adjustments', 'Statement Status'];

export async function loadTeamExport(
  tx: Transaction,
  requested: Period | undefined,
  clock: Clock,
  selection: TeamSelection,
  included: Included = 'everyone',
): Promise<TeamExport> {
  const { period, days, currency } = await resolvePeriod(tx, requested, clock);
  const everyone = await readTeamStatements(tx, period, currency, selection);
  const members = everyone
    .filter(
      ({ status }) => included === 'everyone' || status === 'approved' || (included === 'draft' && status === 'draft'),
    )
    .sort((a, b) => compareNames(a.name, b.name));
  const rows = await mapInSlices(members, (member) => listAmounts(member).map((amounts) => ({ member, amounts })));
  return toTeamExport({ period, days, currency, members, rows: rows.flat(), part: 1 });
}

/** A batch contains what is paid, and not what is earned. */
export const batchColumns = columns.map((title) => (title === 'Net Payout' ? 'Payable' : title));

export async function toTeamExport(
  content: Omit<TeamExport, 'totals' | 'columns'>,
  ofBatch?: readonly string[],
): Promise<TeamExport> {
  const totals = await totalsInSlices(content.rows.map(({ amounts }) => amounts));
  const names = ofBatch ?? (hasPayable({ totals }) ? paidColumns : columns);
  return { ...content, totals, columns: totals.length > 1 ? [...names, 'Currency'] : names };
}

/** Whether the period is a pay period of a workspace with payouts. */
export function hasPayable({ totals }: Pick<TeamExport, 'totals'>): boolean {
  return totals.some(({ summary }) => summary.payable !== undefined);
}

/** In pay periods, currencies without an amount are left out, except of people without any. */
function listAmounts(member: TeamMemberStatement): readonly CurrencySummary[] {
  const all = [member.main, ...member.others];
  if (member.payTotals === null) return all;
  const some = all.filter(({ summary }) => !hasNothing(summary));
  return some.length === 0 ? [member.main] : some;
}

/** What recorded hand-overs of the period do not contain: people who were approved since, and what has changed. */
export async function withoutHandedOver(tx: Transaction, team: TeamExport): Promise<TeamExport> {
  const handed = await loadHandedAmounts(tx, team.period);
  const found = await mapInSlices(team.members, (member) =>
    newAmounts([member.main, ...member.others], handed.people.get(member.repId) ?? []).map((amounts) => ({
      member,
      amounts,
    })),
  );
  const rows = found.flat();
  const members = [...new Set(rows.map(({ member }) => member))];
  return toTeamExport({ ...team, members, rows, part: handed.files + 1 });
}

/** Whether every statement is approved. */
export function isFullyApproved({ members }: TeamExport): boolean {
  return members.length > 0 && members.every(({ status }) => status === 'approved');
}

/** The members with a statement in the archive: everyone who has a generated version or an amount. */
export function archivedMembers({ members }: TeamExport): TeamMemberStatement[] {
  return members.filter((member) => member.statementId !== null || hasAmount(member));
}

export function teamCells({ member, amounts }: TeamRow, team: TeamExport): TeamCell[] {
  return [
    { text: member.name },
    { text: member.email },
    ...amountCells(amounts, hasPayable(team)),
    { text: member.status },
    ...(team.totals.length > 1 ? [{ text: amounts.currency }] : []),
  ];
}

/** In a file with what is payable, a draft from before payouts were turned on says nothing about that. */
export function amountCells({ currency, summary }: CurrencySummary, isPaid: boolean): TeamCell[] {
  const { totalCommission, totalBonuses, totalAdjustments, netPayout, payable } = summary;
  const cell = (amount: string): TeamCell => ({ amount: plainAmount(amount, currency) });
  const parts = [totalCommission, totalBonuses, totalAdjustments].map(cell);
  if (!isPaid) return [...parts, cell(netPayout)];
  return [payable === undefined ? { text: '' } : cell(payable), cell(netPayout), ...parts];
}

/**
 * Control totals as response headers: the number of rows, the numbers of people without a payroll id, with one that has
 * changed and with one that others have too, and the net total of a file with one currency.
 */
export function controlTotals(
  rows: number,
  totals: readonly CurrencySummary[],
  members: readonly TeamMemberStatement[],
): Record<string, string> {
  return {
    'X-Row-Count': String(rows),
    'X-Missing-Payroll-Ids': String(missingPayrollIds(members).length),
    'X-Changed-Payroll-Ids': String(listChangedPayrollIds(members).length),
    'X-Shared-Payroll-Ids': String(listSharedPayrollIds(members).length),
    ...sumHeaders(totals),
  };
}

/** The net total of a file with one currency; in pay periods what is paid and what is earned. */
export function sumHeaders(totals: readonly CurrencySummary[]): Record<string, string> {
  const [only, another] = totals;
  if (only === undefined || another !== undefined) return {};
  const { currency, summary } = only;
  const earned = plainAmount(summary.netPayout, currency);
  if (summary.payable === undefined) return { 'X-Net-Total': earned };
  return { 'X-Payable-Total': plainAmount(summary.payable, currency), 'X-Earned-Total': earned };
}
