import { type Kysely, sql } from 'kysely';
import { insertOnly, tenantTable } from './tenant-table.js';

/** Who has which part of a deal: credit lines, the rules that derive lines, and the shares that events count. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The share of the credit and that of the pay; null for the whole deal.
  for (const table of ['commission_events', 'commission_event_history', 'trued_up_rows'])
    await sql`
      alter table ${sql.table(table)} add column share text check (share ~ '^-?[0-9.]+ -?[0-9.]+$')`.execute(db);
  await createLines(db);
  await createParticipations(db);
  await createRules(db);
}

async function createLines(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deal_credits (
      workspace_id uuid not null,
      deal_id text not null,
      source text not null check (source in ('api', 'crm')),
      position smallint not null,
      -- null for the house
      rep_id uuid,
      kind text not null check (kind in ('split', 'overlay')),
      role text check (length(role) between 1 and 50),
      percent numeric(10, 6) not null check (percent > 0 and percent <= case kind when 'split' then 100 else 1000 end),
      affects text not null check (affects in ('both', 'quota', 'payout')),
      primary key (workspace_id, deal_id, source, position),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'deal_credits');
  await sql`
    create table deal_credit_history (
      workspace_id uuid not null,
      deal_id text not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      -- the lines that count since then, in the form of the column of the deal
      credits jsonb,
      primary key (workspace_id, deal_id, position)
    )`.execute(db);
  await tenantTable(db, 'deal_credit_history');
  await insertOnly(db, 'deal_credit_history');
  await sql`
    create trigger record_row_change after insert or update or delete on deal_credits
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('deal_id,source,position', '', '')`.execute(db);
}

/**
 * The lines that count are part of the deal, which is read with them. The people on them who do not own the deal are
 * found by an index; a trigger keeps it equal to the deals, whatever changes these.
 */
async function createParticipations(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deals
      -- "lines", and in "exceeding" the rules that got less than their percentage; null if the deal is its owner's
      add column credits jsonb`.execute(db);
  await sql`
    create index deals_exceeding_credits on deals (workspace_id, deal_id) where credits ? 'exceeding'`.execute(db);
  await sql`
    create table deal_participations (
      workspace_id uuid not null,
      deal_id text not null,
      rep_id uuid not null,
      close_date date not null,
      primary key (workspace_id, deal_id, rep_id)
    )`.execute(db);
  await sql`
    create index deal_participations_by_rep on deal_participations (workspace_id, rep_id, close_date)`.execute(db);
  await tenantTable(db, 'deal_participations');
  await sql`
    create function refresh_deal_participations() returns trigger
    language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        delete from deal_participations where workspace_id = old.workspace_id and deal_id = old.deal_id;
      end if;
      if tg_op = 'DELETE' then return null; end if;
      if new.close_date is not null and new.deleted_at is null then
        insert into deal_participations (workspace_id, deal_id, rep_id, close_date)
        select distinct new.workspace_id, new.deal_id, (line ->> 'repId')::uuid, new.close_date
        from jsonb_array_elements(new.credits -> 'lines') line
        where line ->> 'repId' is not null and (line ->> 'repId')::uuid is distinct from new.rep_id;
      end if;
      return null;
    end $$`.execute(db);
  const events = {
    insert: 'new.credits is not null',
    'update of credits, rep_id, close_date, deleted_at': 'new.credits is not null or old.credits is not null',
    delete: 'old.credits is not null',
  };
  for (const [event, condition] of Object.entries(events))
    await sql`
      create trigger ${sql.raw(`refresh_participations_${event.split(' ')[0]}`)} after ${sql.raw(event)} on deals
      for each row when (${sql.raw(condition)}) execute function refresh_deal_participations()`.execute(db);
}

async function createRules(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table credit_rules (
      workspace_id uuid not null references workspaces,
      credit_rule_id uuid not null,
      name text not null check (length(name) between 1 and 200),
      kind text not null check (kind in ('split', 'overlay')),
      role text check (length(role) between 1 and 50),
      person_field text not null,
      percent numeric(10, 6) check (percent > 0 and percent <= case kind when 'split' then 100 else 1000 end),
      percent_field text,
      conditions jsonb not null default '[]',
      effective_start date,
      effective_end date check (effective_end >= effective_start),
      created_at timestamptz not null default now(),
      primary key (workspace_id, credit_rule_id),
      constraint credit_rules_name unique (workspace_id, name),
      check ((percent is null) <> (percent_field is null))
    )`.execute(db);
  await tenantTable(db, 'credit_rules');
  await sql`
    create table credit_rule_history (
      workspace_id uuid not null references workspaces,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      -- all rules since then
      rules jsonb not null,
      primary key (workspace_id, position)
    )`.execute(db);
  await tenantTable(db, 'credit_rule_history');
  await insertOnly(db, 'credit_rule_history');
  for (const name of ['bump_configuration_revision', 'bump_workspace_cache_version'])
    await sql`
      create trigger ${sql.raw(name)} after insert or update or delete or truncate on credit_rules
      for each statement execute function ${sql.raw(name)}()`.execute(db);
  await sql`
    create trigger record_row_change after insert or update or delete on credit_rules
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('credit_rule_id', '', '')`.execute(db);
}
