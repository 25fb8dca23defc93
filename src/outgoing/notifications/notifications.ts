import { sql } from 'kysely';
import { money } from '../../kernel/money-text.js';
import { mapInParallel } from '../../kernel/waiting.js';
import { type Config } from '../../platform/config.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { buildBody, nameInMail, toSingleLine } from '../../platform/mail/mail.js';
import { type MailServer } from '../../platform/mail/mail-server.js';
import { type Outbox } from '../../platform/mail/outbox.js';
import { type OutgoingEvent } from '../../platform/outbound/outgoing-event.js';
import { type NotificationKind } from './notification.js';

/** A mail to one rep, to a rep's manager (every admin if none is left), or to every admin. */
export interface Notification {
  readonly kind: NotificationKind;
  readonly to: { readonly repId: string } | { readonly managerOf: string } | 'admins';
  /** Ids of people who get no mail. */
  readonly except?: readonly string[];
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The page of the web app that shows the subject. */
  readonly path: string;
}

/**
 * Mails about changes, stored in the transaction of the change. Nothing is stored without a mail server, and nothing for
 * people who have turned the kind off. The sweep sends them within seconds.
 */
export class Notifications {
  private readonly base: string | null;

  constructor(
    private readonly outbox: Pick<Outbox, 'post'>,
    private readonly server: Pick<MailServer, 'isSetUp'>,
    { PUBLIC_URL: base }: Pick<Config, 'PUBLIC_URL'>,
  ) {
    this.base = base ?? null;
  }

  isEnabled(tx: Pick<Transaction, 'db'>): Promise<boolean> {
    return this.server.isSetUp(tx);
  }

  /** Stores the mails that belong to the events. */
  async send(tx: Transaction, events: readonly OutgoingEvent[]): Promise<void> {
    await this.post(
      tx,
      events
        .flatMap((event) => [toNotification(event), ...toDisputeNotifications(event)])
        .filter((notification) => notification !== null),
    );
  }

  async endpointDisabled(tx: Transaction, host: string, reason: string): Promise<void> {
    const disabled: Notification = {
      kind: 'connection_broken',
      to: 'admins',
      subject: `The webhook endpoint at ${host} was disabled`,
      paragraphs: [
        reason,
        'No events are sent to it until an admin enables it. Undelivered events are then sent first; events that occur in the meantime are not sent.',
      ],
      path: '/endpoints',
    };
    await this.post(tx, [disabled]);
  }

  async syncGivenUp(tx: Transaction, provider: string, reason: string): Promise<void> {
    const givenUp: Notification = {
      kind: 'connection_broken',
      to: 'admins',
      subject: `The sync of ${provider} failed for a day and was given up`,
      paragraphs: [
        `The last error was: ${reason}`,
        'Deals that were imported stay. Start the sync again when the cause is removed.',
      ],
      path: '/connections',
    };
    await this.post(tx, [givenUp]);
  }

  async post(tx: Transaction, notifications: readonly Notification[]): Promise<void> {
    if (notifications.length === 0 || !(await this.isEnabled(tx))) return;
    const recipients = await loadRecipients(tx, notifications);
    for (const notification of notifications)
      await mapInParallel(selectRecipients(recipients, notification), (recipient) =>
        this.outbox.post(tx, this.toMail(recipient, notification)),
      );
  }

  private toMail({ email, workspace }: Recipient, { subject, paragraphs, path }: Notification) {
    const links =
      this.base === null ? [] : [`${this.base}${path}`, `Choose which mails you receive: ${this.base}/me/mail`];
    return {
      to: email,
      subject: toSingleLine(`${nameInMail(workspace)}: ${subject}`),
      ...buildBody([...paragraphs, ...links]),
    };
  }
}

interface Recipient {
  readonly repId: string;
  readonly email: string;
  readonly isAdmin: boolean;
  /** The reps of `managerOf` whom the person manages today. */
  readonly manages: readonly string[];
  readonly optOuts: readonly string[];
  readonly workspace: string;
}

async function loadRecipients(tx: Transaction, notifications: readonly Notification[]): Promise<readonly Recipient[]> {
  const repIds = notifications.flatMap(({ to }) => (to !== 'admins' && 'repId' in to ? [to.repId] : []));
  const managed = notifications.flatMap(({ to }) => (to !== 'admins' && 'managerOf' in to ? [to.managerOf] : []));
  const { rows } = await sql<Recipient>`
    select r.rep_id as "repId", r.email, r.role = 'admin' as "isAdmin", m.manages, r.mail_opt_outs as "optOuts",
      w.name as workspace
    from reps r join workspaces w on w.workspace_id = r.workspace_id
    cross join lateral (
      select array(
        select l.rep_id::text from reporting_lines l
        where l.workspace_id = r.workspace_id and l.manager_id = r.rep_id and l.rep_id = any(${managed}::uuid[])
          and (now() at time zone known_zone(w.timezone))::date between l.from_day and coalesce(l.to_day, 'infinity')
          and r.role in ('manager', 'admin')) as manages
    ) m
    where r.workspace_id = ${tx.workspaceId} and r.active
      and (r.role = 'admin' or r.rep_id = any(${repIds}::uuid[]) or cardinality(m.manages) > 0)`.execute(tx.db);
  return rows;
}

function selectRecipients(people: readonly Recipient[], { to, kind, except = [] }: Notification): readonly Recipient[] {
  const others = people.filter(({ repId }) => !except.includes(repId));
  return selectAddressed(others, to).filter(({ optOuts }) => !optOuts.includes(kind));
}

