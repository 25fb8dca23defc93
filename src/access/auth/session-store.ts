import { sql } from 'kysely';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { insertToken } from '../../platform/secrets/token-store.js';
import { type SignInMethod } from './sign-in.js';

/** Maximum age of a session. find_tokens also ends sessions that were unused for 12 hours. */
const maxDays = 30;

/** Whether the rep is active. The row lock prevents deactivation before the transaction ends. */
export async function lockActiveRep(tx: Transaction, repId: string): Promise<boolean> {
  const { rows } = await sql`
    select from reps where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and active for share`.execute(tx.db);
  return rows.length > 0;
}

/** The link of the terminal proves access to the machine and not to the person's mailbox. */
export async function insertSession(
  tx: Transaction,
  repId: string,
  method: SignInMethod,
): Promise<{ sessionToken: string; expiresAt: Date }> {
  const { token: sessionToken, expiresAt } = await insertToken(tx, 'sess', {
    workspace_id: tx.workspaceId,
    rep_id: repId,
    expires_at: sql<Date>`now() + make_interval(days => ${maxDays})`,
    proved_at: method === 'start_link' ? null : sql<Date>`now()`,
  });
  return { sessionToken, expiresAt: expiresAt as Date };
}

/** Writes the audit entry of a sign-in or sign-out. */
export async function recordSessionEntry(
  tx: Transaction,
  repId: string,
  trigger: 'login' | 'logout',
  method?: SignInMethod,
): Promise<void> {
  await recordAuditEntry(
    tx,
    { actor: `rep:${repId}` },
    { trigger, scope: 'rep', repId, ...(method === undefined ? {} : { details: { method } }) },
  );
}
