import { query } from './ledger-checks.js';
import { until } from './until.js';

const waiting = `select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`;

/** Resolves when a statement in the database waits for a lock of another transaction. */
export async function untilBlocked(ownerUrl: string): Promise<void> {
  await until(async () => (await query(ownerUrl, waiting)).length > 0, { what: 'a statement that waits for a lock' });
}
