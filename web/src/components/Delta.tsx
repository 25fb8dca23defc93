import { absolute, signOf } from '../shared/format/exact.js';
import { type Amount, formatMoney } from '../shared/format/numbers.js';
import styles from './Delta.module.css';

interface DeltaProps {
  readonly amount: Amount | null;
  readonly currency: string;
  readonly unit?: 'symbol' | 'none' | 'code';
}

/** A change of an amount: ink, with a coloured triangle, and a word for screen readers. */
export function Delta({ amount, currency, unit = 'symbol' }: DeltaProps) {
  if (amount === null) return <span className="dim">–</span>;
  return <Change sign={signOf(amount)}>{formatMoney(absolute(amount), currency, { unit })}</Change>;
}

const words = { '-1': 'down', '0': 'unchanged', '1': 'up' } as const;
const marks = { '-1': '▼', '0': '', '1': '▲' } as const;

interface ChangeProps {
  readonly sign: -1 | 0 | 1;
  readonly children: React.ReactNode;
}

/** Any figure with the triangle of its direction. */
export function Change({ sign, children }: ChangeProps) {
  return (
    <span className="num">
      <span aria-hidden="true" className={sign < 0 ? styles.down : styles.up}>
        {marks[sign]}
      </span>
      <span className="unseen">{words[sign]} </span>
      {children}
    </span>
  );
}
