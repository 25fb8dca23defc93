import { sql } from 'kysely';
import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { type Day } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { currency, day } from '../../platform/operations/schemas.js';

/** What a change of a person may say of the currency of payment. */
export const payCurrencyChange = {
  payCurrency: currency
    .nullable()
    .optional()
    .describe(
      'Currency in which statements pay the rep from payCurrencyFrom on, ISO 4217 code; null for the one that the rep earns in',
    ),
  payCurrencyFrom: day
    .optional()
    .describe('Day from which the payCurrency counts, YYYY-MM-DD; today by default. Approved statements stay'),
};

export interface PayCurrencyChange {
  readonly repId: string;
  readonly from: Day;
  /** Null for the currency in which the person earns. */
  readonly currency: string | null;
}

/** Stores from which day on people are paid in which currency, with the history. Returns the people that it changed. */
export async function storePayCurrencies(
  tx: Transaction,
  caller: Caller,
  changes: readonly PayCurrencyChange[],
): Promise<ReadonlySet<string>> {
  if (changes.length === 0) return new Set();
  const behind = new Set(peopleBehind(caller));
  if (changes.some(({ repId }) => behind.has(repId)))
    throw new Failure('forbidden', 'You cannot change the currency in which you are paid. Another admin must do it.');
  const { rows } = await sql<{ repId: string }>`
    with stored as (
      insert into rep_pay_currencies (workspace_id, rep_id, from_day, currency)
      select ${tx.workspaceId}::uuid, rep_id, from_day, currency
      from ${unnestRows(changes, [
        ['rep_id', 'uuid', ({ repId }) => repId],
        ['from_day', 'date', ({ from }) => from],
        ['currency', 'text', (change) => change.currency],
      ])}
      on conflict (workspace_id, rep_id, from_day) do update set currency = excluded.currency
      where rep_pay_currencies.currency is distinct from excluded.currency
      returning rep_id, from_day, currency
    )
    insert into rep_pay_currency_history (workspace_id, rep_id, from_day, currency)
    select ${tx.workspaceId}::uuid, rep_id, from_day, currency from stored
    returning rep_id as "repId"`.execute(tx.db);
  return new Set(rows.map(({ repId }) => repId));
}

/** From which day on a person is paid in which currency. */
export type PayCurrency = Omit<PayCurrencyChange, 'repId'>;

/** The currencies of the people, in the order of the days. */
export async function listPayCurrencies(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, readonly PayCurrency[]>> {
  const { rows } = await sql<PayCurrencyChange>`
    select rep_id as "repId", from_day as "from", currency from rep_pay_currencies
    where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[]) order by rep_id, from_day`.execute(
    tx.db,
  );
  const byRep = groupBy(rows, ({ repId }) => repId);
  return new Map(
    [...byRep].map(([repId, ofRep]) => [repId, ofRep.map(({ from, currency: code }) => ({ from, currency: code }))]),
  );
}

/**
 * Gives the people these currencies of payment. In the history, a day that has none any more has the currency of the days
 * before it.
 */
export async function restorePayCurrencies(
  tx: Transaction,
  caller: Caller,
  currencies: ReadonlyMap<string, readonly PayCurrency[]>,
): Promise<void> {
  const present = await listPayCurrencies(tx, [...currencies.keys()]);
  const changes = [...currencies].flatMap(([repId, wanted]) => {
    const days = new Set([...(present.get(repId) ?? []), ...wanted].map(({ from }) => from));
    const inForce = (code: readonly PayCurrency[], day: Day) =>
      code.findLast(({ from }) => from <= day)?.currency ?? null;
    return [...days].map((from) => ({
      repId,
      from,
      currency: inForce(wanted, from),
      isStated: wanted.some((one) => one.from === from),
      was: present.get(repId)?.find((one) => one.from === from),
    }));
  });
  const changed = changes.filter(
    ({ currency: code, isStated, was }) => !isStated || was === undefined || was.currency !== code,
  );
  await storePayCurrencies(tx, caller, changed);
  const ended = changed.filter(({ isStated }) => !isStated);
  if (ended.length > 0)
    await sql`
      delete from rep_pay_currencies c using ${unnestRows(ended, [
        ['rep_id', 'uuid', ({ repId }) => repId],
        ['from_day', 'date', ({ from }) => from],
      ])}
      where c.workspace_id = ${tx.workspaceId} and c.rep_id = input.rep_id and c.from_day = input.from_day`.execute(
      tx.db,
    );
}
