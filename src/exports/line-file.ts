import { type CommissionEvent, toEventResponse } from '../earnings/commission-event.js';
import { listEarnedEvents } from '../earnings/commission-views.js';
import { type Clock } from '../kernel/clock.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { plainAmount } from '../kernel/money-text.js';
import { type Period } from '../kernel/period.js';
import { mapInSlices } from '../kernel/waiting.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type TeamMemberStatement, type TeamSelection } from '../statements/team-statements.js';
import { type Cell, text, trusted } from './payroll-csv.js';
import { buildFilename, longColumns, longTypes, type PayrollFile, toPayrollFile } from './payroll-layouts.js';
import { type Included, loadTeamExport, type TeamExport } from './team-export.js';

const columns = [...longColumns, 'Deal ID', 'Deal', 'Rule', 'Line ID', 'Line', 'Base', 'Rate', 'Statement Status'];

/** What was earned in the period: a row for each event, and for each line that an event paid. The rows add up to the events. */
export async function loadLineFile(
  tx: Transaction,
  { period, included = 'approved' }: { readonly period: Period | undefined; readonly included?: Included | undefined },
  selection: TeamSelection,
  clock: Clock,
): Promise<{ readonly file: PayrollFile; readonly team: TeamExport }> {
  const team = await loadTeamExport(tx, period, clock, selection, included);
  const members = new Map(team.members.map((member) => [member.repId, member]));
  const events = await listEarnedEvents(tx, team.days, [...members.keys()]);
  const rows = await mapInSlices(events, (event) =>
    rowsOf(members.get(event.repId) as TeamMemberStatement, toEventResponse(event, null), event.amount),
  );
  return { file: await toPayrollFile(buildFilename(team, 'lines'), columns, rows.flat(), team.rows), team };
}

function rowsOf(member: TeamMemberStatement, event: CommissionEvent, amount: string): Cell[][] {
  const { category, currency, earnedOn, dealId, dealName, ruleName, dealLines } = event;
  const row = (part: string, lineCells: readonly Cell[]): Cell[] => [
    text(member.payrollId),
    text(member.email),
    text(longTypes[category]),
    trusted(plainAmount(part, currency)),
    text(currency),
    trusted(earnedOn),
    text(dealId),
    text(dealName),
    text(ruleName),
    ...lineCells,
    text(member.status),
  ];
  const parts = dealLines ?? [];
  const rest = Decimal.of(amount).minus(sum(parts.map((line) => Decimal.of(line.amount))));
  // What a floor adds to lines that paid nothing belongs to none of them.
  const isWhole = parts.length > 0 && rest.isZero();
  return [
    ...parts.map(({ lineId, name, base, rate, amount: ofLine }) =>
      row(String(ofLine), [text(lineId), text(name), trusted(base), trusted(rate)]),
    ),
    ...(isWhole ? [] : [row(rest.toString(), [text(null), text(null), text(null), text(null)])]),
  ];
}
