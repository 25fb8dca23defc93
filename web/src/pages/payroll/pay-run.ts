import { type Payable } from '../../api/payout-queries.js';
import { type TeamStatement } from '../../api/team-queries.js';
import { difference, signOf, sumAmounts } from '../../shared/format/exact.js';
import { isApproved, type Sum } from './sums.js';

/** What a run pays a person in one currency, and what it keeps. */
export interface RunRow {
  readonly key: string;
  readonly repId: string;
  readonly name: string;
  readonly status: TeamStatement['status'];
  readonly version: number;
  readonly currency: string;
  /** The currency of batches, which is that of the person. */
  readonly paidIn: string;
  readonly released: string;
  /** What draws pay in addition. */
  readonly drawn: number;
  /** What is kept to reduce balances and to repay draws. */
  readonly kept: string;
  readonly payable: number;
  /** What batches of the period contain. */
  readonly batched: string;
  /** What is approved and in no batch. */
  readonly fresh: string;
  /** What the statement takes back, which later ones keep. */
  readonly added: number;
  readonly owed: number;
}

/** The rows of a run: people with an amount in a currency. */
export function listRunRows(statements: readonly TeamStatement[]): readonly RunRow[] {
  return statements.flatMap((statement) => {
    const { repId, name, status, version, payTotals = [], payouts = [], pay } = statement;
    return payTotals.map((total, position) => {
      const index = pay === undefined ? 0 : position;
      const { currency, released, carriedIn, recovered, payable, added, closing, drawn = 0, repaid = 0 } = total;
      const paid = pay === undefined ? { currency, amount: payable } : pay;
      const batched = sumAmounts(payouts.filter((part) => part.currency === paid.currency).map(({ amount }) => amount));
      return {
        // What is earned in several currencies and paid in one is new once.
        paidIn: paid.currency,
        ...{ key: `${repId} ${currency}`, repId, name, status, version, currency, payable, batched, added },
        released: sumAmounts([released, carriedIn]),
        drawn,
        kept: sumAmounts([recovered, repaid]),
        fresh: isApproved(statement) && index === 0 ? difference(paid.amount ?? 0, batched) : '0',
        owed: closing,
      };
    });
  });
}

/** The sums of a figure by currency, the given currency first, without currencies whose sum is zero. */
export function sumRun(
  rows: readonly { readonly currency: string; readonly amount: string | number }[],
  first: string,
): readonly Sum[] {
  const currencies = [...new Set([first, ...rows.map(({ currency }) => currency).sort()])];
  const sums = currencies.map((currency) => ({
    currency,
    amount: sumAmounts(rows.filter((row) => row.currency === currency).map(({ amount }) => amount)),
  }));
  const [main, ...others] = sums as [Sum, ...Sum[]];
  return [main, ...others.filter(({ amount }) => signOf(amount) !== 0)];
}

/** What is held of the pay of a person in one currency, and why. */
export interface Held {
  readonly key: string;
  readonly repName: string;
  readonly currency: string;
  readonly amount: string;
  readonly reasons: readonly string[];
}

/** What is held, by person and currency. */
export function listHeld(payables: readonly Payable[]): readonly Held[] {
  const byKey = new Map<string, Held>();
  for (const { repId, repName, currency, amount, heldBy = [] } of payables) {
    const key = `${repId} ${currency}`;
    const before = byKey.get(key) ?? { key, repName, currency, amount: '0', reasons: [] };
    const reasons = new Set([...before.reasons, ...heldBy.map(({ reason }) => reason)]);
    byKey.set(key, { ...before, amount: sumAmounts([before.amount, amount]), reasons: [...reasons] });
  }
  return [...byKey.values()];
}
