import { sql } from 'kysely';
import { type Clock } from '../../kernel/clock.js';
import { type Day, dayInZone, mondayOf } from '../../kernel/day.js';
import { periodRange, toPeriod } from '../../kernel/period.js';
import { listPersonalKeys } from '../../people/reps/left-behind.js';
import { findPeopleBelow } from '../../people/reps/rep-views.js';
import { forEachWorkspace } from '../../platform/database/each-workspace.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Log } from '../../platform/log.js';
import { nameInMail } from '../../platform/mail/mail.js';
import { type Notification, type Notifications } from './notifications.js';

interface Due {
  readonly workspaceId: string;
  readonly timezone: string;
  readonly digestOf: Day | null;
}

/**
 * Sends every manager and admin a summary on Mondays, in the workspace's time zone: what the people below them, or
 * everyone, earned in the month, and what needs attention. Several processes may run it: one of them marks the week.
 */
export class WeeklyDigest {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly notifications: Pick<Notifications, 'post' | 'isEnabled'>,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  async run(stopping?: AbortSignal): Promise<void> {
    const { unitOfWork, log } = this;
    const loop = { unitOfWork, log, failure: 'a weekly digest could not be made', stopping };
    const due = await unitOfWork.withoutWorkspace((tx) => this.due(tx));
    await forEachWorkspace(due, loop, async ({ workspaceId, timezone, digestOf }) => {
      const today = dayInZone(this.clock.now(), timezone);
      if (mondayOf(today) !== today || digestOf === today) return;
      await unitOfWork.write({ workspaceId }, (tx) => this.send(tx, today));
    });
  }

  /** Nothing is due without a mail server. */
  private async due(tx: Pick<Transaction, 'db'>): Promise<readonly Due[]> {
    if (!(await this.notifications.isEnabled(tx))) return [];
    const { rows } = await sql<Due>`
      select workspace_id as "workspaceId", timezone, digest_of as "digestOf"
      from workspaces_with_managers()`.execute(tx.db);
    return rows;
  }

  private async send(tx: Transaction, today: Day): Promise<void> {
    const { numUpdatedRows } = await tx.db
      .updateTable('workspaces')
      .set({ digest_of: today })
      .where('workspace_id', '=', tx.workspaceId)
      .where(sql<boolean>`digest_of is distinct from ${today}::date`)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    const managers = await tx.db
      .selectFrom('reps')
      .select(['rep_id', 'role'])
      .where('workspace_id', '=', tx.workspaceId)
      .where('active', '=', true)
      .where('role', 'in', ['manager', 'admin'])
      .execute();
    const keys = await listKeysOfFormerAdmins(tx);
    const digests: Notification[] = [];
    for (const { rep_id: repId, role } of managers) {
      const team = role === 'admin' ? null : await findPeopleBelow(tx, repId);
      const digest = await buildDigest(tx, repId, team, toPeriod(today, 'monthly'));
      digests.push(role === 'admin' ? { ...digest, paragraphs: [...digest.paragraphs, ...keys] } : digest);
    }
    await this.notifications.post(tx, digests);
  }
}

/** Keys and scheduled imports go on when their creator is no admin any more, so admins are reminded of them. */
async function listKeysOfFormerAdmins(tx: Transaction): Promise<string[]> {
  const all = await listPersonalKeys(tx, null);
  const imports = all.filter(({ kind }) => kind === 'scheduled_import');
  const keys = all.filter(({ kind }) => kind !== 'scheduled_import');
  const namesOf = (listed: typeof all) => listed.map(({ name }) => nameInMail(name)).join(', ');
  const ofKeys = `API keys of people who are no admins any more: ${namesOf(keys)}. Revoke or replace those that are not needed.`;
  const ofImports = `Scheduled imports that were confirmed by people who are no admins any more: ${namesOf(imports)}. Delete those that are not needed.`;
  return [...(keys.length === 0 ? [] : [ofKeys]), ...(imports.length === 0 ? [] : [ofImports])];
}

/** The digest of one manager about the reps; null for everyone. */
async function buildDigest(
  tx: Transaction,
  repId: string,
  repIds: readonly string[] | null,
  period: string,
): Promise<Notification> {
  const ofTeam = repIds === null ? sql`` : sql`and rep_id = any(${repIds}::uuid[])`;
  const { from, to } = periodRange(period);
  const { rows: earned } = await sql<{ currency: string; total: string }>`
    select currency, sum(commission + bonus + adjustments)::text as total from rep_months
    where workspace_id = ${tx.workspaceId} and month between ${from}::date and ${to}::date ${ofTeam}
    group by currency order by currency`.execute(tx.db);
  const { rows: counts } = await sql<{ drafts: number; disputes: number }>`
    select
      (select count(*)::int from statement_periods where workspace_id = ${tx.workspaceId} and status = 'draft' ${ofTeam}) as drafts,
      (select count(*)::int from disputes where workspace_id = ${tx.workspaceId} and status in ('open', 'in_review')
        ${ofTeam}) as disputes`.execute(tx.db);
  const { drafts, disputes } = counts[0] ?? { drafts: 0, disputes: 0 };
  const totals = earned.map(({ currency, total }) => `${Number(total).toFixed(2)} ${currency}`).join(', ');
  return {
    kind: 'weekly_digest',
    to: { repId },
    subject: `Your team in ${period}`,
    paragraphs: [
      `Earned in ${period} so far: ${totals === '' ? 'nothing' : totals}.`,
      `Statements that are not approved: ${drafts}. Open disputes: ${disputes}.`,
    ],
    path: `/team?period=${period}`,
  };
}
