import { sql } from 'kysely';
import { type Transaction } from './unit-of-work.js';

/** The present time of the database, by which all processes order what they have read. */
export async function readDatabaseTime(tx: Transaction): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx.db);
  return (rows[0] as { now: Date }).now;
}
