import { type Work } from '../platform/database/unit-of-work.js';
import { readLedgerLines } from './ledger-lines.js';
import { hasRequests } from './pending-calculation.js';
import { contentHash, snapshotOf } from './snapshot.js';
import { type StatementContent, type StatementHead, type StatementKey, type StatementState } from './statement.js';

/** Whether a stored draft still equals the ledger, and whether calculations of the rep are outstanding. */
export async function stateOf(
  trx: Work,
  key: StatementKey,
  head: StatementHead | null,
  content: StatementContent,
  currency: string,
): Promise<StatementState> {
  const pending = await hasRequests(trx, key);
  return { ...(await stalenessOf(trx, key, head, content, currency)), ...(pending ? { pending } : {}) };
}

async function stalenessOf(
  trx: Work,
  key: StatementKey,
  head: StatementHead | null,
  content: StatementContent,
  currency: string,
): Promise<StatementState> {
  if (head?.status !== 'draft') return {};
  const live = snapshotOf(await readLedgerLines(trx, key), currency);
  if (contentHash(live) === content.contentHash) return {};
  return { stale: true, liveNetPayout: Number(live.summary.netPayout) };
}
