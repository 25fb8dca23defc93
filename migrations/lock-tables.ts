import { type Kysely, sql } from 'kysely';

/**
 * Locks the tables for the migrations that run together, all at once or none. A migration that waits for one table while it
 * holds another would be in a deadlock with a process of the previous release that writes both. An attempt is over before
 * PostgreSQL looks for deadlocks, and delays requests by 300 ms. After two minutes of attempts the migration fails, for
 * example beside a long vacuum of one of the tables, and can be run again.
 */
export async function lockTables(db: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  await sql`
    do $$
    declare
      began timestamptz := clock_timestamp();
      before text := current_setting('lock_timeout');
    begin
      loop
        begin
          set local lock_timeout = '300ms';
          lock table ${sql.join(tables.map((table) => sql.table(table)))} in access exclusive mode;
          perform set_config('lock_timeout', before, true);
          return;
        exception when lock_not_available then
          if clock_timestamp() > began + interval '2 minutes' then
            raise;
          end if;
        end;
        perform pg_sleep(0.1 + random() * 0.4);
      end loop;
    end $$`.execute(db);
}
