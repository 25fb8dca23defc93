import { type Kysely, sql } from 'kysely';

/** Scheduled imports of invoices. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table scheduled_imports
    drop constraint scheduled_imports_subject_check,
    add constraint scheduled_imports_subject_check
      check (subject in ('deals', 'people', 'quotas', 'invoices'))`.execute(db);
}
