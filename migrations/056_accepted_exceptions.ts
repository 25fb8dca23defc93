import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** What did not pay and is right so: one deal, or every deal for which a rule pays nothing, for one reason. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accepted_exceptions (
      workspace_id uuid not null references workspaces on delete cascade,
      acceptance_id uuid not null,
      reason text not null check (length(reason) between 1 and 100),
      deal_id text,
      plan_id uuid,
      rule_name text,
      note text not null check (length(note) between 1 and 1000),
      accepted_by text not null,
      accepted_at timestamptz not null default now(),
      primary key (workspace_id, acceptance_id),
      foreign key (workspace_id, plan_id) references plans,
      check ((deal_id is null) = (plan_id is not null)),
      check ((rule_name is null) = (plan_id is null))
    )`.execute(db);
  await sql`
    create unique index accepted_exceptions_of_deals on accepted_exceptions (workspace_id, deal_id, reason)
    where deal_id is not null`.execute(db);
  await sql`
    create unique index accepted_exceptions_of_rules on accepted_exceptions (workspace_id, plan_id, rule_name, reason)
    where plan_id is not null`.execute(db);
  await tenantTable(db, 'accepted_exceptions');
  await sql`
    create trigger bump_workspace_cache_version after insert or update or delete or truncate on accepted_exceptions
    for each statement execute function bump_workspace_cache_version()`.execute(db);
  await sql`
    create trigger record_row_change after insert or update or delete on accepted_exceptions
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('acceptance_id', 'note', '')`.execute(db);
}
