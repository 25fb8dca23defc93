import { sql } from 'kysely';
import { type Work } from './unit-of-work.js';

/**
 * For a bulk insert with foreign keys. PostgreSQL keeps the plan of a check for the life of the connection, and one
 * made when the table referred to had few rows reads all of them, once for every row inserted: ten thousand rows took
 * ten seconds. So the checks of this transaction are planned anew.
 */
export async function forceCustomPlans(trx: Work): Promise<void> {
  await sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(trx);
}
