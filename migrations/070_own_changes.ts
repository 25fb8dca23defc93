import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** What people have changed that decides their own pay, for those who approve it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table own_changes (
      workspace_id uuid not null,
      rep_id uuid not null,
      operation text not null,
      -- '' for a change of no single deal
      deal_id text not null,
      -- the days of all changes of this operation and deal
      from_day date not null,
      to_day date not null,
      -- who and when at last
      actor text not null,
      changed_at timestamptz not null default now(),
      primary key (workspace_id, rep_id, operation, deal_id)
    )`.execute(db);
  await tenantTable(db, 'own_changes');
}
