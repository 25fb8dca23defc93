import { type Clock } from '../kernel/clock.js';
import { dayInZone } from '../kernel/day.js';
import { type Period, periodOf } from '../kernel/period.js';
import { loadWorkspaceTerms } from '../ledger/rep-terms.js';
import { type Work } from '../platform/database/unit-of-work.js';

/** The period asked for, else the current month where the workspace is; with the workspace's currency. */
export async function resolvePeriod(
  trx: Work,
  workspaceId: string,
  asked: Period | undefined,
  clock: Clock,
): Promise<{ readonly period: Period; readonly currency: string }> {
  const { currency, timeZone } = await loadWorkspaceTerms(trx, workspaceId);
  return { period: asked ?? periodOf(dayInZone(clock.now(), timeZone), 'monthly'), currency };
}
