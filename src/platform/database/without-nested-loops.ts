import { sql } from 'kysely';
import { inParallel } from '../../kernel/waiting.js';
import { type Transaction } from './unit-of-work.js';

/**
 * Runs statements that join rows of a table with rows that they are given. The planner has the number of given rows,
 * but believes that one row of the table matches where the table has no statistics of its content, and then joins by
 * comparing every row with every other: 80,000 rows took five minutes. A hash join takes time in proportion to the
 * rows, whatever the table holds. `cross join lateral` still uses an index for each row. `work` must send all its
 * statements without waiting for a result.
 */
export async function withoutNestedLoops<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
  const [, result] = await inParallel(
    () => allowNestedLoops(tx, 'off'),
    () => work(),
    () => allowNestedLoops(tx, 'on'),
  );
  return result;
}

async function allowNestedLoops(tx: Transaction, value: 'on' | 'off'): Promise<void> {
  await sql`select set_config('enable_nestloop', ${value}, true)`.execute(tx.db);
}
