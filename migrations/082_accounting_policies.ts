import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** How the cost of obtaining contracts is treated. Versions never change, except that someone decides about them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_policies (
      workspace_id uuid not null references workspaces,
      name text not null check (length(name) between 1 and 100),
      version integer not null check (version > 0),
      -- {from, position, match, treatment, months, convention, expedientMonths}
      terms jsonb not null,
      status text not null check (status in ('proposed', 'approved', 'withdrawn')),
      proposed_by text not null,
      proposed_by_id uuid,
      proposed_at timestamptz not null,
      decided_by text,
      decided_at timestamptz,
      primary key (workspace_id, name, version),
      check ((status = 'proposed') = (decided_at is null))
    )`.execute(db);
  await tenantTable(db, 'accounting_policies');
}
