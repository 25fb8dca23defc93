import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** What each import of a file has changed, so that it can be taken back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table imported_facts (
      workspace_id uuid not null references workspaces,
      -- the instant of the transaction, as its entry of the audit log has it
      imported_at timestamptz not null default now(),
      place integer not null,
      -- of the file
      row integer not null,
      rep_id uuid,
      before jsonb,
      after jsonb,
      primary key (workspace_id, imported_at, place),
      check (before is not null or after is not null)
    )`.execute(db);
  await tenantTable(db, 'imported_facts');
  await sql`
    create index imported_facts_of_reps on imported_facts (workspace_id, rep_id) where rep_id is not null`.execute(db);
  await deleteWithPerson(db);
}

/** The rows that say only what a person is go with the person, if an import that created the person is taken back. */
async function deleteWithPerson(db: Kysely<unknown>): Promise<void> {
  const tables = ['lanes', 'reporting_lines', 'employment_history', 'rep_pay_currencies', 'rep_pay_currency_history'];
  for (const table of tables) {
    const name = sql.ref(`${table}_workspace_id_rep_id_fkey`);
    await sql`
      alter table ${sql.table(table)} drop constraint ${name},
        add constraint ${name} foreign key (workspace_id, rep_id) references reps on delete cascade`.execute(db);
  }
}
