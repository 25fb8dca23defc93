import { sql } from 'kysely';
import { type Transaction } from './unit-of-work.js';

/**
 * Makes PostgreSQL plan the foreign key checks of this transaction again; call it before a bulk insert. A connection
 * caches the plan of a check. A plan made while the referenced table had few rows scans all of them for every
 * inserted row: ten thousand rows took ten seconds.
 */
export async function forceCustomPlans(tx: Transaction): Promise<void> {
  await sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(tx.db);
}
