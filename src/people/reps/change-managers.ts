import { allDays, type Day, type DayRange, earliestDay, latestDay } from '../../kernel/day.js';
import { type Issue, rejectAny } from '../../kernel/failure.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { loadHierarchy, replaceReportingLines } from './rep-store.js';
import {
  brokenChain,
  type Hierarchy,
  isSameLines,
  managerOn,
  managersAbove,
  maxLevels,
  type ReportingLine,
  withManager,
} from './reporting-lines.js';

export interface ManagerChange {
  readonly repId: string;
  readonly managerId: string | null;
  /** Undefined applies to all days, unless the manager is the rep's manager today already. */
  readonly from: Day | undefined;
  /** The path of the field in the request. */
  readonly path: string;
}

/** Replaces reporting lines, all or none, and requests the calculation of every manager above them before or after. */
export async function changeManagers(
  tx: Transaction,
  recalculate: Recalculate,
  today: Day,
  changes: readonly ManagerChange[],
): Promise<void> {
  const affected = await replaceManagers(tx, today, changes);
  if (affected.size === 0) return;
  await recalculate([...affected].map(([repId, days]) => ({ repId, days, trigger: 'hierarchy_change' as const })));
}

/** Replaces reporting lines, all or none. Returns every manager above them before or after, with the days. */
export async function replaceManagers(
  tx: Transaction,
  today: Day,
  changes: readonly ManagerChange[],
): Promise<Map<string, DayRange>> {
  if (changes.length === 0) return new Map();
  const before = await loadHierarchy(tx);
  return writeMoves(tx, before, changed(before, changes, today));
}

/** Gives the people these reporting lines. Returns every manager above them before or after, with the days. */
export async function restoreReportingLines(tx: Transaction, lines: Hierarchy): Promise<Map<string, DayRange>> {
  const before = await loadHierarchy(tx);
  const moved = [...lines].flatMap(([repId, ofRep]) =>
    isSameLines(before.get(repId) ?? [], ofRep) ? [] : [{ repId, managerId: null, from: earliestDay, path: '' }],
  );
  const after = new Map([...before, ...lines]);
  if (moved.length > 0) assertSound(after, moved);
  return writeMoves(tx, before, { after, moved });
}

interface Moves {
  readonly after: Hierarchy;
  readonly moved: readonly ManagerChange[];
}

async function writeMoves(tx: Transaction, before: Hierarchy, { after, moved }: Moves): Promise<Map<string, DayRange>> {
  if (moved.length === 0) return new Map();
  await replaceReportingLines(tx, new Map(moved.map(({ repId }) => [repId, after.get(repId) ?? []])));
  const firstDays = findFirstDays([before, after], moved);
  return new Map([...firstDays].map(([repId, from]) => [repId, { from, to: latestDay }]));
}

/** Whether the changes move anyone to another manager. Rejects changes that would make an invalid hierarchy. */
export function movesAnyone(hierarchy: Hierarchy, changes: readonly ManagerChange[], today: Day): boolean {
  return changed(hierarchy, changes, today).moved.length > 0;
}

function changed(before: Hierarchy, changes: readonly ManagerChange[], today: Day): Moves {
  const after = new Map(before);
  const moved = changes.filter((change) => move(after, change, today));
  if (moved.length > 0) assertSound(after, moved);
  return { after, moved };
}

function move(hierarchy: Map<string, readonly ReportingLine[]>, change: ManagerChange, today: Day): boolean {
  const lines = hierarchy.get(change.repId) ?? [];
  if (change.from === undefined && managerOn(lines, today) === change.managerId) return false;
  const next = withManager(lines, change.managerId, change.from ?? earliestDay);
  hierarchy.set(change.repId, next);
  return !isSameLines(lines, next);
}

/**
 * Checks every rep, because a new manager also lengthens the chains of the people below. Of the chains that share a
 * change, only the first is reported.
 */
function assertSound(hierarchy: Hierarchy, moved: readonly ManagerChange[]): void {
  const paths = new Map(moved.map(({ repId, path }) => [repId, path]));
  const reported = new Set<string>();
  const issues: Issue[] = [];
  for (const repId of hierarchy.keys()) {
    const broken = brokenChain(hierarchy, repId, allDays);
    if (broken === null || broken.repIds.some((id) => reported.has(id))) continue;
    const changedId = broken.repIds.find((id) => paths.has(id)) ?? repId;
    const message =
      broken.reason === 'cycle'
        ? 'would make the rep their own manager, directly or through others'
        : `would make a chain of more than ${maxLevels} managers`;
    issues.push({ path: paths.get(changedId) ?? '', message });
    reported.add(changedId);
  }
  rejectAny(issues);
}

/** The managers whose team changes, each with the first day on which it may change. */
function findFirstDays(hierarchies: readonly Hierarchy[], moved: readonly ManagerChange[]): Map<string, Day> {
  const firstDays = new Map<string, Day>();
  for (const { repId, from = earliestDay } of moved) {
    for (const hierarchy of hierarchies) {
      for (const managerId of managersAbove(hierarchy, repId, { from, to: latestDay })) {
        const earliest = firstDays.get(managerId);
        if (earliest === undefined || from < earliest) firstDays.set(managerId, from);
      }
    }
  }
  return firstDays;
}
