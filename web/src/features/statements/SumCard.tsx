import { HeroMoney } from '../../components/Money.js';
import { StatCard } from '../../components/StatCard.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { type Sum, visibleSums } from './pay-sums.js';

interface SumCardProps {
  readonly label: string;
  readonly sums: readonly Sum[];
  readonly note?: React.ReactNode;
  readonly size?: 'first' | 'second';
}

/** A sum as the figure of a card, with those in other currencies below it. */
export function SumCard({ label, sums, note, size }: SumCardProps) {
  const [main, ...others] = visibleSums(sums);
  return (
    <StatCard
      label={label}
      figure={<HeroMoney amount={main?.amount} currency={main?.currency ?? ''} size={size} />}
      note={
        <>
          {others.map(({ currency, amount }) => (
            <p key={currency} className="num">
              and {formatMoney(amount, currency, { unit: 'code' })}
            </p>
          ))}
          {note}
        </>
      }
    />
  );
}
