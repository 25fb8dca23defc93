import pg from 'pg';
import { query } from './ledger-checks.js';
import { until } from './until.js';

interface OpenTransaction {
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** Runs the statement as the owner of the tables in a separate transaction, which keeps its locks until it ends. */
export async function openTransaction(
  ownerUrl: string,
  statement: string,
  ...values: unknown[]
): Promise<OpenTransaction> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query('begin');
  await client.query(statement, values);
  const end = async (how: 'commit' | 'rollback') => {
    await client.query(how);
    await client.end();
  };
  return { commit: () => end('commit'), rollback: () => end('rollback') };
}

/** Resolves when a statement that contains the words waits for a lock. */
export async function untilBlocked(ownerUrl: string, text = ''): Promise<void> {
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0`;
  await until(async () => (await query(ownerUrl, waiting, [text])).length > 0, {
    what: `a statement waits for a lock: ${text}`,
  });
}
