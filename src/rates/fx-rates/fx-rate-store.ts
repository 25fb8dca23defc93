import { sql } from 'kysely';
import { type StoredRate } from '../../engine/exchange-rates.js';
import { chunk } from '../../kernel/chunk.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { keyOf, type RateKey } from './fx-rate.js';
import { findRates } from './fx-rate-views.js';

const rowsPerStatement = 10_000;

/** A rate in place of the one of its pair and day. */
export interface ReplacedRate {
  readonly before: StoredRate | null;
  readonly after: StoredRate;
}

/** Stores the rates. Returns those that differ from the stored ones. */
export async function storeRates(tx: Transaction, rates: readonly StoredRate[]): Promise<ReplacedRate[]> {
  const changed: ReplacedRate[] = [];
  for (const part of chunk(rates, rowsPerStatement)) {
    const stored = new Map((await findRates(tx, part)).map((rate) => [keyOf(rate), rate]));
    for (const after of part) {
      const before = stored.get(keyOf(after)) ?? null;
      if (before?.rate !== after.rate) changed.push({ before, after });
    }
  }
  for (const part of chunk(
    changed.map(({ after }) => after),
    rowsPerStatement,
  ))
    await sql`
      with written as (
        insert into fx_rates as r (workspace_id, rate_table, from_currency, to_currency, day, rate)
        select ${tx.workspaceId}::uuid, rate_table, from_currency, to_currency, day, rate from ${rows(part)}
        on conflict (workspace_id, rate_table, from_currency, to_currency, day) do update set rate = excluded.rate
        returning r.*
      )
      insert into fx_rate_history (workspace_id, rate_table, from_currency, to_currency, day, rate)
      select workspace_id, rate_table, from_currency, to_currency, day, rate from written`.execute(tx.db);
  return changed;
}

/** Deletes the rates, and records that there are none. */
export async function removeRates(tx: Transaction, keys: readonly RateKey[]): Promise<void> {
  for (const part of chunk(keys, rowsPerStatement))
    await sql`
      with removed as (
        delete from fx_rates r using ${rows(part.map((key) => ({ ...key, rate: '1' })))}
        where r.workspace_id = ${tx.workspaceId} and r.rate_table = input.rate_table
          and r.from_currency = input.from_currency and r.to_currency = input.to_currency
          and r.day = input.day
        returning r.*
      )
      insert into fx_rate_history (workspace_id, rate_table, from_currency, to_currency, day, rate)
      select workspace_id, rate_table, from_currency, to_currency, day, null from removed`.execute(tx.db);
}

function rows(rates: readonly StoredRate[]) {
  return unnestRows(rates, [
    ['rate_table', 'text', ({ table }) => table],
    ['from_currency', 'text', ({ from }) => from],
    ['to_currency', 'text', ({ to }) => to],
    ['day', 'date', ({ day }) => day],
    ['rate', 'numeric', ({ rate }) => rate],
  ]);
}
