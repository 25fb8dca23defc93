import { type Kysely, sql } from 'kysely';

/** A calculation of very many deals continues where the transaction before it ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table calculation_requests
      -- the days before from_day in its attainment period have been calculated
      add column continues boolean not null default false`.execute(db);
}
