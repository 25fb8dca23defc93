import { isIn } from './calendar.js';
import { calculated } from './clean-ledger.js';
import { type Amount, amount, sum, ZERO } from './decimal.js';
import { periodDays } from './fiscal.js';
import type { FrozenPeriod, LedgerRow, World } from './world.js';

/** Section 9: one key of a true-up with its counted and its current amount. */
export interface TrueUpLine {
  dealId: string;
  planId: string;
  ruleName: string;
  approved: Amount;
  live: Amount;
  delta: Amount;
}

/** Everyone who is below the rep on some day. */
function everBelow(world: World, repId: string): Set<string> {
  const found = new Set<string>();
  let managers = [repId];
  while (managers.length > 0) {
    const below = world.reps.filter((rep) => rep.lines.some((line) => managers.includes(line.managerId)));
    managers = below.map((rep) => rep.repId).filter((each) => each !== repId && !found.has(each));
    for (const each of managers) found.add(each);
  }
  return found;
}

function rowKey(row: LedgerRow): string {
  return JSON.stringify([row.planId, row.ruleName, row.dealId]);
}

function approvedRows(world: World, frozen: FrozenPeriod): LedgerRow[] {
  return world.storedRows.filter(
    (row) => row.repId === frozen.repId && isIn(row.earnedOn, periodDays(world, frozen.period)),
  );
}

/** The rows that count for an approved period: those of its latest true-up, or else the approved ones. */
export function countedIn(world: World, frozen: FrozenPeriod): LedgerRow[] {
  return frozen.truedUp ?? approvedRows(world, frozen);
}

function ownedKeys(world: World, frozen: FrozenPeriod): Set<string> {
  return new Set([...approvedRows(world, frozen), ...(frozen.truedUp ?? [])].map(rowKey));
}

/** The world without the approved periods of these reps. The earlier events count in these periods. */
function thawed(world: World, repIds: Set<string>): World {
  const open = world.frozen.filter((each) => repIds.has(each.repId));
  const isReplaced = (row: LedgerRow): boolean =>
    open.some((each) => each.repId === row.repId && isIn(row.earnedOn, periodDays(world, each.period)));
  return {
    ...world,
    frozen: world.frozen.filter((each) => !open.includes(each)),
    storedRows: [
      ...world.storedRows.filter((row) => !isReplaced(row)),
      ...open.flatMap((each) => countedIn(world, each)),
    ],
  };
}

/** Section 9: the rows of `live`. */
export function liveRows(world: World, repId: string, period: string): LedgerRow[] {
  const own = world.frozen.filter((each) => each.repId === repId);
  const here = own.find((each) => each.period === period);
  if (here === undefined) throw new Error(`${period} is not approved`);
  const keys = ownedKeys(world, here);
  const elsewhere = own.filter((each) => each !== here).map((each) => ownedKeys(world, each));
  const { counted } = calculated(thawed(world, everBelow(world, repId).add(repId)));
  return counted.filter((row) => {
    if (row.repId !== repId) return false;
    if (keys.has(rowKey(row))) return true;
    return isIn(row.earnedOn, periodDays(world, period)) && !elsewhere.some((each) => each.has(rowKey(row)));
  });
}

/**
 * Section 9: the lines of a true-up for each key whose amount differs, largest first. Amounts in other currencies
 * are not paid with it.
 */
export function trueUpLines(before: LedgerRow[], live: LedgerRow[], currency: string): TrueUpLine[] {
  const lines = new Map<string, TrueUpLine>();
  const findLine = (row: LedgerRow): TrueUpLine => {
    const { dealId, planId, ruleName } = row;
    const line = lines.get(rowKey(row)) ?? { dealId, planId, ruleName, approved: ZERO, live: ZERO, delta: ZERO };
    lines.set(rowKey(row), line);
    return line;
  };
  for (const row of before) if (row.currency === currency) findLine(row).approved = amount(row.amount);
  for (const row of live) if (row.currency === currency) findLine(row).live = amount(row.amount);
  for (const line of lines.values()) line.delta = line.live.minus(line.approved);
  return [...lines.values()]
    .filter((line) => !line.delta.isZero())
    .sort((a, b) => b.delta.abs().comparedTo(a.delta.abs()));
}

export function sumAmounts(rows: LedgerRow[], currency: string): Amount {
  return sum(rows.filter((row) => row.currency === currency).map((row) => amount(row.amount)));
}
