import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { loadRunningCredits } from '../ledger/input/running-credits.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { computeRatio, type Quota } from './quota.js';

/** The quotas of running periods, where only periodic rules count, with what these have collected so far. */
export async function withCreditsToDate(tx: Transaction, quotas: readonly Quota[], today: Day): Promise<Quota[]> {
  if (quotas.every(({ current_value: credit }) => credit !== null)) return [...quotas];
  const calendar = await loadCalendar(tx);
  const running = quotas.flatMap((quota) => {
    const through = calendar.findRange(quota.period)?.to;
    return quota.current_value === null && through !== undefined && today <= through ? [{ ...quota, through }] : [];
  });
  const credits = await loadRunningCredits(tx, running);
  const found = new Map(running.map(({ quotaId }, index) => [quotaId, credits[index]]));
  return quotas.map((quota) => {
    const running = found.get(quota.quotaId);
    if (running === undefined) return quota;
    const { credit, uncounted } = running;
    if (credit === null) return { ...quota, countsAtEnd: true, ...(uncounted === undefined ? {} : { uncounted }) };
    const target = Decimal.of(quota.effectiveTarget ?? quota.target);
    const value = Decimal.of(credit);
    return { ...quota, countsAtEnd: true, current_value: value.toNumber(), attainment: computeRatio(value, target) };
  });
}
