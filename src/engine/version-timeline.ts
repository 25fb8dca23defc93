import { addDays, type Day, type DayRange, earliestDay, hull, latestDay } from '../kernel/day.js';

/** The properties that place a version in its plan's timeline. */
interface DatedVersion {
  readonly planVersionId: string;
  readonly version: number;
  readonly effectiveStart: Day | null;
  readonly effectiveEnd: Day | null;
}

/** A version with its status and the version that it replaces while it is active. */
export interface TimelineCandidate extends DatedVersion {
  readonly status: 'draft' | 'active' | 'archived' | 'deleted';
  readonly supersedes: string | null;
  /** Whether it has been active at some time, whatever its status is now. */
  readonly hasBeenActive: boolean;
}

/** The days on which one version is in force; a missing end is open. */
export interface Stretch {
  readonly planVersionId: string;
  readonly version: number;
  readonly from: Day | null;
  readonly to: Day | null;
}

/** The active versions that no active version supersedes, by start and then by number. */
export function buildTimeline<T extends TimelineCandidate>(versions: readonly T[]): T[] {
  return buildUnstoppedTimeline(versions.filter((version) => version.status === 'active'));
}

/** The timeline that the plan would have if all of the versions were active. */
function buildUnstoppedTimeline<T extends TimelineCandidate>(versions: readonly T[]): T[] {
  const superseded = new Set(versions.map((version) => version.supersedes));
  return versions.filter((version) => !superseded.has(version.planVersionId)).sort(byStart);
}

/** Whether the version may have earned events. A draft that was never active stops no day and supersedes nothing. */
export function mayHaveEarned({ status, hasBeenActive }: TimelineCandidate): boolean {
  return status === 'active' || hasBeenActive;
}

/** The properties of a plan that decide on which days it pays. */
export interface DatedPlan {
  readonly isActive: boolean;
  readonly versions: readonly TimelineCandidate[];
}

/**
 * Returns whether a day of the plan is stopped: a version would be in force if the plan and all versions that have been
 * active were active, but none is.
 */
export function stoppedDays({ isActive, versions }: DatedPlan): (day: Day) => boolean {
  const paying = isActive ? buildTimeline(versions) : [];
  const unstopped = buildUnstoppedTimeline(versions.filter(mayHaveEarned));
  return (day) => versionInForce(paying, day) === null && versionInForce(unstopped, day) !== null;
}

/** Whether a change of the plan stops a day that was not stopped. */
export function stopsDays(before: DatedPlan, after: DatedPlan): boolean {
  const wasStopped = stoppedDays(before);
  const isStopped = stoppedDays(after);
  return changeDays(before, after).some((day) => isStopped(day) && !wasStopped(day));
}

/**
 * The range of days on which a different version, or none, is in force after the change; stopped days are not
 * restated.
 */
export function restatedDays(before: DatedPlan, after: DatedPlan): DayRange | null {
  const isStopped = stoppedDays(after);
  return differingDays(before, after, (day) => !isStopped(day));
}

/** The range of the included days on which a different version, or none, is in force after the change. */
export function differingDays(
  before: DatedPlan,
  after: DatedPlan,
  includes: (day: Day) => boolean = () => true,
): DayRange | null {
  const [old, now] = [before, after].map(({ isActive, versions }) => (isActive ? buildTimeline(versions) : [])) as [
    TimelineCandidate[],
    TimelineCandidate[],
  ];
  const days = changeDays(before, after);
  const differing = days.flatMap((from, index) => {
    const isSame = versionInForce(old, from)?.planVersionId === versionInForce(now, from)?.planVersionId;
    if (isSame || !includes(from)) return [];
    const next = days[index + 1];
    return [{ from, to: next === undefined ? latestDay : addDays(next, -1) }];
  });
  return differing.length === 0 ? null : differing.reduce(hull);
}

/** The days on which the version in force may change, in order. */
function changeDays(before: DatedPlan, after: DatedPlan): Day[] {
  const days = [...before.versions, ...after.versions].flatMap(({ effectiveStart, effectiveEnd }) => [
    effectiveStart ?? earliestDay,
    effectiveEnd === null || effectiveEnd === latestDay ? earliestDay : addDays(effectiveEnd, 1),
  ]);
  return [...new Set([earliestDay, ...days])].sort();
}

/**
 * The version with the latest start up to the day, whether or not it has ended by then. The versions may be in any
 * order.
 */
export function latestStarted<T extends DatedVersion>(timeline: readonly T[], day: Day): T | null {
  return findLatestStarted(timeline, day, (version) => version);
}

/** The version in force on the day. After its end the plan has none: an earlier version never takes over. */
function versionInForce<T extends DatedVersion>(timeline: readonly T[], day: Day): T | null {
  return findVersionInForce(timeline, day, (version) => version);
}

/** {@link versionInForce} for values that have a version. */
export function findVersionInForce<T>(timeline: readonly T[], day: Day, datesOf: (value: T) => DatedVersion): T | null {
  const latest = findLatestStarted(timeline, day, datesOf);
  if (latest === null) return null;
  const { effectiveEnd } = datesOf(latest);
  return effectiveEnd !== null && effectiveEnd < day ? null : latest;
}

function findLatestStarted<T>(timeline: readonly T[], day: Day, datesOf: (value: T) => DatedVersion): T | null {
  let latest: T | null = null;
  for (const candidate of timeline) {
    const { effectiveStart } = datesOf(candidate);
    if (effectiveStart !== null && effectiveStart > day) continue;
    if (latest === null || byStart(datesOf(candidate), datesOf(latest)) > 0) latest = candidate;
  }
  return latest;
}

/**
 * The days of each version of the timeline, earliest first. Of versions with equal start only the highest number has
 * days.
 */
export function computeStretches(timeline: readonly DatedVersion[]): Stretch[] {
  const versions = [...timeline].sort(byStart);
  return versions.flatMap((version, index) => {
    const next = versions[index + 1];
    if (next !== undefined && next.effectiveStart === version.effectiveStart) return [];
    return [
      {
        planVersionId: version.planVersionId,
        version: version.version,
        from: version.effectiveStart,
        to: earlierEnd(version.effectiveEnd, next === undefined ? null : addDays(next.effectiveStart as Day, -1)),
      },
    ];
  });
}

/** The version that a planId refers to: in force on the day or ended, otherwise the next, otherwise the latest. */
export function findReferencedVersion<T extends TimelineCandidate>(versions: readonly T[], today: Day): T | null {
  const timeline = buildTimeline(versions);
  const started = latestStarted(timeline, today);
  if (started !== null) return started;
  const next = timeline[0];
  if (next !== undefined) return timeline.findLast((version) => version.effectiveStart === next.effectiveStart) as T;
  return versions.reduce<T | null>((a, b) => (a === null || b.version > a.version ? b : a), null);
}

function byStart(a: DatedVersion, b: DatedVersion): number {
  if (a.effectiveStart === b.effectiveStart) return a.version - b.version;
  if (a.effectiveStart === null) return -1;
  if (b.effectiveStart === null) return 1;
  return a.effectiveStart < b.effectiveStart ? -1 : 1;
}

function earlierEnd(a: Day | null, b: Day | null): Day | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
