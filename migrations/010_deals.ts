import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, bumpConfigurationRevision, recordRowChanges } from './change-triggers.js';
import { createFeed, createRemovedRows } from './feed.js';
import { appRole, insertOnly, tenantTable, withoutOwnerStatistics } from './tenant-table.js';

/** Deals with their snapshots, credit lines, products and refunds, and the rules that derive credit lines. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createDeals(db);
  await createIndexes(db);
  await createSnapshots(db);
  await createTombstones(db);
  await createOwnerMatches(db);
  await createCredits(db);
  await createParticipations(db);
  await createCreditRules(db);
  await createLines(db);
  await createRefunds(db);
  await createRemovedRows(db);
  await createFeed(db, 'deals', 'deal_id');
}

async function createDeals(db: Kysely<unknown>): Promise<void> {
  // No foreign key to workspaces: the check costs a fifth of an import, and row-level security admits no other id.
  await sql`
    create table deals (
      workspace_id uuid not null,
      deal_id text not null check (length(deal_id) between 1 and 200),
      rep_id uuid,
      name text,
      amount numeric check (amount <> 'NaN' and abs(amount) <= 1e15),
      currency text,
      stage text,
      close_date date check (close_date between '1900-01-01' and '2199-12-31'),
      created_date date check (created_date between '1900-01-01' and '2199-12-31'),
      owner_id text,
      owner_email text,
      provider text,
      is_closed boolean not null default false,
      is_won boolean not null default false,
      -- the CRM's fields by slug, and the standard values that were sent by their own names
      fields jsonb not null default '{}',
      given jsonb not null default '{}',
      -- by name: the value that a person has corrected, who and when, and the last report; null without corrections
      corrections jsonb,
      -- "lines", and in "exceeding" the rules that got less than their percentage; null if the deal is its owner's
      credits jsonb,
      content_hash uuid not null,
      source_updated_at timestamptz,
      -- when the CRM was read: of two states with equal "source_updated_at", the one that was read later is newer
      fetched_at timestamptz,
      snapshot_at timestamptz not null default now(),
      deleted_at timestamptz,
      changed_in xid8 not null default pg_current_xact_id(),
      primary key (workspace_id, deal_id)
    )`.execute(db);
  await tenantTable(db, 'deals');
  await withoutOwnerStatistics(db, 'deals');
  await bumpCacheVersion(db, 'deals');
}

/**
 * Every index except the primary key and that of the feed has a condition, so that no other index can be read to find
 * deals by their ids. In a table that was analyzed before its first rows were committed all indexes have the same
 * estimated cost, and an import read all deals of the workspace once for each batch.
 */
async function createIndexes(db: Kysely<unknown>): Promise<void> {
  await sql`create index deals_by_rep on deals (workspace_id, rep_id, close_date) where rep_id is not null`.execute(db);
  // Costs a quarter of an insert. Without the deal id it would cost little, but sort each import for a page of it. The
  // condition holds for every deal; only statements that contain it can read the index.
  await sql`
    create index deals_by_snapshot on deals (workspace_id, snapshot_at desc, deal_id)
    where snapshot_at > '-infinity'`.execute(db);
  // Read when a new rep or CRM member may own deals that had no rep.
  await sql`create index deals_without_rep on deals (workspace_id, owner_id) where rep_id is null`.execute(db);
  // Deleted deals are few: listing them reads only this index, which has no entries for the other deals.
  await sql`
    create index deals_deleted on deals (workspace_id, snapshot_at desc, deal_id)
    where deleted_at is not null`.execute(db);
  await sql`
    create index deals_exceeding_credits on deals (workspace_id, deal_id) where credits ? 'exceeding'`.execute(db);
  await sql`
    create index deals_corrected on deals (workspace_id, deal_id) where corrections is not null`.execute(db);
}

/** The deal itself is its latest snapshot; this table holds the earlier ones, so that storing a deal writes one row. */
async function createSnapshots(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deal_snapshots (
      workspace_id uuid not null,
      deal_id text not null,
      snapshot_id bigint generated always as identity,
      taken_at timestamptz not null default now(),
      source_updated_at timestamptz,
      provider text,
      fields jsonb not null,
      given jsonb not null,
      -- so that taking an import back restores them
      corrections jsonb,
      deleted boolean not null default false,
      primary key (workspace_id, deal_id, snapshot_id)
    )`.execute(db);
  await tenantTable(db, 'deal_snapshots');
  // All snapshots. The latest one has no number.
  await sql`
    create view deal_versions with (security_invoker = true) as
    select workspace_id, deal_id, snapshot_id, taken_at, source_updated_at, provider, fields, given, deleted
    from deal_snapshots
    union all
    select workspace_id, deal_id, null, snapshot_at, source_updated_at, provider, fields, given, deleted_at is not null
    from deals`.execute(db);
  await sql`grant select on deal_versions to ${sql.raw(appRole)}`.execute(db);
}

/** Deals that were removed permanently: an older message of the CRM must not create them again. */
async function createTombstones(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deal_tombstones (
      workspace_id uuid not null,
      deal_id text not null,
      purged_at timestamptz not null,
      primary key (workspace_id, deal_id)
    )`.execute(db);
  await tenantTable(db, 'deal_tombstones');
}

/** The reps whom an admin named for owners of deals that no rep's address or member id equals. */
async function createOwnerMatches(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table owner_matches (
      workspace_id uuid not null,
      -- the owner as the deals name it, in lower case
      owner_key text not null,
      rep_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, owner_key),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'owner_matches');
  await recordRowChanges(db, 'owner_matches', { ids: ['owner_key'] });
}

