import { type Kysely, sql } from 'kysely';
import { insertOnly, tenantTable } from './tenant-table.js';

/** Plans that people sign: which versions need it, and who has accepted or declined which document. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table plan_versions
    -- required: people accept it; hold_pay: what the version pays waits for the acceptance too
    add column acceptance text not null default 'none' check (acceptance in ('none', 'required', 'hold_pay'))`.execute(
    db,
  );
  await sql`
    create index plan_versions_holding_pay on plan_versions (workspace_id) where acceptance = 'hold_pay'`.execute(db);
  // What a version executes, without its number and dates. A version with a former configuration has its hash.
  await sql`
    create function plan_configuration_sha256(v plan_versions) returns text
    language sql stable as $$
      select encode(sha256(convert_to(
        jsonb_build_array(v.config, v.deal_conditions, v.currency, v.fx, v.field_mapping)::text, 'UTF8')), 'hex')
    $$`.execute(db);
  await sql`
    create table plan_acceptances (
      workspace_id uuid not null,
      acceptance_id uuid not null,
      plan_id uuid not null,
      plan_version_id uuid not null,
      rep_id uuid not null,
      decision text not null check (decision in ('accepted', 'declined')),
      -- of the document that the person has read, and of the configuration in it
      sha256 text not null,
      configuration_sha256 text not null,
      document jsonb not null,
      signed_name text check (length(signed_name) between 1 and 200),
      reason text check (length(reason) between 1 and 1000),
      address text,
      decided_at timestamptz not null,
      -- in the zone of the workspace
      decided_on date not null,
      primary key (workspace_id, acceptance_id),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, plan_id) references plans on delete cascade,
      check ((decision = 'accepted') = (signed_name is not null)),
      check ((decision = 'declined') = (reason is not null))
    )`.execute(db);
  await sql`create index plan_acceptances_of_plan on plan_acceptances (workspace_id, plan_id, rep_id)`.execute(db);
  await tenantTable(db, 'plan_acceptances');
  await insertOnly(db, 'plan_acceptances');
  await sql`
    create trigger bump_workspace_cache_version after insert or delete or truncate on plan_acceptances
    for each statement execute function bump_workspace_cache_version()`.execute(db);
  await sql`
    create trigger record_row_change after insert on plan_acceptances
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('acceptance_id,rep_id,plan_id', 'signed_name,reason,address,document', '')`.execute(
    db,
  );
}
