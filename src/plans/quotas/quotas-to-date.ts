import { type Day } from '../../kernel/day.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { loadRunningCredits } from '../../ledger/input/running-credits.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Quota } from './quota.js';
import { type CountedQuota } from './quota-views.js';

/** The quotas; those of running periods, where only periodic rules count, with what these have collected so far. */
export async function withCreditsToDate(
  tx: Transaction,
  counted: readonly CountedQuota[],
  today: Day,
): Promise<Quota[]> {
  const quotas = counted.map(({ quota }) => quota);
  const waiting = counted.filter(({ isCountedAtEnd }) => isCountedAtEnd);
  if (waiting.length === 0) return quotas;
  const calendar = await loadCalendar(tx);
  const running = waiting.flatMap(({ quota }) => {
    const through = calendar.findRange(quota.period)?.to;
    return through !== undefined && today <= through ? [{ ...quota, through }] : [];
  });
  const credits = await loadRunningCredits(tx, running);
  const found = new Map(running.map(({ quotaId }, index) => [quotaId, credits[index]]));
  return quotas.map((quota) => {
    const collected = found.get(quota.quotaId);
    if (collected === undefined) return quota;
    const { credit, uncounted } = collected;
    return { ...quota, countsAtEnd: Number(credit ?? 0), ...(uncounted === undefined ? {} : { uncounted }) };
  });
}
