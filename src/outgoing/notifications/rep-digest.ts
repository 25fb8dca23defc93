import { sql } from 'kysely';
import { isQuiet, type StoredRepDigest } from '../../access/workspaces/rep-digest.js';
import { type Clock } from '../../kernel/clock.js';
import { type Day, dayInZone, mondayOf } from '../../kernel/day.js';
import { timeInZone } from '../../kernel/time-zone.js';
import { forEachWorkspace } from '../../platform/database/each-workspace.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Log } from '../../platform/log.js';
import { type NotificationKind } from './notification.js';
import { type Notifications } from './notifications.js';
import { type ReadPages } from './pages-of-person.js';
import { describePages } from './rep-digest-text.js';

const kind: NotificationKind = 'pay_digest';
const weekMs = 7 * 86_400_000;

interface Sending {
  readonly workspaceId: string;
  readonly timezone: string;
  readonly setting: StoredRepDigest;
}

interface Person {
  readonly repId: string;
  /** Until when the changes of the last mail were; null if there was none. */
  readonly until: Date | null;
}

/**
 * Sends people a mail about their own pay once a week: on Mondays when the quiet hours of the workspace end, and later in
 * the week if no worker ran then. The row of the week is written with the mail, in one transaction, so that of several runs
 * one sends it.
 */
export class RepDigest {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly notifications: Pick<Notifications, 'post' | 'isEnabled'>,
    private readonly readPages: ReadPages,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  async run(stopping?: AbortSignal): Promise<void> {
    const { unitOfWork, log } = this;
    const loop = { unitOfWork, log, failure: 'weekly mails could not be made', stopping };
    const all = await unitOfWork.withoutWorkspace((tx) => this.listSending(tx));
    await forEachWorkspace(all, loop, async (sending) => {
      const { workspaceId } = sending;
      const week = this.findWeek(sending);
      if (week === null) return;
      for (const person of await unitOfWork.read({ workspaceId }, (tx) => listDue(tx, week))) {
        if (stopping?.aborted === true || this.findWeek(sending) !== week) break;
        // The others get theirs, and this person with the next run.
        await this.send(workspaceId, person, week, sending.timezone).catch((error: unknown) =>
          log.warn({ err: error, workspaceId, repId: person.repId }, 'a weekly mail could not be made'),
        );
      }
    });
  }

  /** Nothing is sent without a mail server. */
  private async listSending(tx: Pick<Transaction, 'db'>): Promise<readonly Sending[]> {
    if (!(await this.notifications.isEnabled(tx))) return [];
    const { rows } = await sql<Sending>`
      select workspace_id as "workspaceId", timezone, rep_digest as setting
      from workspaces_with_rep_digests()`.execute(tx.db);
    return rows;
  }

  /** The Monday of the week whose mails may be sent now; null in quiet hours and before the first Monday. */
  private findWeek({ timezone, setting: { from, quietHours } }: Sending): Day | null {
    const now = this.clock.now();
    const week = mondayOf(dayInZone(now, timezone));
    return week < from || isQuiet(timeInZone(now, timezone), quietHours) ? null : week;
  }

  private async send(workspaceId: string, { repId, until }: Person, week: Day, timezone: string): Promise<void> {
    const now = this.clock.now();
    const since = until ?? new Date(now.getTime() - weekMs);
    const pages = await this.readPages(workspaceId, repId, since);
    const paragraphs = describePages(pages, dayInZone(since, timezone));
    await this.unitOfWork.write({ workspaceId }, async (tx) => {
      if (!(await markWeek(tx, repId, week, now)) || paragraphs === null) return;
      const { period } = pages.dashboard;
      const mail = { kind, to: { repId }, subject: 'Your pay this week', paragraphs, path: `/me?period=${period}` };
      await this.notifications.post(tx, [mail]);
    });
  }
}

/** The people without a mail of the week, except those who have turned it off. */
async function listDue(tx: Transaction, week: Day): Promise<readonly Person[]> {
  const { rows } = await sql<Person>`
    select r.rep_id as "repId", d.until
    from reps r left join rep_digests d on d.workspace_id = r.workspace_id and d.rep_id = r.rep_id
    where r.workspace_id = ${tx.workspaceId} and r.active and r.role in ('rep', 'manager', 'admin')
      and ${kind} <> all(r.mail_opt_outs) and coalesce(d.week, '-infinity') < ${week}::date
    order by r.rep_id`.execute(tx.db);
  return rows;
}

/** Whether no other run has marked the week of the person. */
async function markWeek(tx: Transaction, repId: string, week: Day, until: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into rep_digests as d (workspace_id, rep_id, week, until)
    values (${tx.workspaceId}, ${repId}, ${week}::date, ${until})
    on conflict (workspace_id, rep_id) do update set week = excluded.week, until = excluded.until
    where d.week < excluded.week`.execute(tx.db);
  return numAffectedRows === 1n;
}
