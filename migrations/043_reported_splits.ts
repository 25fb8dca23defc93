import { type Kysely, sql } from 'kysely';

/** The member of the CRM to whom it gives a line. The person is found when the lines that count are computed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deal_credits
      add column owner_id text check (length(owner_id) between 1 and 200),
      add check (owner_id is null or (source = 'crm' and rep_id is null))`.execute(db);
  // Whether a CRM has reported lines is read with every deal that is written.
  await sql`create index deal_credits_reported on deal_credits (workspace_id) where source = 'crm'`.execute(db);
}
