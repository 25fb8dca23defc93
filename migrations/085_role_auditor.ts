import { type Kysely, sql } from 'kysely';

/** The role of people who read everything and change nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table reps drop constraint reps_role_check,
      add constraint reps_role_check check (role in ('admin', 'manager', 'payroll', 'finance', 'auditor', 'rep'))`.execute(
    db,
  );
}
