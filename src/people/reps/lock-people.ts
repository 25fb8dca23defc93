import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/**
 * Serializes changes of the people of a workspace, until the end of the transaction. Each takes this lock before it reads
 * the people and after the workspace lock, if it needs that. Calculations never take it, so a change of a role or of
 * `active`, which commission does not depend on, takes only this lock and waits for no calculation.
 */
export async function lockPeople(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`people:${tx.workspaceId}`}, 0))`.execute(tx.db);
}
