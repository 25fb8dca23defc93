import { type RawBuilder, sql } from 'kysely';
import { type StoredRate } from '../../engine/exchange-rates.js';
import { type Day } from '../../kernel/day.js';
import { unnestRows } from '../../platform/database/columns.js';
import { latestRows } from '../../platform/database/latest-rows.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type FxRate, keyOf, type RateKey } from './fx-rate.js';

export interface RateFilter {
  readonly table?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly since?: Day | undefined;
  readonly until?: Day | undefined;
}

/** The rates as a table expression: the current ones, or in a transaction with `asOf` those of that instant. */
function ratesTable(tx: Transaction): RawBuilder<unknown> {
  if (tx.asOf === null) return sql`fx_rates`;
  const latest = latestRows(tx, 'fx_rate_history', ['rate_table', 'from_currency', 'to_currency', 'day']);
  return sql`(select * from ${latest} where rate is not null)`;
}

function matches(tx: Transaction, { table, from, to, since, until }: RateFilter): RawBuilder<unknown> {
  return sql`r.workspace_id = ${tx.workspaceId}
    ${table === undefined ? sql`` : sql`and r.rate_table = ${table}`}
    ${from === undefined ? sql`` : sql`and r.from_currency = ${from}`}
    ${to === undefined ? sql`` : sql`and r.to_currency = ${to}`}
    ${since === undefined ? sql`` : sql`and r.day >= ${since}::date`}
    ${until === undefined ? sql`` : sql`and r.day <= ${until}::date`}`;
}

/** Rates by table and pair, newest first. */
export async function listRates(
  tx: Transaction,
  filter: RateFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rates: FxRate[]; readonly count: number }> {
  const of = sql`from ${ratesTable(tx)} r where ${matches(tx, filter)}`;
  const { rows } = await sql<FxRate>`
    select r.rate_table as "table", r.from_currency as "from", r.to_currency as "to", r.day, r.rate::float8 as rate ${of}
    order by 1, 2, 3, 4 desc limit ${page.limit} offset ${page.offset}`.execute(tx.db);
  const { rows: counted } = await sql<{ count: number }>`select count(*)::int as count ${of}`.execute(tx.db);
  return { rates: rows, count: counted[0]?.count ?? 0 };
}

/** What is stored for each of the keys; null where nothing is. */
export async function findReplacedRates(tx: Transaction, keys: readonly RateKey[]): Promise<(string | null)[]> {
  const stored = new Map((await findRates(tx, keys)).map((found) => [keyOf(found), found.rate]));
  return keys.map((key) => stored.get(keyOf(key)) ?? null);
}

/** The stored rates with these keys. */
export async function findRates(tx: Transaction, keys: readonly RateKey[]): Promise<StoredRate[]> {
  const { rows } = await sql<StoredRate>`
    select r.rate_table as "table", r.from_currency as "from", r.to_currency as "to", r.day, trim_scale(r.rate)::text as rate
    from ${unnestRows(keys, [
      ['rate_table', 'text', ({ table }) => table],
      ['from_currency', 'text', ({ from }) => from],
      ['to_currency', 'text', ({ to }) => to],
      ['day', 'date', ({ day }) => day],
    ])}
    join fx_rates r on r.workspace_id = ${tx.workspaceId} and r.rate_table = input.rate_table
      and r.from_currency = input.from_currency and r.to_currency = input.to_currency
      and r.day = input.day`.execute(tx.db);
  return rows;
}

/** The stored rates that the filter selects. */
export async function selectRates(tx: Transaction, filter: RateFilter): Promise<StoredRate[]> {
  const { rows } = await sql<StoredRate>`
    select r.rate_table as "table", r.from_currency as "from", r.to_currency as "to", r.day, trim_scale(r.rate)::text as rate
    from fx_rates r where ${matches(tx, filter)}`.execute(tx.db);
  return rows;
}