function selectAddressed(people: readonly Recipient[], to: Notification['to']): readonly Recipient[] {
  const admins = people.filter(({ isAdmin }) => isAdmin);
  if (to === 'admins') return admins;
  if ('repId' in to) return people.filter(({ repId }) => repId === to.repId);
  const managers = people.filter(({ manages }) => manages.includes(to.managerOf));
  return managers.length === 0 ? admins : managers;
}

const aboutSecondStep =
  'Unless the company lets one person do both steps, an admin who has not done the first one does the second.';

/** What waits for a second person, by the event of the first step. */
const waitingInBooks = {
  'accounting.month_prepared': (field: (name: string) => string) => `The books of ${field('month')} are prepared`,
  'accounting.reopening_requested': (field: (name: string) => string) => `${field('month')} is to be reopened`,
  'accounting.policy_proposed': () => 'A policy of capitalised cost is proposed',
  'accounting.write_off_proposed': () => 'A debt is to be written off',
};

/** The mail that belongs to the event, if it is about no dispute; null if none does. */
function toNotification({ type, repId, doneBy = [], data }: OutgoingEvent): Notification | null {
  const field = (name: string) => String(data[name]);
  if (type === 'crm.connection_broken' || type === 'crm.connection_recovered')
    return connectionNotification(field('provider'), type === 'crm.connection_broken' ? field('reason') : null);
  const waiting = waitingInBooks[type as keyof typeof waitingInBooks];
  if (waiting !== undefined)
    return {
      kind: 'books_waiting',
      to: 'admins',
      except: doneBy,
      subject: waiting(field),
      paragraphs: [aboutSecondStep],
      path: '/month-end',
    };
  if (repId === undefined) return null;
  const period = field('period');
  const about = { to: { repId }, path: `/statements/${repId}?period=${period}` };
  if (type === 'statement.generated' && data['version'] === 1 && data['status'] === 'draft')
    return {
      ...about,
      kind: 'statement_ready',
      subject: `Your statement for ${period} is ready`,
      paragraphs: [
        `Your commission statement for ${period} was generated. It is a draft until it is approved.`,
        ...describePays(data['pays']),
      ],
    };
  if (type === 'statement.approved')
    return {
      ...about,
      kind: 'statement_approved',
      subject: `Your statement for ${period} was approved`,
      paragraphs: [`Your commission statement for ${period} was approved.`, ...describePays(data['pays'])],
    };
  if (type === 'plan.acceptance_requested')
    return {
      kind: 'plan_acceptance',
      to: { repId },
      path: '/me/plan',
      subject: 'A plan waits for your acceptance',
      paragraphs: ['Read the plan, your own terms and the worked amounts, and accept it or say why not.'],
    };
  if (type === 'plan.declined')
    return {
      kind: 'plan_acceptance',
      to: 'admins',
      path: `/plans/${field('planId')}`,
      subject: 'A person has declined a plan',
      paragraphs: ['The page of the plan says who, and why.'],
    };
  return null;
}

/** The mails about a dispute: to who may decide it, and about the answer to the rep and to another person who opened it. */
function toDisputeNotifications({ type, repId, doneBy = [], openedBy = null, data }: OutgoingEvent): Notification[] {
  if (repId === undefined) return [];
  const { period, disputeId, status } = data;
  const path = `/questions/${disputeId}`;
  if (type === 'dispute.opened')
    return [
      {
        kind: 'question_asked',
        to: { managerOf: repId },
        // Neither the rep nor who opened it decides it.
        except: [...doneBy, repId],
        subject: `A question about ${period} waits for you`,
        paragraphs: [`A dispute about the commission of a person of your team for ${period} was opened.`],
        path,
      },
    ];
  if (type !== 'dispute.resolved' || status === 'withdrawn') return [];
  const answered = { kind: 'dispute_answered', path } as const;
  const isOfOther = openedBy !== null && openedBy !== repId;
  const toRep: Notification = {
    ...answered,
    to: { repId },
    subject: `${isOfOther ? 'The' : 'Your'} dispute about ${period} was ${status}`,
    paragraphs: [`${isOfOther ? 'The' : 'Your'} dispute about your commission for ${period} was ${status}.`],
  };
  if (!isOfOther) return [toRep];
  const toOpener: Notification = {
    ...answered,
    to: { repId: openedBy },
    subject: `The dispute about ${period} that you opened was ${status}`,
    paragraphs: [`The dispute about the commission of another person for ${period} that you opened was ${status}.`],
  };
  return [toRep, toOpener];
}

/** What the statement pays; nothing without payouts, and while an exchange rate is missing. */
function describePays(pays: unknown): readonly string[] {
  const amounts = (pays ?? []) as readonly { readonly currency: string; readonly amount: number | null }[];
  if (amounts.length === 0 || amounts.some(({ amount }) => amount === null)) return [];
  const words = amounts.map(({ currency, amount }) => `${currency} ${money(String(amount), currency)}`);
  return [`It pays ${words.join(' and ')}.`];
}

/** The mail about a connection to a CRM that broke, with the reason, or that works again. */
function connectionNotification(provider: string, reason: string | null): Notification {
  const toAdmins = { kind: 'connection_broken', to: 'admins', path: '/connections' } as const;
  if (reason === null)
    return {
      ...toAdmins,
      subject: `The connection to ${provider} works again`,
      paragraphs: [`${provider} accepts the credentials again. The next sync reads what has changed in the meantime.`],
    };
  return {
    ...toAdmins,
    subject: `The connection to ${provider} does not work`,
    paragraphs: [
      `${provider} rejected the stored credentials: ${reason}`,
      'No deals are synchronized until an admin connects it again.',
    ],
  };
}
