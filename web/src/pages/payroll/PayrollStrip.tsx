import { type PayrollSums } from '../../api/payroll-queries.js';
import { StatStrip } from '../../components/StatCard.js';
import { present, type Sum, sumByCurrency } from '../../features/statements/pay-sums.js';
import { SumCard } from '../../features/statements/SumCard.js';
import { formatCount, formatMoney, formatNumber } from '../../shared/format/numbers.js';
import { areEqual } from './sums.js';

/** What is ready to pay, and what is not in the file yet. */
export function PayrollStrip({ sums: of }: { readonly sums: PayrollSums }) {
  const { approved, missing, currency, handedOver } = of;
  const sums = sumByCurrency(approved.sums, currency);
  const counted = approved.people + missing.people;
  return (
    <StatStrip label="Sums of the period" columns="616fr 366fr">
      <SumCard
        label={handedOver.length > 0 && areEqual(sums, handedOver) ? 'Handed over' : 'Ready to pay'}
        sums={sums}
        note={[
          `${missing.people === 0 ? 'all' : `${formatNumber(approved.people)} of`} ${formatCount(counted, 'person', 'people')}, all approved`,
          ...handedWords(of, sums),
          ...withoutIdWords(of),
        ].join(', ')}
      />
      <SumCard label="Not in the file yet" sums={sumByCurrency(missing.sums, currency)} note={describeNote(missing)} />
    </StatStrip>
  );
}

/** What of the sums was handed over, if something is left. */
function handedWords({ handedOver, currency }: PayrollSums, sums: readonly Sum[]): readonly string[] {
  const handed = present(sumByCurrency(handedOver, currency));
  if (handed.length === 0 || areEqual(sums, handed)) return [];
  return [
    `${handed.map((sum) => formatMoney(sum.amount, sum.currency, unitIn(sum, currency))).join(' and ')} handed over`,
  ];
}

function unitIn({ currency }: Sum, main: string) {
  return currency === main ? {} : ({ unit: 'code' } as const);
}

/** How many of the people have no ID in the payroll system. */
export function withoutIdWords({ withoutPayrollId: { count } }: PayrollSums): readonly string[] {
  return count === 0 ? [] : [`${formatNumber(count)} without a payroll ID`];
}

/** How many people are not approved. */
export function describeNote({ people, withoutAmount }: PayrollSums['missing']): string {
  if (people === 0) return 'no statement is missing';
  const counted = formatCount(people, 'person', 'people');
  if (withoutAmount === 0) return counted;
  return `${counted}${withoutAmount === people ? '' : `, ${formatNumber(withoutAmount)}`} without an amount`;
}
