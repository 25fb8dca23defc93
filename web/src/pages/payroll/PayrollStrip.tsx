import { isPaidElsewhere, type TeamStatement, type TeamStatements } from '../../api/team-queries.js';
import { StatStrip } from '../../components/StatCard.js';
import { netSums, present, type Sum } from '../../features/statements/pay-sums.js';
import { SumCard } from '../../features/statements/SumCard.js';
import { formatCount, formatMoney, formatNumber } from '../../shared/format/numbers.js';
import { areEqual, handedSums, hasAmount, isApproved } from './sums.js';

/** What is ready to pay, and what is not in the file yet. */
export function PayrollStrip({ team }: { readonly team: TeamStatements }) {
  const { statements, currency, handedOver } = team;
  const ready = statements.filter(isApproved);
  const sums = netSums(ready, currency);
  const counted = statements.filter((statement) => !isPaidElsewhere(statement));
  const others = counted.filter((statement) => !isApproved(statement));
  return (
    <StatStrip label="Sums of the period" columns="616fr 366fr">
      <SumCard
        label={handedOver.length > 0 && areEqual(sums, handedSums(handedOver)) ? 'Handed over' : 'Ready to pay'}
        sums={sums}
        note={[
          `${others.length === 0 ? 'all' : `${formatNumber(ready.length)} of`} ${formatCount(counted.length, 'person', 'people')}, all approved`,
          ...handedWords(team, sums),
          ...withoutIdWords(team, ready),
        ].join(', ')}
      />
      <SumCard label="Not in the file yet" sums={netSums(others, currency)} note={describeNote(others)} />
    </StatStrip>
  );
}

/** What of the sums was handed over, if something is left. */
function handedWords({ handedOver, currency }: TeamStatements, sums: readonly Sum[]): readonly string[] {
  const handed = present(handedSums(handedOver));
  if (handed.length === 0 || areEqual(sums, handed)) return [];
  return [
    `${handed.map((sum) => formatMoney(sum.amount, sum.currency, unitIn(sum, currency))).join(' and ')} handed over`,
  ];
}

function unitIn({ currency }: Sum, main: string) {
  return currency === main ? {} : ({ unit: 'code' } as const);
}

/** How many of the people have no ID in the payroll system. */
export function withoutIdWords(
  { missingPayrollIds }: TeamStatements,
  ready: readonly TeamStatement[],
): readonly string[] {
  const approved = new Set(ready.map(({ repId }) => repId));
  const count = missingPayrollIds.filter(({ repId }) => approved.has(repId)).length;
  return count === 0 ? [] : [`${formatNumber(count)} without a payroll ID`];
}

/** How many people are not approved. */
export function describeNote(others: readonly TeamStatement[]): string {
  if (others.length === 0) return 'no statement is missing';
  const people = formatCount(others.length, 'person', 'people');
  const without = others.filter((statement) => !hasAmount(statement)).length;
  if (without === 0) return people;
  return `${people}${without === others.length ? '' : `, ${formatNumber(without)}`} without an amount`;
}
