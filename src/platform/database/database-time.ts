import { sql } from 'kysely';
import { type Work } from './unit-of-work.js';

/** The present time of the database, by which all processes order what they have read. */
export async function databaseTime(trx: Work): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(trx);
  return (rows[0] as { now: Date }).now;
}