/** Who has which part of a deal. */
async function createCredits(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deal_credits (
      workspace_id uuid not null,
      deal_id text not null,
      source text not null check (source in ('api', 'crm')),
      position smallint not null,
      -- null for the house
      rep_id uuid,
      -- the member to whom the CRM gives the line; the person is found when the lines that count are computed
      owner_id text check (length(owner_id) between 1 and 200),
      kind text not null check (kind in ('split', 'overlay')),
      role text check (length(role) between 1 and 50),
      percent numeric(10, 6) not null check (percent > 0 and percent <= case kind when 'split' then 100 else 1000 end),
      affects text not null check (affects in ('both', 'quota', 'payout')),
      primary key (workspace_id, deal_id, source, position),
      foreign key (workspace_id, rep_id) references reps,
      check (owner_id is null or (source = 'crm' and rep_id is null))
    )`.execute(db);
  // Whether a CRM has reported lines is read with every deal that is written.
  await sql`create index deal_credits_reported on deal_credits (workspace_id) where source = 'crm'`.execute(db);
  await tenantTable(db, 'deal_credits');
  await recordRowChanges(db, 'deal_credits', { ids: ['deal_id', 'source', 'position'] });
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
}

/**
 * The lines that count are part of the deal, which is read with them. The people on them who do not own the deal are
 * found by an index; a trigger keeps it equal to the deals, whatever changes these.
 */
async function createParticipations(db: Kysely<unknown>): Promise<void> {
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

async function createCreditRules(db: Kysely<unknown>): Promise<void> {
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
  await bumpConfigurationRevision(db, 'credit_rules');
  await bumpCacheVersion(db, 'credit_rules');
  await recordRowChanges(db, 'credit_rules', { ids: ['credit_rule_id'] });
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
}

/** The products of deals. */
async function createLines(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deal_lines (
      workspace_id uuid not null references workspaces,
      -- of a deal that may be deleted
      deal_id text not null,
      -- the lines of the CRM count where the API has given none
      source text not null check (source in ('api', 'crm')),
      line_id text generated always as (content ->> 'lineId') stored,
      -- the order in which the lines of the source were given
      position smallint not null,
      -- the line as the engine reads it; its numbers are decimal texts
      content jsonb not null,
      primary key (workspace_id, deal_id, source, line_id),
      constraint deal_lines_line_id check (length(line_id) between 1 and 200)
    )`.execute(db);
  // A CRM reports changed and deleted lines by their own ids.
  await sql`
    create index deal_lines_of_crm on deal_lines (workspace_id, line_id) where source = 'crm'`.execute(db);
  await tenantTable(db, 'deal_lines');
  await bumpCacheVersion(db, 'deal_lines');
  await recordRowChanges(db, 'deal_lines', { ids: ['deal_id', 'source', 'line_id'], ignored: ['updated_at'] });
  await sql`
    create table deal_line_history (
      workspace_id uuid not null references workspaces,
      deal_id text not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      -- the lines that count since then, in their order, and where they come from; null: none
      lines jsonb,
      source text check (source in ('api', 'crm')),
      primary key (workspace_id, deal_id, position),
      check ((lines is null) = (source is null))
    )`.execute(db);
  await tenantTable(db, 'deal_line_history');
  await insertOnly(db, 'deal_line_history');
}

/** What customers got back of deals, or never paid. */
async function createRefunds(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deal_refunds (
      workspace_id uuid not null references workspaces,
      -- of a deal that may come later
      deal_id text not null,
      refund_id text not null check (refund_id !~ ':' and length(refund_id) between 1 and 200),
      day date not null,
      cause text not null check (cause in ('cancellation', 'refund', 'non_payment')),
      -- in the currency of the deal; null for all that earlier refunds left
      amount numeric(30, 4) check (amount > 0),
      -- [{lineId, amount}], amounts as decimal texts, null for a whole line; null: the refund names no lines
      lines jsonb,
      reason text not null default '' check (length(reason) <= 1000),
      -- what people keep: [{repId, percent, reason}], without repId for everyone else
      waivers jsonb not null default '[]',
      -- the deal key of its events
      deal_key text generated always as ('refund:' || deal_id || ':' || refund_id) stored,
      updated_at timestamptz not null default now(),
      primary key (workspace_id, deal_id, refund_id)
    )`.execute(db);
  await sql`create index deal_refunds_by_day on deal_refunds (workspace_id, day)`.execute(db);
  await sql`create index deal_refunds_by_key on deal_refunds (workspace_id, deal_key)`.execute(db);
  await tenantTable(db, 'deal_refunds');
  await bumpConfigurationRevision(db, 'deal_refunds');
  await bumpCacheVersion(db, 'deal_refunds');
  await recordRowChanges(db, 'deal_refunds', { ids: ['deal_id', 'refund_id'], hidden: ['reason', 'waivers'] });
  await sql`
    create table deal_refund_history (
      workspace_id uuid not null references workspaces,
      position bigint generated always as identity,
      deal_id text not null,
      refund_id text not null,
      changed_at timestamptz not null default now(),
      -- the refund with its waivers since then; null if it was deleted
      content jsonb,
      primary key (workspace_id, deal_id, refund_id, position)
    )`.execute(db);
  await tenantTable(db, 'deal_refund_history');
  await insertOnly(db, 'deal_refund_history');
}
