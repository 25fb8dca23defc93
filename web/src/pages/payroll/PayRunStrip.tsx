import { type PayrollSums } from '../../api/payroll-queries.js';
import { type TeamStatement } from '../../api/team-queries.js';
import { StatStrip } from '../../components/StatCard.js';
import { present, sumByCurrency, sumWords } from '../../features/statements/pay-sums.js';
import { SumCard } from '../../features/statements/SumCard.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { describeNote, withoutIdWords } from './PayrollStrip.js';
import { batchedSums, dueSums, type Held, paidDays, type RunRow } from './pay-run.js';
import { isApproved } from './sums.js';

interface PayRunStripProps {
  readonly sums: PayrollSums;
  readonly statements: readonly TeamStatement[];
  readonly rows: readonly RunRow[];
  /** What is held; null for a period before the present one, of which holds say nothing. */
  readonly held: readonly Held[] | null;
}

/** What a pay period has paid, in the currencies of the bank, what is left to pay, and what cannot be paid yet. */
export function PayRunStrip({ sums, statements, rows, held }: PayRunStripProps) {
  const { currency, missing } = sums;
  const counted = formatCount(sums.approved.people + missing.people, 'person', 'people');
  const approved = statements.filter(isApproved);
  const paid = batchedSums(approved, currency, ({ status }) => status === 'paid');
  const open = present(batchedSums(approved, currency, ({ status }) => status === 'open'));
  const owed = present(
    sumByCurrency(
      rows.map((row) => ({ currency: row.currency, amount: row.owed })),
      currency,
    ),
  );
  const days = paidDays(approved);
  return (
    <StatStrip label="Sums of the period" columns={held === null ? '1fr 1fr 1fr' : '1fr 1fr 1fr 1fr'}>
      <SumCard
        label={days.length === 1 ? `Paid on ${formatDay(days[0] as string, 'year')}` : 'Paid'}
        sums={paid}
        note={paidNote(approved.filter(isPaid).length, days)}
      />
      <SumCard
        label="Left to pay"
        sums={sumByCurrency([...dueSums(rows, currency), ...open], currency)}
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

function isPaid({ payouts = [] }: TeamStatement): boolean {
  return payouts.some(({ status }) => status === 'paid');
}

function paidNote(people: number, days: readonly string[]): string {
  if (days.length === 0) return 'no batch is paid yet';
  const who = formatCount(people, 'person', 'people');
  return days.length === 1 ? who : `${who}, on ${days.map((day) => formatDay(day)).join(' and ')}`;
}
