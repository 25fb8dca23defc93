import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, bumpConfigurationRevision, recordRowChanges } from './change-triggers.js';
import { insertOnly, tenantTable } from './tenant-table.js';

/** Exchange rates and fiscal years, and those that were replaced. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createExchangeRates(db);
  await createFiscalYears(db);
}

async function createExchangeRates(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table fx_rates (
      workspace_id uuid not null references workspaces,
      rate_table text not null check (length(rate_table) between 1 and 50),
      from_currency text not null check (from_currency ~ '^[A-Z]{3}$'),
      to_currency text not null check (to_currency ~ '^[A-Z]{3}$'),
      day date not null,
      -- units of "to" for one of "from"
      rate numeric(20, 10) not null check (rate > 0),
      primary key (workspace_id, rate_table, from_currency, to_currency, day),
      check (from_currency <> to_currency)
    )`.execute(db);
  await tenantTable(db, 'fx_rates');
  await bumpConfigurationRevision(db, 'fx_rates');
  await bumpCacheVersion(db, 'fx_rates');
  await recordRowChanges(db, 'fx_rates', { ids: ['rate_table', 'from_currency', 'to_currency', 'day'] });
  // Each row is the rate since then; null after a deletion.
  await sql`
    create table fx_rate_history (
      workspace_id uuid not null references workspaces,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      rate_table text not null,
      from_currency text not null,
      to_currency text not null,
      day date not null,
      rate numeric(20, 10),
      primary key (workspace_id, rate_table, from_currency, to_currency, day, position)
    )`.execute(db);
  await tenantTable(db, 'fx_rate_history');
  await insertOnly(db, 'fx_rate_history');
}

async function createFiscalYears(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table fiscal_years (
      workspace_id uuid not null references workspaces,
      year smallint not null check (year between 1900 and 2199),
      start_day date not null,
      pattern text not null check (pattern in ('months', '4-4-5', '4-5-4', '5-4-4')),
      -- of the patterns in weeks
      weeks smallint not null check (weeks in (52, 53)),
      primary key (workspace_id, year)
    )`.execute(db);
  await tenantTable(db, 'fiscal_years');
  await bumpConfigurationRevision(db, 'fiscal_years');
  await bumpCacheVersion(db, 'fiscal_years');
  await recordRowChanges(db, 'fiscal_years', { ids: ['year'] });
  await sql`
    create table fiscal_year_history (
      workspace_id uuid not null references workspaces,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      -- all years since then
      years jsonb not null,
      primary key (workspace_id, position)
    )`.execute(db);
  await tenantTable(db, 'fiscal_year_history');
  await insertOnly(db, 'fiscal_year_history');
}
