import { type Work } from '../platform/database/unit-of-work.js';
import { readLedgerLines } from './ledger-lines.js';
import { snapshotOf } from './snapshot.js';
import { type StatementContent, type StatementKey } from './statement.js';
import { type Generation, insertVersion } from './statement-store.js';

/** Writes the ledger as it stands as the statement's next version. The caller holds the rep's lane. */
export async function generateVersion(
  trx: Work,
  key: StatementKey,
  currency: string,
  generation: Generation,
): Promise<StatementContent & { readonly statementId: string }> {
  return insertVersion(trx, key, snapshotOf(await readLedgerLines(trx, key), currency), generation);
}
