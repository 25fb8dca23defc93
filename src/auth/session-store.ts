import { sql } from 'kysely';
import { type Caller } from '../kernel/caller.js';
import { newId } from '../kernel/ids.js';
import { recordAuditEntry } from '../ledger/audit-entry.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { newToken, tokenHash } from '../platform/secrets/token.js';
import { type SignInMethod } from './sign-in.js';

/** Maximum age of a session. find_tokens also ends sessions that were unused for 12 hours. */
const maxDays = 30;

/** Whether the rep is active. The row lock prevents deactivation before the transaction ends. */
export async function lockActiveRep(trx: Work, workspaceId: string, repId: string): Promise<boolean> {
  const rep = await trx
    .selectFrom('reps')
    .select('rep_id')
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .where('active', '=', true)
    .forShare()
    .executeTakeFirst();
  return rep !== undefined;
}

/** The link of the terminal proves access to the machine and not to the person's mailbox. */
export async function insertSession(
  trx: Work,
  workspaceId: string,
  repId: string,
  method: SignInMethod,
): Promise<{ sessionToken: string; expiresAt: Date }> {
  const sessionToken = newToken('sess');
  const { expires_at: expiresAt } = await trx
    .insertInto('tokens')
    .values({
      workspace_id: workspaceId,
      token_id: newId(),
      kind: 'sess',
      token_hash: tokenHash(sessionToken) as Buffer,
      rep_id: repId,
      label: null,
      expires_at: sql<Date>`now() + make_interval(days => ${maxDays})`,
      proved_at: method === 'start_link' ? null : sql<Date>`now()`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return { sessionToken, expiresAt: expiresAt as Date };
}

/** Ends the caller's session. */
export async function endSession(trx: Work, caller: Caller): Promise<void> {
  await trx
    .deleteFrom('tokens')
    .where('workspace_id', '=', caller.workspaceId)
    .where('token_id', '=', caller.tokenId ?? null)
    .where('kind', '=', 'sess')
    .execute();
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
