import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = fileURLToPath(new URL('../../../deploy/postgres/partition-table.sql', import.meta.url));
const psql = '/usr/lib/postgresql/15/bin/psql';

/** The tables that are divided as docs/growing.md describes, and by which column. */
export const dividedTables = [
  ['commission_event_history', 'rep_id'],
  ['commission_events', 'rep_id'],
  ['audit_runs', 'workspace_id'],
  ['audit_entries', 'workspace_id'],
  ['deal_snapshots', 'workspace_id'],
  ['deals', 'workspace_id'],
] as const;

/** Divides the table into four. Returns false if psql is not installed. */
export async function divideTable(ownerUrl: string, [table, key]: (typeof dividedTables)[number]): Promise<boolean> {
  // The script divides by workspace unless a key is named.
  const values = [`table=${table}`, 'partitions=4', ...(key === 'workspace_id' ? [] : [`key=${key}`])];
  const options = [...['ON_ERROR_STOP=1', ...values].flatMap((value) => ['-v', value]), '-f', script];
  const run = promisify(execFile)(psql, [ownerUrl, '-X', '-q', ...options]);
  return run.then(
    () => true,
    (error: { readonly code: unknown }) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
