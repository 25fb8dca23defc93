import { sql } from 'kysely';
import { type Clock } from '#src/kernel/clock.js';
import { currentDay, type Day } from '#src/kernel/day.js';
import { calendarNames } from '#src/kernel/period-calendar.js';
import { loadCalendar } from '#src/ledger/input/calendar.js';
import { type CommissionChanges } from '#src/ledger/requests/commission-changes.js';
import { forEachWorkspace } from '#src/platform/database/each-workspace.js';
import { type Transaction, type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type Log } from '#src/platform/log.js';

interface Parts {
  readonly unitOfWork: UnitOfWork;
  readonly changes: CommissionChanges;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

interface Due {
  readonly workspaceId: string;
  readonly timeZone: string;
  readonly through: Day | null;
  readonly testDay: Day | null;
}

/**
 * Requests what the end of a day makes due: the end of a day in the workspace's time zone may end a period, whose
 * periodic rules pay then. Several workers may do it: the first one claims the day.
 */
export async function requestPeriodEnds(parts: Parts, stopping: AbortSignal): Promise<void> {
  const { unitOfWork, changes, clock, log } = parts;
  const { rows } = await unitOfWork.withoutWorkspace((tx) =>
    sql<Due>`
      select workspace_id as "workspaceId", timezone as "timeZone", periodic_through as through, test_day as "testDay"
      from workspaces_with_periodic_rules()`.execute(tx.db),
  );
  const loop = { unitOfWork, log, failure: 'the end of a day could not be recorded', stopping };
  await forEachWorkspace(rows, loop, async ({ workspaceId, through, ...workspace }) => {
    const today = currentDay(workspace, clock.now());
    if (through !== null && through >= today) return;
    await changes.run({ workspaceId }, 'none', async (tx, recalculate) => {
      const claimed = await tx.db
        .updateTable('workspaces')
        .set({ periodic_through: today })
        .where('workspace_id', '=', workspaceId)
        .where((where) => where.or([where('periodic_through', 'is', null), where('periodic_through', '<', today)]))
        .returning('workspace_id')
        .executeTakeFirst();
      if (claimed === undefined) return;
      const plans = await tx.db
        .selectFrom('plan_rules')
        .select('plan_id')
        .distinct()
        .where('workspace_id', '=', workspaceId)
        .where('phase', '=', 'periodic')
        .execute();
      for (const plan of plans) await recalculate.plan(plan.plan_id, 'periodic');
      const ended = through === null ? null : await monthsEndedSince(tx, through, today);
      if (ended === false) return;
      for (const planId of await loadPlansAtPeriodEnds(tx)) await recalculate.plan(planId, 'fx_rate');
    });
  });
}

/** Whether a month of a calendar has ended: every attainment period ends with one. */
async function monthsEndedSince(tx: Transaction, through: Day, today: Day): Promise<boolean> {
  const calendar = await loadCalendar(tx);
  return calendarNames.some(
    (name) => calendar.findPeriod(through, 'monthly', name) !== calendar.findPeriod(today, 'monthly', name),
  );
}

/** The plans whose provisional exchange rates become final at the end of a period. */
async function loadPlansAtPeriodEnds(tx: Transaction): Promise<string[]> {
  const { rows } = await sql<{ planId: string }>`
    select distinct plan_id as "planId" from plan_versions
    where workspace_id = ${tx.workspaceId} and fx->>'date' = 'period_end'`.execute(tx.db);
  return rows.map(({ planId }) => planId);
}
