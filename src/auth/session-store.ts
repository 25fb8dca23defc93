import { sql } from 'kysely';
import { recordAuditEntry } from '../audit/audit-entry.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { insertToken } from '../platform/secrets/token-store.js';
import { type SignInMethod } from './sign-in.js';

/** Maximum age of a session. find_tokens also ends sessions that were unused for 12 hours. */
const maxDays = 30;

/** Whether the rep is active. The row lock prevents deactivation before the transaction ends. */
export async function lockActiveRep(trx: Work, workspaceId: string, repId: string): Promise<boolean> {
  const { rows } = await sql`
    select from reps where workspace_id = ${workspaceId} and rep_id = ${repId} and active for share`.execute(trx);
  return rows.length > 0;
}

/** The link of the terminal proves access to the machine and not to the person's mailbox. */
export async function insertSession(
  trx: Work,
  workspaceId: string,
  repId: string,
  method: SignInMethod,
): Promise<{ sessionToken: string; expiresAt: Date }> {
  const { token: sessionToken, expiresAt } = await insertToken(trx, 'sess', {
    workspace_id: workspaceId,
    rep_id: repId,
    expires_at: sql<Date>`now() + make_interval(days => ${maxDays})`,
    proved_at: method === 'start_link' ? null : sql<Date>`now()`,
  });
  return { sessionToken, expiresAt: expiresAt as Date };
}

/** Writes the audit entry of a sign-in or sign-out. */
export async function recordSessionEntry(
  trx: Work,
  workspaceId: string,
  repId: string,
  trigger: 'login' | 'logout',
  method?: SignInMethod,
): Promise<void> {
  await recordAuditEntry(
    trx,
    { workspaceId, actor: `rep:${repId}` },
    { trigger, scope: 'rep', repId, ...(method === undefined ? {} : { details: { method } }) },
  );
}
