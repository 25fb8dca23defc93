import { isUuid } from '../kernel/ids.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { bodyOf, type Mail, oneLine } from '../platform/mail/mail.js';
import { type Outbox } from '../platform/mail/outbox.js';
import { findWorkspace } from '../workspaces/workspace-views.js';
import { countHeads, hasSeat } from './headcount.js';
import { lockPeople } from './lock-people.js';
import { isErased } from './pseudonym.js';
import { email } from './rep.js';
import { findRepsById, markInvited, type StoredRep } from './rep-store.js';

type InviteFailure = 'rep_not_found' | 'rep_limit_reached';

interface Invitations {
  readonly invited: readonly StoredRep[];
  readonly failed: readonly { readonly repId: string; readonly reason: InviteFailure }[];
  /** Mails to wake up after the commit. */
  readonly mailIds: readonly string[];
}

/** Invites the reps in the order requested, while seats of the tier are left: activates each and stores a mail. */
export async function inviteReps(
  trx: Work,
  outbox: Outbox,
  workspaceId: string,
  repIds: readonly string[],
  publicUrl: string | undefined,
): Promise<Invitations> {
  await lockPeople(trx, workspaceId);
  const requested = [...new Set(repIds.map((repId) => repId.toLowerCase()))];
  const stored = new Map(
    (await findRepsById(trx, workspaceId, requested.filter(isUuid))).map((one) => [one.repId, one] as const),
  );
  const heads = { ...(await countHeads(trx, workspaceId)) };
  const invited: StoredRep[] = [];
  const failed: { repId: string; reason: InviteFailure }[] = [];
  for (const repId of requested) {
    const rep = stored.get(repId);
    if (rep === undefined || isErased(rep.email) || !email.safeParse(rep.email).success)
      failed.push({ repId, reason: 'rep_not_found' });
    else if (!rep.active && !hasSeat(heads)) failed.push({ repId, reason: 'rep_limit_reached' });
    else {
      if (!rep.active) heads.reps += 1;
      invited.push(rep);
    }
  }
  await markInvited(
    trx,
    workspaceId,
    invited.map((rep) => rep.repId),
  );
  const { name: workspaceName } = await findWorkspace(trx, workspaceId);
  const mailIds: string[] = [];
  for (const { email: to, name } of invited)
    mailIds.push(await outbox.post(trx, inviteMail(to, { name, workspaceName, publicUrl })));
  return { invited, failed, mailIds };
}

/** The invitation: how to sign in, with a code that is sent to the same address. */
function inviteMail(
  to: string,
  { name, workspaceName, publicUrl }: { name: string; workspaceName: string; publicUrl: string | undefined },
): Mail {
  const workspace = oneLine(workspaceName);
  const where = publicUrl === undefined ? '' : ` at ${signInPage(publicUrl, to)}`;
  return {
    to,
    subject: `You are invited to ${workspace}`,
    ...bodyOf([
      `Hello ${oneLine(name)},`,
      `you are invited to see your commissions in ${workspace}.`,
      `Sign in${where} with this e-mail address. You need no password: a code is sent to you each time.`,
    ]),
  };
}

/** The sign-in page with the address filled in. The fragment is not sent to the server, so it is in no log. */
function signInPage(publicUrl: string, email: string): string {
  return `${publicUrl}/login#${new URLSearchParams({ email })}`;
}

/** Marks the invitation as accepted at the rep's first sign-in. */
export async function acceptInvite(trx: Work, workspaceId: string, repId: string): Promise<void> {
  await trx
    .updateTable('reps')
    .set({ invite_status: 'accepted' })
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .where('invite_status', '=', 'invited')
    .execute();
}
