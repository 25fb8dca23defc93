import { createHash } from 'node:crypto';
import { findWorkspace } from '../../access/workspaces/workspace-views.js';
import { isUuid } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { countUses, loadSecondsUntilUse, recordUses, type UseLimit } from '../../platform/limits/use-limits.js';
import { buildBody, type Mail, nameInMail } from '../../platform/mail/mail.js';
import { type Outbox } from '../../platform/mail/outbox.js';
import { countHeads, hasSeat } from './headcount.js';
import { lockPeople } from './lock-people.js';
import { isErased } from './pseudonym.js';
import { email } from './rep.js';
import { findRepsById, markInvited, recordInviteMails, type StoredRep } from './rep-store.js';

export const inviteFailures = [
  'rep_not_found',
  'rep_limit_reached',
  'invited_too_often',
  'daily_limit_reached',
] as const;
export type InviteFailure = (typeof inviteFailures)[number];

const hour = 3600;
const day = 24 * hour;
/** Within an hour the address has the same mail already. */
const hourlyMails: UseLimit = { uses: 1, seconds: hour };
const dailyMails: UseLimit = { uses: 5, seconds: day };
/** Mails of one workspace in a day, to all addresses. */
const maxDailyMails = 1000;

interface Invitations {
  readonly invited: readonly StoredRep[];
  readonly failed: readonly { readonly repId: string; readonly reason: InviteFailure }[];
  /** Mails to wake up after the commit. */
  readonly mailIds: readonly string[];
}

/**
 * Invites the reps in the order requested, while seats of the tier are left: activates each and stores a mail. An
 * address that got the mail within the last hour gets no second one.
 */
export async function inviteReps(
  tx: Transaction,
  outbox: Outbox,
  repIds: readonly string[],
  publicUrl: string | undefined,
): Promise<Invitations> {
  await lockPeople(tx);
  const requested = [...new Set(repIds.map((repId) => repId.toLowerCase()))];
  const found = await findRepsById(tx, requested.filter(isUuid));
  const stored = new Map(found.map((rep) => [rep.repId, rep] as const));
  const heads = { ...(await countHeads(tx)) };
  const mails = await loadMailLimits(tx, found);
  const invited: StoredRep[] = [];
  const failed: { repId: string; reason: InviteFailure }[] = [];
  for (const repId of requested) {
    const rep = stored.get(repId);
    const problem = findProblem(rep, hasSeat(heads), mails);
    if (rep === undefined || problem !== null) failed.push({ repId, reason: problem ?? 'rep_not_found' });
    else {
      if (!rep.active) heads.reps += 1;
      mails.admit(rep);
      invited.push(rep);
    }
  }
  await markInvited(
    tx,
    invited.map((rep) => rep.repId),
  );
  const posted = await postMails(tx, outbox, mails.admitted, publicUrl);
  await recordInviteMails(tx, posted);
  return { invited, failed, mailIds: [...posted.values()] };
}

function findProblem(rep: StoredRep | undefined, isSeatFree: boolean, mails: MailLimits): InviteFailure | null {
  if (rep === undefined || isErased(rep.email) || !email.safeParse(rep.email).success) return 'rep_not_found';
  if (!rep.active && !isSeatFree) return 'rep_limit_reached';
  return mails.findProblem(rep);
}

/** The kind of use that invitations are counted as. */
const invitation = 'invitation';

/** Addresses are counted as hashes, so that none stays after its person was erased. */
function hashAddress(address: string): string {
  return createHash('sha256').update(address.toLowerCase()).digest('hex');
}

/** Which of the reps may get a mail now. People are locked, so no other invitation is counted meanwhile. */
async function loadMailLimits(tx: Transaction, reps: readonly StoredRep[]): Promise<MailLimits> {
  const addresses = reps.map((rep) => hashAddress(rep.email));
  return new MailLimits(
    await loadSecondsUntilUse(tx, invitation, addresses, hourlyMails),
    await loadSecondsUntilUse(tx, invitation, addresses, dailyMails),
    maxDailyMails - (await countUses(tx, invitation, day)),
  );
}

class MailLimits {
  readonly admitted: StoredRep[] = [];

  constructor(
    private readonly recent: ReadonlyMap<string, number>,
    private readonly exhausted: ReadonlyMap<string, number>,
    private readonly leftToday: number,
  ) {}

  findProblem(rep: StoredRep): InviteFailure | null {
    if (this.hasRecentMail(rep)) return null;
    if (this.exhausted.has(hashAddress(rep.email))) return 'invited_too_often';
    return this.admitted.length < this.leftToday ? null : 'daily_limit_reached';
  }

  admit(rep: StoredRep): void {
    if (!this.hasRecentMail(rep)) this.admitted.push(rep);
  }

  private hasRecentMail({ email: address }: StoredRep): boolean {
    return this.recent.has(hashAddress(address));
  }
}

/** Returns the id of each rep's mail. */
async function postMails(
  tx: Transaction,
  outbox: Outbox,
  reps: readonly StoredRep[],
  publicUrl: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  await recordUses(
    tx,
    invitation,
    reps.map((rep) => hashAddress(rep.email)),
  );
  const { name: workspaceName } = await findWorkspace(tx);
  const mailIds = new Map<string, string>();
  for (const { repId, email: to, name } of reps)
    mailIds.set(repId, await outbox.post(tx, inviteMail(to, { name, workspaceName, publicUrl })));
  return mailIds;
}

/** The invitation: how to sign in, with a code that is sent to the same address. */
function inviteMail(
  to: string,
  { name, workspaceName, publicUrl }: { name: string; workspaceName: string; publicUrl: string | undefined },
): Mail {
  const workspace = nameInMail(workspaceName) || 'a workspace';
  const person = nameInMail(name);
  const where = publicUrl === undefined ? '' : ` at ${signInPage(publicUrl, to)}`;
  return {
    to,
    subject: `You are invited to ${workspace}`,
    ...buildBody([
      person === '' ? 'Hello,' : `Hello ${person},`,
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
export async function acceptInvite(tx: Transaction, repId: string): Promise<void> {
  await tx.db
    .updateTable('reps')
    .set({ invite_status: 'accepted' })
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('invite_status', '=', 'invited')
    .execute();
}
