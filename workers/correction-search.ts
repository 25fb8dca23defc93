import { sql } from 'kysely';
import { loadBookMonths } from '#src/finance/book-months.js';
import { type Month } from '#src/finance/month.js';
import { type MonthReports } from '#src/finance/month-reports.js';
import { readLiability } from '#src/finance/queries/get-liability.js';
import { serviceCaller } from '#src/kernel/caller.js';
import { type Clock } from '#src/kernel/clock.js';
import { currentDay, type Day } from '#src/kernel/day.js';
import { newId } from '#src/kernel/ids.js';
import { forEachWorkspace } from '#src/platform/database/each-workspace.js';
import { type Transaction, type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type Log } from '#src/platform/log.js';
import { recordEvent } from '#src/platform/outbound/outgoing-events.js';

interface Due {
  readonly workspaceId: string;
  readonly timeZone: string;
  readonly testDay: Day | null;
  readonly foundOn: Day | null;
}

interface Found {
  readonly month: Month;
  readonly corrections: readonly { readonly entity: string; readonly currency: string; readonly amount: number }[];
}

/**
 * Looks once a day, in the zone of the workspace, for corrections of closed months in the first open month. An event has
 * their sums if any of them differs from what the last search found. Several processes may run it: one of them stores the
 * day. Books are computed only if a webhook endpoint receives the event.
 */
export class CorrectionSearch {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly reports: MonthReports,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  async run(stopping?: AbortSignal): Promise<void> {
    const { rows } = await this.unitOfWork.withoutWorkspace((tx) =>
      sql<Due>`
        select workspace_id as "workspaceId", timezone as "timeZone", test_day as "testDay", found_on as "foundOn"
        from workspaces_with_books()`.execute(tx.db),
    );
    const { unitOfWork, log } = this;
    const loop = { unitOfWork, log, failure: 'corrections of closed months could not be searched', stopping };
    await forEachWorkspace(rows, loop, async ({ workspaceId, foundOn, ...workspace }) => {
      const today = currentDay(workspace, this.clock.now());
      if (foundOn !== today) await this.search(workspaceId, today);
    });
  }

  private async search(workspaceId: string, today: Day): Promise<void> {
    const found = await this.find(workspaceId, today);
    await this.unitOfWork.write({ workspaceId }, async (tx) => {
      const isNew = await storeFound(tx, today, found);
      if (isNew && found.corrections.length > 0)
        await recordEvent(tx, { type: 'accounting.correction_found', data: { ...found } });
    });
  }

  private async find(workspaceId: string, today: Day): Promise<Found> {
    const { firstOpen: month, current } = await this.unitOfWork.read({ workspaceId }, (tx) =>
      loadBookMonths(tx, today),
    );
    if (month > current) return { month, corrections: [] };
    const all = { month, groupBy: 'currency', limit: Number.MAX_SAFE_INTEGER, offset: 0 } as const;
    const { unitOfWork, reports, clock } = this;
    const caller = serviceCaller(workspaceId, newId());
    const { liability } = await readLiability(caller, { unitOfWork, reports, clock }, all);
    return {
      month,
      corrections: liability
        .filter(({ corrections }) => corrections !== 0)
        .map(({ entity, currency, corrections }) => ({ entity, currency, amount: corrections })),
    };
  }
}

/** Whether the search is the first of the day, and found something else than the one before. */
async function storeFound(tx: Transaction, day: Day, found: Found): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    with before as (
      select corrections_found as found from workspaces where workspace_id = ${tx.workspaceId} for update
    )
    update workspaces w set corrections_found = ${JSON.stringify({ day, ...found })}::jsonb from before
    where w.workspace_id = ${tx.workspaceId} and before.found ->> 'day' is distinct from ${day}
    returning before.found - 'day' is distinct from w.corrections_found - 'day' as "isNew"`.execute(tx.db);
  return rows[0]?.isNew === true;
}
