import { addTo } from '../kernel/add-to.js';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { computeLines, type RepPayables, toPayPeriods } from '../pay/payables/build-payables.js';
import { type PayPeriods } from '../pay/payables/pay-periods.js';
import { computeEarned, computeReleased, isHeld } from '../pay/payables/release.js';

/** What is earned on the day and not released, and what is released and held, by currency. */
export interface Unreleased {
  readonly waiting: ReadonlyMap<string, Decimal>;
  readonly held: ReadonlyMap<string, Decimal>;
}

/** What statements until the day have released, by group. */
export function computeDue(payables: RepPayables, payPeriods: PayPeriods, day: Day): ReadonlyMap<string, Decimal> {
  const periods = payPeriods.until(day).filter(({ range }) => range.to <= day);
  const due = new Map<string, Decimal>();
  for (const { key, amount } of [...computeLines(payables, periods).values()].flat()) addTo(due, key, amount);
  for (const { corrections, unpaid } of toPayPeriods(payables, periods)) {
    for (const correction of corrections) for (const [key, amount] of correction) addTo(due, key, amount);
    for (const [key, amount] of unpaid) addTo(due, key, amount.negated());
  }
  return due;
}

/** Of the groups. */
export function findUnreleased(due: ReadonlyMap<string, Decimal>, groups: RepPayables['groups'], day: Day): Unreleased {
  const waiting = new Map<string, Decimal>();
  const held = new Map<string, Decimal>();
  for (const group of groups) {
    const released = computeReleased(group, day);
    addTo(waiting, group.currency, computeEarned(group, day).minus(released));
    if (isHeld(group, day)) addTo(held, group.currency, released.minus(due.get(group.key) ?? Decimal.zero));
  }
  return { waiting, held };
}
