import { LedgerTotal, Money } from '../../components/Money.js';
import styles from './Payroll.module.css';
import { present, type Sum } from './sums.js';

interface SumLinesProps {
  readonly sums: readonly Sum[];
  /** The currency whose amounts need no code. */
  readonly main: string;
  readonly isTotal?: boolean;
}

/** Amounts below each other, one for each currency. */
export function SumLines({ sums, main, isTotal = false }: SumLinesProps) {
  const shown = present(sums);
  const Figure = isTotal ? LedgerTotal : Money;
  return (
    <span className={styles.sums}>
      {(shown.length === 0 ? sums.slice(0, 1) : shown).map(({ currency, amount }) => (
        <Figure key={currency} amount={amount} currency={currency} unit={currency === main ? 'none' : 'code'} />
      ))}
    </span>
  );
}
