import { LedgerTotal, Money } from '../../components/Money.js';
import { type Sum, shownSums } from '../../features/statements/pay-sums.js';
import styles from './Payroll.module.css';

interface SumLinesProps {
  readonly sums: readonly Sum[];
  /** The currency whose amounts need no code. */
  readonly main: string;
  readonly isTotal?: boolean;
}

/** Amounts below each other, one for each currency. */
export function SumLines({ sums, main, isTotal = false }: SumLinesProps) {
  const Figure = isTotal ? LedgerTotal : Money;
  return (
    <span className={styles.sums}>
      {shownSums(sums).map(({ currency, amount }) => (
        <Figure key={currency} amount={amount} currency={currency} unit={currency === main ? 'none' : 'code'} />
      ))}
    </span>
  );
}
