import { LedgerTotal, Money } from '../../components/Money.js';
import { type Sum, visibleSums } from './pay-sums.js';
import styles from './SumLines.module.css';

interface SumLinesProps {
  readonly sums: readonly Sum[];
  /** The currency whose amounts need neither sign nor code, where the column names it. */
  readonly main?: string;
  readonly isTotal?: boolean;
}

/** Amounts below each other, one for each currency. */
export function SumLines({ sums, main, isTotal = false }: SumLinesProps) {
  const Figure = isTotal ? LedgerTotal : Money;
  return (
    <span className={styles.sums}>
      {visibleSums(sums).map(({ currency, amount }) => (
        <Figure key={currency} amount={amount} currency={currency} unit={unitOf(currency, main)} />
      ))}
    </span>
  );
}

function unitOf(currency: string, main: string | undefined) {
  if (main === undefined) return 'symbol';
  return currency === main ? 'none' : 'code';
}
