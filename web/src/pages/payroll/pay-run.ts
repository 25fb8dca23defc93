import { type Payable, type PayoutBatch } from '../../api/payout-queries.js';
import { type PayrollSums } from '../../api/payroll-queries.js';
import { type TeamStatement } from '../../api/team-queries.js';
import { reasonWords } from '../../features/payables/hold-words.js';
import { present, type Sum, sumByCurrency } from '../../features/statements/pay-sums.js';
import { difference, signOf, sumAmounts } from '../../shared/format/exact.js';
import { isApproved } from './sums.js';

/** What a run pays a person in one currency, and what it keeps. */
export interface RunRow {
  readonly key: string;
  readonly repId: string;
  readonly name: string;
  readonly status: TeamStatement['status'];
  readonly version: number;
  readonly payslip: TeamStatement['payslip'];
  readonly currency: string;
  /** The currency of batches, which is that of the person. */
  readonly paidIn: string;
  readonly released: string;
  /** What draws pay in addition. */
  readonly drawn: number;
  /** What is deducted to reduce balances and to repay draws. */
  readonly deducted: string;
  readonly payable: number;
  /** What batches of the period contain. */
  readonly batched: string;
  /** What is approved and in no batch. */
  readonly fresh: string;
  readonly owed: number;
}

/** The rows of a page of people: one for each currency in which they have an amount, those with something new first. */
export function listRunRows(statements: readonly TeamStatement[]): readonly RunRow[] {
  const rows = statements.flatMap((statement) => {
    const { repId, name, status, version, payslip, payTotals = [], payouts = [], pay } = statement;
    return payTotals.map((total, position): RunRow => {
      const index = pay === undefined ? 0 : position;
      const { currency, released, carriedIn, recovered, payable, closing, drawn = 0, repaid = 0 } = total;
      const paid = pay === undefined ? { currency, amount: payable } : pay;
      const batched = sumAmounts(payouts.filter((part) => part.currency === paid.currency).map(({ amount }) => amount));
      return {
        // What is earned in several currencies and paid in one is new once.
        paidIn: paid.currency,
        ...{ key: `${repId} ${currency}`, repId, name, status, version, payslip, currency, payable },
        batched: index === 0 ? batched : '0',
        released: sumAmounts([released, carriedIn]),
        drawn,
        deducted: sumAmounts([recovered, repaid]),
        fresh: isApproved(statement) && index === 0 ? difference(paid.amount ?? 0, batched) : '0',
        owed: closing,
      };
    });
  });
  return rows.toSorted((a, b) => Number(isNew(b)) - Number(isNew(a)));
}

function isNew({ fresh }: Pick<RunRow, 'fresh'>): boolean {
  return signOf(fresh) > 0;
}

/** What a pay period pays, and what of it batches contain. */
export type Run = NonNullable<PayrollSums['run']>;

/** The sums of a column of what the run has earned or paid. */
export function sumUp<Key extends string>(
  rows: readonly (Readonly<Record<Key, number>> & { readonly currency: string })[],
  key: Key,
  first: string,
): readonly Sum[] {
  return sumByCurrency(
    rows.map((row) => ({ currency: row.currency, amount: row[key] })),
    first,
  );
}

interface BatchTerms {
  /** The currency of the workspace. */
  readonly main: string;
  /** The only currency of the batch; absent for all. */
  readonly paidIn: string | undefined;
  readonly open: readonly Pick<PayoutBatch, 'totals'>[];
}

/** The currencies that a batch may have now, the one that is chosen, and what it would pay. Null is all of them. */
export function chooseBatch(run: Pick<Run, 'paid' | 'next'>, { main, paidIn, open }: BatchTerms) {
  const waits = new Set(open.flatMap(({ totals }) => totals.map(({ currency }) => currency)));
  const due = present(sumUp(run.paid, 'unpaid', main)).filter(({ currency }) => !waits.has(currency));
  const currencies = due.map(({ currency }) => currency);
  const isAllOffered = waits.size === 0;
  const chosen = currencies.find((currency) => currency === paidIn) ?? (isAllOffered ? null : (currencies[0] ?? null));
  return {
    currencies,
    chosen,
    isAllOffered,
    ledger: due.filter(({ currency }) => chosen === null || currency === chosen),
    batch: due.length === 0 ? undefined : run.next.find(({ currency }) => currency === chosen),
  };
}

/** Approved people of whom the next batch contains nothing, and why. */
export interface WithoutRow {
  readonly reason: string;
  readonly count: number;
  readonly people: readonly { readonly name: string }[];
}

const reasons = { batched: 'already in a batch', owes: 'pay 0.00 and still owe', nothing: 'nothing is payable' };

/** Who has no row in the next batch, by reason. Of those to whom nothing is payable, the people whose pay is held are apart. */
export function listWithoutRow({ others }: Pick<Run, 'others'>, held: readonly Held[]): readonly WithoutRow[] {
  const heldIds = new Set(held.map(({ repId }) => repId));
  const groups = others.flatMap(({ reason, count, people }) => {
    const ofHeld = reason === 'nothing' ? people.filter(({ repId }) => heldIds.has(repId)) : [];
    const rest = people.filter((person) => !ofHeld.includes(person));
    return [
      { reason: 'held', count: ofHeld.length, people: ofHeld },
      { reason: reasons[reason], count: count - ofHeld.length, people: rest },
    ];
  });
  return groups.filter(({ count }) => count > 0);
}

/** What is held of the pay of a person in one currency, and why. */
export interface Held {
  readonly key: string;
  readonly repId: string;
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
    const before = byKey.get(key) ?? { key, repId, repName, currency, amount: '0', reasons: [] };
    const reasons = new Set([...before.reasons, ...heldBy.map(({ reason }) => reasonWords(reason))]);
    byKey.set(key, { ...before, amount: sumAmounts([before.amount, amount]), reasons: [...reasons] });
  }
  return [...byKey.values()];
}
