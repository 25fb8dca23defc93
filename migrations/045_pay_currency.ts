import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** The currencies in which people are paid. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Which exchange rate pays a statement; null for the one of its last day.
  await sql`alter table workspaces add column pay_fx jsonb`.execute(db);
  await sql`
    create table rep_pay_currencies (
      workspace_id uuid not null,
      rep_id uuid not null,
      from_day date not null,
      -- null: from that day on, each amount is paid in the currency in which it is earned
      currency text check (currency ~ '^[A-Z]{3}$'),
      primary key (workspace_id, rep_id, from_day),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'rep_pay_currencies');
  await sql`
    create trigger bump_workspace_cache_version after insert or update or delete or truncate on rep_pay_currencies
    for each statement execute function bump_workspace_cache_version()`.execute(db);
  await sql`
    create trigger bump_workspace_cache_version_of_pay_fx after update of pay_fx on workspaces
    for each statement execute function bump_workspace_cache_version()`.execute(db);
  await sql`
    create trigger record_row_change after insert or update or delete on rep_pay_currencies
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('rep_id,from_day', '', '')`.execute(db);
}
