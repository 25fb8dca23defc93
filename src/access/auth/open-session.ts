import { type Clock } from '../../kernel/clock.js';
import { acceptInvite } from '../../people/reps/invite-reps.js';
import { type Rep } from '../../people/reps/rep.js';
import { listReps, workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { insertSession, lockActiveRep, recordSessionEntry } from './session-store.js';
import { type Session, type SignIn, type SignInMethod } from './sign-in.js';

/** Opens a session; null if the rep was deactivated meanwhile. A first sign-in accepts the invitation. */
export async function openSession(
  tx: Transaction,
  { repId }: Pick<SignIn, 'repId'>,
  method: SignInMethod,
  clock: Clock,
): Promise<Session | null> {
  if (!(await lockActiveRep(tx, repId))) return null;
  await acceptInvite(tx, repId);
  const { sessionToken, expiresAt } = await insertSession(tx, repId, method);
  await recordSessionEntry(tx, repId, 'login', method);
  const today = await workspaceToday(tx, clock);
  const [rep] = await listReps(tx, today, { repIds: [repId] });
  return { sessionToken, expiresAt: expiresAt.toISOString(), rep: rep as Rep };
}
