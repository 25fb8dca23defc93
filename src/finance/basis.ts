import { type Day } from '../kernel/day.js';
import { readCacheVersions } from '../platform/database/cache-versions.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** Changes with everything that the books depend on. */
export async function readBasis(tx: Transaction, today: Day): Promise<string> {
  return `${today} ${await readCacheVersions(tx.db, tx.workspaceId)}`;
}
