import { type EventRow } from '../earnings/commission-event.js';
import { addDays, type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { type FrozenPeriod } from '../ledger/input/rep-terms.js';

/** An adjustment, a clawback or a true-up: a ledger row that the engine did not write. */
export interface AdjustmentRow extends EventRow {
  readonly revision: number;
}

/** A clawback takes money back, so its amount is negative. */
export function assertClawbackNegative(kind: AdjustmentRow['kind'], amount: number): void {
  if (kind === 'clawback' && amount > 0)
    throw new Failure(
      'clawback_must_be_negative',
      'A clawback takes money back: give a negative amount. To pay the rep, add an adjustment instead.',
    );
}

/**
 * The day on which an adjustment of the period is dated: today while the period is current, otherwise the last day
 * of the period. If an approved statement of another period covers that day, the last day before it. Null when
 * approved statements cover the whole period.
 */
export function adjustmentDay(range: DayRange, today: Day, frozen: readonly FrozenPeriod[]): Day | null {
  const isFrozen = (day: Day) => frozen.some((frozenPeriod) => isWithin(day, frozenPeriod.range));
  if (isWithin(today, range) && !isFrozen(today)) return today;
  let day = range.to;
  for (const { range: approved } of frozen.toReversed()) {
    if (isWithin(day, approved)) day = addDays(approved.from, -1);
  }
  return day < range.from ? null : day;
}

export const adjustmentExample = {
  eventId: '1a2b3c4d-5e6f-4a8b-9c0d-1e2f3a4b5c6d',
  repId: sampleIds.repId,
  repName: 'Ben',
  dealId: null,
  dealName: null,
  planId: null,
  planName: null,
  ruleId: null,
  ruleName: null,
  kind: 'adjustment',
  category: 'adjustment',
  status: 'earned',
  amount: 250,
  base: null,
  tierName: null,
  credit: 0,
  currency: 'USD',
  period: '2026-02',
  earnedOn: '2026-02-28',
  reason: 'Contest in February',
  updatedAt: '2026-03-01T08:00:00.000Z',
};
