import { addTo } from '../kernel/add-to.js';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { computeLines, type RepPayables } from '../pay/payables/build-payables.js';
import { type PayPeriods } from '../pay/payables/pay-periods.js';
import { computeEarned, computeReleased, type GroupAmounts, isHeld } from '../pay/payables/release.js';

/** What is earned on the day and not released, and what is released and held, by currency. */
export interface Unreleased {
  readonly waiting: ReadonlyMap<string, Decimal>;
  readonly held: ReadonlyMap<string, Decimal>;
}

/** What the statements of the periods that have ended on the day pay, by group. */
export function computePaid(payables: RepPayables, payPeriods: PayPeriods, day: Day): GroupAmounts {
  const ended = payPeriods.until(day).filter(({ range }) => range.to <= day);
  return computeLines(payables, ended).paid;
}

/** Of the groups. */
export function findUnreleased(paid: GroupAmounts, groups: RepPayables['groups'], day: Day): Unreleased {
  const waiting = new Map<string, Decimal>();
  const held = new Map<string, Decimal>();
  for (const group of groups) {
    const released = computeReleased(group, day);
    addTo(waiting, group.currency, computeEarned(group, day).minus(released));
    if (isHeld(group, day)) addTo(held, group.currency, released.minus(paid.get(group.key) ?? Decimal.zero));
  }
  return { waiting, held };
}
