import { type Kysely, type RawBuilder, sql } from 'kysely';
import { bumpCacheVersion, recordRowChanges } from './change-triggers.js';
import { asOwner, grantToService } from './owner-functions.js';
import { insertOnly, tenantTable } from './tenant-table.js';
import { ofWritable } from './writable-workspaces.js';

/** The entity of everything that was stored before there were others. */
const mainEntity = 'main';

/**
 * Books of several entities, in fiscal months, with contracts, estimates and write-offs. Responses about them are cached,
 * and stored jobs compute those of large workspaces.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addVersionsOfEntities(db);
  await createRepEntities(db);
  await replaceTermsOfPolicies(db);
  await createWriteOffs(db);
  await createEstimates(db);
  await divideClosings(db);
  await createLots(db);
  await createFacts(db);
  await createListOfBooks(db);
  await allowJobs(db);
  await bumpCacheVersion(db, 'payroll_handovers');
}

/** Each change stores the entity again. What was stored is the first version. */
async function addVersionsOfEntities(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table accounting_entities
      add column version integer not null default 1 check (version > 0),
      add column framework text not null default 'us_gaap' check (framework in ('us_gaap', 'ifrs', 'frs102')),
      alter column updated_at drop default`.execute(db);
  await sql`alter table accounting_entities rename column updated_at to stored_at`.execute(db);
  await sql`
    alter table accounting_entities
      alter column version drop default,
      drop constraint accounting_entities_pkey,
      add primary key (workspace_id, code, version)`.execute(db);
  await bumpCacheVersion(db, 'accounting_entities');
  await insertOnly(db, 'accounting_entities');
  await replaceAudit(db, 'accounting_entities', { ids: ['code'], ignored: ['version', 'stored_at'] });
}

/** The terms are {from, position, match, scope, treatment, period, start, convention, correction, expedientMonths, payrollTax}. */
async function replaceTermsOfPolicies(db: Kysely<unknown>): Promise<void> {
  await sql`
    update accounting_policies set terms = terms - 'months' || jsonb_build_object(
      'scope', 'new',
      'period', jsonb_build_object('months', terms -> 'months'),
      'start', 'earned',
      'correction', 'catch_up',
      'payrollTax', false)`.execute(db);
  await bumpCacheVersion(db, 'accounting_policies');
}

/** What is stored of a month is divided by entity, and a month may be one of a fiscal year. */
async function divideClosings(db: Kysely<unknown>): Promise<void> {
  const main = sql.lit(mainEntity);
  const withEntity = (list: RawBuilder<unknown>) => sql`(
    select coalesce(jsonb_agg(jsonb_build_object('entity', ${main}) || e order by position), '[]')
    from jsonb_array_elements(${list}) with ordinality as listed (e, position))`;
  await sql`update accounting_preparations set totals = ${withEntity(sql`totals`)}`.execute(db);
  await sql`
    update accounting_closings set content = content || jsonb_build_object(
      'states', ${withEntity(sql`content -> 'states'`)},
      'labels', (content -> 'labels') - 'entity' - 'accounts' || jsonb_build_object('entities', jsonb_build_object(${main},
        jsonb_build_object('name', content #> '{labels,entity}', 'accounts', content #> '{labels,accounts}'))),
      'future', case when is_opening then '{}' else jsonb_build_object(${main}, content -> 'future') end)`.execute(db);
  await sql`
    alter table accounting_closings
      drop constraint accounting_closings_month_check,
      add constraint accounting_closings_month_check check (month ~ '^([0-9]{4}-|FY[0-9]{4}-P)[0-9]{2}$')`.execute(db);
  await bumpCacheVersion(db, 'accounting_closings');
}

/** From which day on a person belongs to which entity. Each change stores the whole list again. */
async function createRepEntities(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_rep_entities (
      workspace_id uuid not null references workspaces,
      rep_id uuid not null,
      version integer not null check (version > 0),
      -- [{from, entity}], the earliest day first; without a day from the beginning
      entities jsonb not null,
      stored_at timestamptz not null,
      primary key (workspace_id, rep_id, version),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'accounting_rep_entities');
  await bumpCacheVersion(db, 'accounting_rep_entities');
  await insertOnly(db, 'accounting_rep_entities');
}

/** What people owe and the company no longer expects. It changes the books, and nothing that statements recover. */
async function createWriteOffs(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_write_offs (
      workspace_id uuid not null references workspaces,
      write_off_id uuid not null,
      rep_id uuid not null,
      entity text not null,
      currency text not null,
      amount numeric not null check (amount > 0),
      day date not null,
      reason text not null check (length(reason) between 1 and 1000),
      status text not null check (status in ('proposed', 'approved', 'withdrawn')),
      proposed_by text not null,
      proposed_by_id uuid,
      proposed_at timestamptz not null,
      decided_by text,
      decided_at timestamptz,
      primary key (workspace_id, write_off_id),
      foreign key (workspace_id, rep_id) references reps,
      check ((status = 'proposed') = (decided_at is null))
    )`.execute(db);
  await tenantTable(db, 'accounting_write_offs');
  await bumpCacheVersion(db, 'accounting_write_offs');
}

/** What is expected at the end of a month and not in the ledger. Each change stores the estimates of the month again. */
async function createEstimates(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_estimates (
      workspace_id uuid not null references workspaces,
      month text not null check (month ~ '^([0-9]{4}-|FY[0-9]{4}-P)[0-9]{2}$'),
      version integer not null check (version > 0),
      -- [{repId, planId, ruleName, period, method, currency, pay, toDate}]
      estimates jsonb not null,
      stored_at timestamptz not null,
      primary key (workspace_id, month, version)
    )`.execute(db);
  await tenantTable(db, 'accounting_estimates');
  await bumpCacheVersion(db, 'accounting_estimates');
  await insertOnly(db, 'accounting_estimates');
}

/** How each row was treated when a month was closed, where no earlier closing has stored the same. */
async function createLots(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_lots (
      workspace_id uuid not null references workspaces,
      month text not null,
      version smallint not null,
      entity text not null,
      rep_id uuid not null,
      -- the key of the row
      lot_key text not null,
      content jsonb not null,
      primary key (workspace_id, rep_id, lot_key, entity, month, version)
    )`.execute(db);
  await tenantTable(db, 'accounting_lots');
  await insertOnly(db, 'accounting_lots');
}

/** Facts about deals that only the books read, such as their contracts. The last one of a name counts. */
async function createFacts(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_facts (
      workspace_id uuid not null references workspaces,
      position bigint generated always as identity,
      kind text not null check (kind in ('contract', 'impairment', 'opening_lot')),
      deal_id text not null,
      name text not null,
      -- null if it was taken back
      content jsonb,
      changed_at timestamptz not null default now(),
      primary key (workspace_id, kind, deal_id, name, position)
    )`.execute(db);
  await sql`create index accounting_facts_of_rep on accounting_facts (workspace_id, kind, (content ->> 'repId'))`.execute(
    db,
  );
  await tenantTable(db, 'accounting_facts');
  await bumpCacheVersion(db, 'accounting_facts');
  await insertOnly(db, 'accounting_facts');
  await recordRowChanges(db, 'accounting_facts', { ids: ['kind', 'deal_id', 'name'], ignored: ['changed_at'] });
}

/** The workspaces that keep books and send events about corrections, with the day of the last search for these. */
async function createListOfBooks(db: Kysely<unknown>): Promise<void> {
  // {day, month, corrections}: what the last search found; null before the first one
  await sql`alter table workspaces add column corrections_found jsonb`.execute(db);
  await replaceAudit(db, 'workspaces', {
    ids: [],
    hidden: ['name'],
    ignored: [
      'configuration_revision',
      'periodic_through',
      'sends_events',
      'writes_back',
      'digest_of',
      'corrections_found',
    ],
  });
  await sql`
    create function workspaces_with_books()
    returns table (workspace_id uuid, timezone text, test_day date, found_on date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.test_day, (w.corrections_found ->> 'day')::date from workspaces w
      where w.accounting is not null and ${ofWritable('w.workspace_id')} and exists (
        select from webhook_endpoints e
        where e.workspace_id = w.workspace_id and e.enabled
          and (e.event_types is null or 'accounting.correction_found' = any(e.event_types)))
    $$`.execute(db);
  await grantToService(db, ['workspaces_with_books()']);
}

async function allowJobs(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table stored_jobs
      drop constraint stored_jobs_kind_check,
      add constraint stored_jobs_kind_check check (kind in
        ('approval', 'books', 'exceptions', 'export', 'generation', 'handover', 'preparation', 'preview'))`.execute(db);
}

/** Records other columns than before. */
async function replaceAudit(
  db: Kysely<unknown>,
  table: string,
  columns: Parameters<typeof recordRowChanges>[2],
): Promise<void> {
  await sql`drop trigger record_row_change on ${sql.table(table)}`.execute(db);
  await recordRowChanges(db, table, columns);
}
