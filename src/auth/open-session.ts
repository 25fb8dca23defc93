import { type Clock } from '../kernel/clock.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { acceptInvite } from '../reps/invite-reps.js';
import { type Rep } from '../reps/rep.js';
import { listReps, workspaceToday } from '../reps/rep-views.js';
import { insertSession, lockActiveRep, recordSessionEntry } from './session-store.js';
import { type Session, type SignIn, type SignInMethod } from './sign-in.js';

/** Opens a session; null if the rep was deactivated meanwhile. A first sign-in accepts the invitation. */
export async function openSession(
  trx: Work,
  { workspaceId, repId }: Pick<SignIn, 'workspaceId' | 'repId'>,
  method: SignInMethod,
  clock: Clock,
): Promise<Session | null> {
  if (!(await lockActiveRep(trx, workspaceId, repId))) return null;
  await acceptInvite(trx, workspaceId, repId);
  const { sessionToken, expiresAt } = await insertSession(trx, workspaceId, repId, method);
  await recordSessionEntry(trx, workspaceId, repId, 'login', method);
  const today = await workspaceToday(trx, workspaceId, clock);
  const [rep] = await listReps(trx, workspaceId, today, { repIds: [repId] });
  return { sessionToken, expiresAt: expiresAt.toISOString(), rep: rep as Rep };
}
