import { type PayrollSums } from '../../api/payroll-queries.js';
import { StatStrip } from '../../components/StatCard.js';
import { present, sumByCurrency, sumWords } from '../../features/statements/pay-sums.js';
import { SumCard } from '../../features/statements/SumCard.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { describeNote, withoutIdWords } from './PayrollStrip.js';
import { type Held, type Run, sumUp } from './pay-run.js';

interface PayRunStripProps {
  readonly sums: PayrollSums;
  readonly run: Run;
  /** What is held; null where that is not known. */
  readonly held: readonly Held[] | null;
}

/** What a pay period has paid, in the currencies of the bank, what is left to pay, and what cannot be paid yet. */
export function PayRunStrip({ sums, run, held }: PayRunStripProps) {
  const { currency, missing } = sums;
  const counted = formatCount(sums.approved.people + missing.people, 'person', 'people');
  const { earned, paid, paidPeople, paidOn: days } = run;
  const open = present(sumUp(paid, 'inOpenBatches', currency));
  const owed = present(sumUp(earned, 'owed', currency));
  return (
    <StatStrip label="Sums of the period" columns={held === null ? '1fr 1fr 1fr' : '1fr 1fr 1fr 1fr'}>
      <SumCard
        label={days.length === 1 ? `Paid on ${formatDay(days[0] as string, 'year')}` : 'Paid'}
        sums={sumUp(paid, 'inPaidBatches', currency)}
        note={paidNote(paidPeople, days)}
      />
      <SumCard
        label="Left to pay"
        sums={sumByCurrency([...sumUp(paid, 'unpaid', currency), ...open], currency)}
        note={[
          ...(open.length === 0 ? [] : [`${sumWords(open, ' and ')} of it in an open batch`]),
          missing.people === 0
            ? `all ${counted} approved`
            : `${formatNumber(sums.approved.people)} of ${counted} approved`,
          ...withoutIdWords(sums),
        ].join(', ')}
      />
      <SumCard label="Not approved yet" sums={sumByCurrency(missing.sums, currency)} note={describeNote(missing)} />
      {held === null ? null : (
        <SumCard
          label="Held now"
          sums={sumByCurrency(held, currency)}
          note={[
            formatCount(held.length, 'person', 'people'),
            ...(owed.length === 0 ? [] : [`${sumWords(owed, ' and ')} is owed, by which later pay is reduced`]),
          ].join('; ')}
        />
      )}
    </StatStrip>
  );
}

function paidNote(people: number, days: readonly string[]): string {
  if (days.length === 0) return 'no batch is paid yet';
  const who = formatCount(people, 'person', 'people');
  return days.length === 1 ? who : `${who}, on ${days.map((day) => formatDay(day)).join(' and ')}`;
}
