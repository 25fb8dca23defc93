import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** The reps whom an admin named for owners of deals that no rep's address or member id equals. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table owner_matches (
      workspace_id uuid not null,
      -- The owner as the deals name it, in lower case.
      owner_key text not null,
      rep_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, owner_key),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'owner_matches');
  await sql`
    create trigger record_row_change after insert or update or delete on owner_matches
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('owner_key', '', '')`.execute(db);
}
