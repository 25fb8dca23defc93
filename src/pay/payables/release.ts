import { addTo } from '../../kernel/add-to.js';
import { currencyDigits } from '../../kernel/currency.js';
import { type Day, type DayRange } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { type Period } from '../../kernel/period.js';
import { applyTo } from './fraction.js';
import { computeShare, type ShareTerms } from './share.js';

/** Days on which nothing is paid, both inclusive. A hold without an end continues. */
interface HeldDays {
  readonly from: Day;
  readonly to: Day | null;
}

/** The counted rows of one event key in one currency: the event, and what was taken back of it. */
export interface PayGroup {
  /** Identifies the group among those of the rep; it contains the currency. */
  readonly key: string;
  readonly currency: string;
  readonly rows: readonly { readonly amount: Decimal; readonly day: Day }[];
  readonly share: ShareTerms;
  readonly holds: readonly HeldDays[];
}

/** Amounts by key of group. */
export type GroupAmounts = ReadonlyMap<string, Decimal>;

/** A pay period of the rep, in the state that earlier approvals and corrections have left. */
export interface PayPeriod {
  readonly period: Period;
  readonly range: DayRange;
  /** The lines of the approved statement without those of corrections; null while it is open. */
  readonly approved: GroupAmounts | null;
  /** The lines of the corrections of this period, wherever they are paid. */
  readonly corrections: readonly GroupAmounts[];
  /** What corrections of other periods would pay in this one, and what is held of it. */
  readonly unpaid: GroupAmounts;
}

export interface PayLine {
  readonly key: string;
  readonly amount: Decimal;
  /** The line pays what earlier approved periods would have paid if its facts had been known then. */
  readonly late: boolean;
}

export interface PayLines {
  readonly byPeriod: ReadonlyMap<Period, readonly PayLine[]>;
  /** What all lines and corrections pay of each group. What a statement holds of a correction is not paid. */
  readonly paid: GroupAmounts;
}

/** What is earned until the day, times the share that is released, rounded once. */
export function computeReleased(group: PayGroup, day: Day): Decimal {
  const earned = computeEarned(group, day);
  return earned.isZero() ? earned : applyTo(earned, computeShare(group.share, day), currencyDigits(group.currency));
}

export function computeEarned({ rows }: PayGroup, day: Day): Decimal {
  return sum(rows.filter((row) => row.day <= day).map(({ amount }) => amount));
}

export function isHeld({ holds }: PayGroup, day: Day): boolean {
  return holds.some(({ from, to }) => from <= day && (to === null || day <= to));
}

/**
 * The lines of the periods, which are consecutive and begin with the first one. Each line is what is released on the last
 * day of the period less the lines of all periods before, so that the lines of a group add up to what is released.
 */
export function computePayLines(groups: readonly PayGroup[], periods: readonly PayPeriod[]): PayLines {
  const byPeriod = new Map<Period, readonly PayLine[]>();
  const paid = new Map<string, Decimal>();
  const known = new Map(groups.map((group) => [group.key, group]));
  const pay = (key: string, amount: Decimal) => addTo(paid, key, amount);
  for (const [index, { period, range, approved, corrections, unpaid }] of periods.entries()) {
    for (const [key, amount] of unpaid) pay(key, amount.negated());
    const previous = periods[index - 1];
    const isAfterApproved = previous !== undefined && previous.approved !== null;
    const open = () =>
      [...new Set([...known.keys(), ...paid.keys()])].flatMap((key) =>
        toLine(
          key,
          known.get(key),
          paid.get(key) ?? Decimal.zero,
          range.to,
          isAfterApproved ? previous.range.to : null,
        ),
      );
    const own = approved === null ? open() : toLines(approved);
    byPeriod.set(period, own);
    for (const { key, amount } of own) pay(key, amount);
    for (const correction of corrections) for (const [key, amount] of correction) pay(key, amount);
  }
  return { byPeriod, paid };
}

/** The line of a group; none if nothing is due. A group that is held gets no positive line. */
function toLine(
  key: string,
  group: PayGroup | undefined,
  paid: Decimal,
  day: Day,
  approvedUntil: Day | null,
): PayLine[] {
  const due = (group === undefined ? Decimal.zero : computeReleased(group, day)).minus(paid);
  if (due.isZero() || (due.sign() > 0 && group !== undefined && isHeld(group, day))) return [];
  return [{ key, amount: due, late: approvedUntil !== null && isLate(group, paid, approvedUntil) }];
}

function isLate(group: PayGroup | undefined, paid: Decimal, approvedUntil: Day): boolean {
  if (group === undefined) return true;
  return !isHeld(group, approvedUntil) && !computeReleased(group, approvedUntil).equals(paid);
}

function toLines(approved: GroupAmounts): PayLine[] {
  return [...approved].map(([key, amount]) => ({ key, amount, late: false }));
}

/** The part of the amounts that is paid to groups which are held on one of the days. */
export function findHeld(groups: readonly PayGroup[], amounts: GroupAmounts, days: readonly Day[]): GroupAmounts {
  const held = new Set(groups.filter((group) => days.some((day) => isHeld(group, day))).map(({ key }) => key));
  return new Map([...amounts].filter(([key, amount]) => amount.sign() > 0 && held.has(key)));
}

/**
 * What the correction of an approved period pays: what would be released on its last day, less what is. What is held on one
 * of the days is not paid; the first statement on whose last day it is not held pays it.
 */
export function computeCorrection(
  before: readonly PayGroup[],
  after: readonly PayGroup[],
  { lastDay, heldOn }: { readonly lastDay: Day; readonly heldOn: readonly Day[] },
): GroupAmounts {
  const amounts = new Map<string, Decimal>();
  const change = (group: PayGroup, amount: Decimal) => addTo(amounts, group.key, amount);
  for (const group of after) change(group, computeReleased(group, lastDay));
  for (const group of before) change(group, computeReleased(group, lastDay).negated());
  const held = findHeld(after, amounts, heldOn);
  return new Map([...amounts].filter(([key, amount]) => !amount.isZero() && !held.has(key)));
}
