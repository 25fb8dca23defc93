import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { periodRange } from '../kernel/period.js';
import { unfrozenAmounts } from '../ledger/unfrozen-amounts.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type StatementContent, type StatementKey } from './statement.js';

/** Totals by currency. */
export type Totals = ReadonlyMap<string, Decimal>;

/** What the period would come to if nothing were frozen: the engine's dry run with the rows that people added. */
export async function liveTotals(trx: Work, key: StatementKey, asOf: Day): Promise<Totals> {
  const { from, to } = periodRange(key.period);
  const totals = new Map<string, Decimal>();
  const add = (currency: string, amount: Decimal) =>
    totals.set(currency, (totals.get(currency) ?? Decimal.zero).plus(amount));
  for (const { currency, amount } of await unfrozenAmounts(trx, key.workspaceId, key.repId, { from, to }, asOf))
    add(currency, amount);
  const adjustments = await trx
    .selectFrom('commission_events')
    .select(['currency', 'amount'])
    .where('workspace_id', '=', key.workspaceId)
    .where('rep_id', '=', key.repId)
    .where('kind', 'in', ['adjustment', 'clawback'])
    .where('status', '=', 'earned')
    .where('earned_on', '>=', from)
    .where('earned_on', '<=', to)
    .execute();
  for (const { currency, amount } of adjustments) add(currency, Decimal.of(amount));
  return totals;
}

export function approvedTotals({ currency, summary, otherCurrencies }: StatementContent): Totals {
  return new Map([
    [currency, Decimal.of(summary.netPayout)] as const,
    ...otherCurrencies.map((other) => [other.currency, Decimal.of(other.summary.netPayout)] as const),
  ]);
}

/** By currency what is owed beyond the approved totals, where there is a difference. */
export function differences(live: Totals, approved: Totals): Totals {
  const currencies = [...new Set([...live.keys(), ...approved.keys()])].sort();
  const zero = Decimal.zero;
  const all = currencies.map(
    (currency) => [currency, (live.get(currency) ?? zero).minus(approved.get(currency) ?? zero)] as const,
  );
  return new Map(all.filter(([, delta]) => !delta.isZero()));
}
