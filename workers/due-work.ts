import { type RawBuilder, sql } from 'kysely';
import { type Database } from '#src/platform/database/pool.js';

/** Work of one kind that is stored in the database. */
export interface StoredWork {
  /** Selects rows while work is due. */
  due(): RawBuilder<unknown>;
  /** Does what is due. */
  wake(): void;
}

/**
 * Wakes the kinds of work that are due: one statement asks for all of them, so that a service without work sends one
 * statement a second, and not one for each kind.
 */
export async function wakeDueWork(database: Database, kinds: readonly StoredWork[]): Promise<void> {
  const isDue = kinds.map((kind) => sql`exists (${kind.due()})`);
  const { rows } = await sql<{ due: boolean[] }>`select array[${sql.join(isDue)}] as due`.execute(database);
  for (const [index, kind] of kinds.entries()) if (rows[0]?.due[index] === true) kind.wake();
}
