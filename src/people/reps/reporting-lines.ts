import { addDays, type Day, type DayRange, intersection, isEffective, latestDay, overlap } from '../../kernel/day.js';

/** A rep reports to the manager on these days, both included; null is open-ended. */
export interface ReportingLine {
  readonly from: Day;
  readonly to: Day | null;
  readonly managerId: string;
}

/** The lines of every rep who has a manager on some day; lines of one rep never overlap. */
export type Hierarchy = ReadonlyMap<string, readonly ReportingLine[]>;

export const maxLevels = 20;

export function managerOn(lines: readonly ReportingLine[], day: Day): string | null {
  return lines.find((line) => isEffective(day, line.from, line.to))?.managerId ?? null;
}

/** The rep's lines with the manager, or with none if null, from that day on. Earlier days stay unchanged. */
export function withManager(lines: readonly ReportingLine[], managerId: string | null, from: Day): ReportingLine[] {
  const before = lines
    .filter((line) => line.from < from)
    .map((line) => ({ ...line, to: line.to === null || line.to >= from ? addDays(from, -1) : line.to }));
  return managerId === null ? before : [...before, { from, to: null, managerId }];
}

export function isSameLines(a: readonly ReportingLine[], b: readonly ReportingLine[]): boolean {
  const key = (line: ReportingLine) => `${line.from}|${line.to ?? ''}|${line.managerId}`;
  return a.length === b.length && new Set([...a, ...b].map(key)).size === a.length;
}

/**
 * Every manager above the rep on any of the days, over lines that hold on the same day. The hierarchy must contain
 * no cycle.
 */
export function managersAbove(hierarchy: Hierarchy, repId: string, days: DayRange): Set<string> {
  const above = new Set<string>();
  for (const line of hierarchy.get(repId) ?? []) {
    const shared = sharedDays(line, days);
    if (shared === null) continue;
    above.add(line.managerId);
    for (const managerId of managersAbove(hierarchy, line.managerId, shared)) above.add(managerId);
  }
  return above;
}

interface BrokenChain {
  readonly reason: 'cycle' | 'depth';
  /** The ids are ordered from the bottom up; a cycle lists only its members. */
  readonly repIds: readonly string[];
}

/** A chain above the rep that is a cycle or too long on one of the days. */
export function brokenChain(
  hierarchy: Hierarchy,
  repId: string,
  days: DayRange,
  below: readonly string[] = [],
): BrokenChain | null {
  const chain = [...below, repId];
  for (const line of hierarchy.get(repId) ?? []) {
    const shared = sharedDays(line, days);
    if (shared === null) continue;
    const position = chain.indexOf(line.managerId);
    if (position >= 0) return { reason: 'cycle', repIds: chain.slice(position) };
    if (chain.length > maxLevels) return { reason: 'depth', repIds: chain };
    const broken = brokenChain(hierarchy, line.managerId, shared, chain);
    if (broken !== null) return broken;
  }
  return null;
}

function sharedDays(line: ReportingLine, days: DayRange): DayRange | null {
  const ofLine = { from: line.from, to: line.to ?? latestDay };
  return overlap(ofLine, days) ? intersection(ofLine, days) : null;
}
