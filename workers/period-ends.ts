import { sql } from 'kysely';
import { type Clock } from '#src/kernel/clock.js';
import { currentDay, type Day } from '#src/kernel/day.js';
import { calendarNames } from '#src/kernel/period-calendar.js';
import { loadCalendar } from '#src/ledger/input/calendar.js';
import { type CommissionChanges } from '#src/ledger/requests/commission-changes.js';
import { type Database } from '#src/platform/database/pool.js';
import { type Transaction } from '#src/platform/database/unit-of-work.js';

/**
 * Requests what the end of a day makes due: the end of a day in the workspace's time zone may end a period, whose
 * periodic rules pay then. Several workers may do it: the first one claims the day.
 */
export async function requestPeriodEnds(database: Database, changes: CommissionChanges, clock: Clock): Promise<void> {
  const { rows } = await sql<{
    workspace_id: string;
    timezone: string;
    periodic_through: Day | null;
    test_day: Day | null;
  }>`
    select * from workspaces_with_periodic_rules()`.execute(database);
  for (const { workspace_id: workspaceId, timezone, periodic_through: through, test_day: testDay } of rows) {
    const today = currentDay({ timeZone: timezone, testDay }, clock.now());
    if (through !== null && through >= today) continue;
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
  }
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
