import { signOf } from '../shared/format/exact.js';
import { type Amount, formatMoney, moneyParts } from '../shared/format/numbers.js';
import { Hero } from './Hero.js';

interface MoneyProps {
  /** An absent amount is displayed as –. */
  readonly amount: Amount | null | undefined;
  readonly currency: string;
  readonly unit?: 'symbol' | 'none' | 'code';
  readonly signed?: boolean;
  readonly trim?: boolean;
  /** Whether 0 is dimmed, for columns in which most amounts are 0. */
  readonly dimsZero?: boolean;
}

/** An exact amount with tabular figures. Negative amounts are red and have a sign. */
export function Money({ amount, currency, unit, signed, trim, dimsZero = false }: MoneyProps) {
  if (amount === null || amount === undefined) return <span className="dim">–</span>;
  const sign = signOf(amount);
  const look = sign < 0 ? 'num negative' : sign === 0 && dimsZero ? 'num dim' : 'num';
  return <span className={look}>{formatMoney(amount, currency, { unit, signed, trim })}</span>;
}

interface HeroMoneyProps {
  readonly amount: Amount | null | undefined;
  readonly currency: string;
  readonly size?: 'first' | 'second';
  readonly signed?: boolean;
}

/** The figure of a card: large, with dimmed cents. */
export function HeroMoney({ amount, currency, size, signed }: HeroMoneyProps) {
  if (amount === null || amount === undefined) return <Hero size={size}>–</Hero>;
  const { whole, cents } = moneyParts(amount, currency, { signed });
  return (
    <Hero size={size} end={cents} length={whole.length + cents.length}>
      {whole}
    </Hero>
  );
}

/** A sum under a column, with a double rule. */
export function LedgerTotal({ amount, currency, unit = 'none', signed }: MoneyProps) {
  if (amount === null || amount === undefined) return <span className="dim">–</span>;
  return <span className="num ledger-total">{formatMoney(amount, currency, { unit, signed })}</span>;
}
