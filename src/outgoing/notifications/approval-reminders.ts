import { sql } from 'kysely';
import { type Clock } from '../../kernel/clock.js';
import { currentDay, type Day } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { forEachWorkspace } from '../../platform/database/each-workspace.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Log } from '../../platform/log.js';
import { recordEvents } from '../../platform/outbound/outgoing-events.js';
import { findOverdue, type OverdueStep, recordEscalations } from '../../statements/approvals/overdue-steps.js';
import { type Notification, type Notifications } from './notifications.js';

interface Due {
  readonly workspaceId: string;
  readonly timeZone: string;
  readonly testDay: Day | null;
  readonly remindedOn: Day | null;
}

/**
 * Looks for overdue steps once a day, in the zone of the workspace: records consents without an answer and escalations, and
 * reminds the signers with one mail to each person and one event for each statement. Several processes may run it: one of
 * them marks the day.
 */
export class ApprovalReminders {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly notifications: Pick<Notifications, 'post'>,
    private readonly clock: Clock,
    private readonly passUnanswered: (workspaceId: string) => Promise<void>,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  async run(stopping?: AbortSignal): Promise<void> {
    const { rows } = await this.unitOfWork.withoutWorkspace((tx) =>
      sql<Due>`
        select workspace_id as "workspaceId", timezone as "timeZone", test_day as "testDay", reminded_on as "remindedOn"
        from workspaces_with_steps()`.execute(tx.db),
    );
    const { unitOfWork, log } = this;
    const loop = { unitOfWork, log, failure: 'signers could not be reminded', stopping };
    await forEachWorkspace(rows, loop, async ({ workspaceId, remindedOn, ...workspace }) => {
      const today = currentDay(workspace, this.clock.now());
      if (remindedOn === today) return;
      await this.passUnanswered(workspaceId);
      await unitOfWork.run({ workspaceId }, { lock: 'exclusive', access: 'write' }, (tx) => this.remind(tx, today));
    });
  }

  /** The lock keeps signatures from changing between what is read and the events about it. */
  private async remind(tx: Transaction, today: Day): Promise<void> {
    const { numAffectedRows } = await sql`
      update workspaces set signers_reminded_on = ${today}::date
      where workspace_id = ${tx.workspaceId} and signers_reminded_on is distinct from ${today}::date`.execute(tx.db);
    if (numAffectedRows === 0n) return;
    const now = this.clock.now();
    const overdue = await findOverdue(tx, now);
    await recordEscalations(tx, overdue, now);
    await recordEvents(
      tx,
      overdue.map((waiting) => {
        const { repId, version } = waiting.state.subject;
        const { step, due } = waiting.next;
        const data = { repId, period: waiting.period, version, step: step.name, due, signerIds: signersOf(waiting) };
        return { type: 'approval.due' as const, repId, data };
      }),
    );
    await this.notifications.post(tx, toMails(overdue));
  }
}

/** Who signs the step; of a consent the rep. */
function signersOf({ state, next }: OverdueStep): string[] {
  return 'rep' in next.step.by ? [state.subject.repId] : [...next.free];
}

function toMails(overdue: readonly OverdueStep[]): Notification[] {
  const ofSigners = overdue.flatMap((each) => signersOf(each).map((signerId) => ({ signerId, each })));
  return [...groupBy(ofSigners, ({ signerId }) => signerId)].map(([signerId, waiting]): Notification => {
    const [first] = waiting;
    const isOwn = first?.each.state.subject.repId === signerId;
    return {
      kind: 'approval_due',
      to: { repId: signerId },
      subject: `${waiting.length} ${waiting.length === 1 ? 'statement waits' : 'statements wait'} for your signature`,
      paragraphs: ['A step of the approval is overdue. Others cannot sign before you.'],
      path: isOwn ? `/statements/${signerId}?period=${first.each.period}` : '/approvals',
    };
  });
}
