import { sql } from 'kysely';
import { type UnitOfWork } from '../platform/database/unit-of-work.js';

/** Max number of entries of one workspace that one run seals. */
const maxEntries = 5000;

/**
 * Records the repetitions of rejected calls in the minutes that have ended, and gives unsealed entries their position and hash in
 * the chain of their workspace. Several processes may run it.
 */
export async function sealAuditEntries(unitOfWork: UnitOfWork): Promise<void> {
  await unitOfWork.withoutWorkspace(async (tx) => {
    await sql`select record_repeated_rejections()`.execute(tx.db);
    await sql`select seal_audit_entries(${maxEntries})`.execute(tx.db);
  });
}
