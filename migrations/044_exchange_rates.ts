import { type Kysely, sql } from 'kysely';
import { asOwner } from './owner-functions.js';
import { insertOnly, tenantTable } from './tenant-table.js';

/** Exchange rates, the rates that were replaced, and which plans convert by them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A rate that is older than this number of days is none; null for no limit.
  await sql`
    alter table workspaces
      add column fx_max_age_days integer default 45 check (fx_max_age_days between 0 and 3660),
      -- the fields that CRMs define as money; they stay when a CRM is disconnected
      add column currency_fields text[] not null default '{}'`.execute(db);
  await sql`
    update workspaces w set currency_fields = found.slugs
    from (
      select workspace_id, array_agg(distinct slug order by slug) as slugs from crm_fields
      where type = 'currency' group by 1
    ) found
    where found.workspace_id = w.workspace_id`.execute(db);
  // How the version converts values in other currencies; null if it does not.
  await sql`alter table plan_versions add column fx jsonb`.execute(db);
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
  for (const table of ['fx_rates', 'fx_rate_history']) await tenantTable(db, table);
  await insertOnly(db, 'fx_rate_history');
  for (const name of ['bump_configuration_revision', 'bump_workspace_cache_version'])
    await sql`
      create trigger ${sql.raw(name)} after insert or update or delete or truncate on fx_rates
      for each statement execute function ${sql.raw(name)}()`.execute(db);
  await sql`
    create trigger bump_configuration_revision_of_fx before update of fx_max_age_days, currency_fields on workspaces
    for each row execute function bump_own_configuration_revision()`.execute(db);
  await sql`
    create trigger bump_workspace_cache_version_of_fx after update of fx_max_age_days on workspaces
    for each statement execute function bump_workspace_cache_version()`.execute(db);
  await sql`
    create trigger record_row_change after insert or update or delete on fx_rates
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('rate_table,from_currency,to_currency,day', '', '')`.execute(db);
  // The end of a period replaces its provisional rates.
  await sql`
    create or replace function workspaces_with_periodic_rules()
    returns table (workspace_id uuid, timezone text, periodic_through date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.periodic_through
      from workspaces w
      where exists (select from plan_rules r where r.workspace_id = w.workspace_id and r.phase = 'periodic')
        or exists (
          select from plan_versions v where v.workspace_id = w.workspace_id and v.fx->>'date' = 'period_end'
        )
    $$`.execute(db);
}
