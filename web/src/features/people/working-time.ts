import { addDays, addMonths, countDays, intersection } from '#src/client.js';
import { type Absence, type PersonDetails, type Ramp } from '../../api/people-queries.js';
import { type Assignment, type Quota } from '../../api/set-up-queries.js';
import { daysBetween, formatDay, formatDays } from '../../shared/format/dates.js';
import { groupBy } from '../../shared/format/group-by.js';
import { formatCount, formatNumber, formatPercent, formatUnits } from '../../shared/format/numbers.js';
import { daysOf, formatPeriod } from '../../shared/format/periods.js';

interface Days {
  readonly from: string;
  readonly to: string;
}

/** Days on the time axis of a year, in percent of its width. */
interface Stretch {
  readonly key: string;
  readonly left: number;
  readonly width: number;
  readonly label: string;
  /** The days in words, or the period that they are. */
  readonly days: string;
  /** Whether the stretch is a target that the days of its period change. */
  readonly isProrated: boolean;
}

export interface TimelineRow {
  readonly key: string;
  readonly name: string;
  readonly kind: 'employment' | 'absence' | 'ramp' | 'target';
  readonly stretches: readonly Stretch[];
}

/** What decides the targets of a person, and the targets that result. */
export interface WorkingFacts {
  readonly person: Pick<PersonDetails, 'hireDate' | 'endDate'>;
  readonly absences: readonly Absence[];
  readonly assignments: readonly Assignment[];
  readonly ramps: readonly Ramp[];
  readonly quotas: readonly Quota[];
}

/** Employment, absences, ramps and the targets that they leave, each as a row of the year. */
export function drawTimeline(facts: WorkingFacts, year: number): TimelineRow[] {
  const { person, absences, assignments, ramps, quotas } = facts;
  const range = { from: `${year}-01-01`, to: `${year}-12-31` };
  const employed = { from: person.hireDate ?? range.from, to: person.endDate ?? range.to };
  const rows: TimelineRow[] = [
    {
      key: 'employment',
      name: 'Employed',
      kind: 'employment',
      stretches: drawDays(range, { key: 'employed', days: employed, label: '' }),
    },
    {
      key: 'absence',
      name: 'Absent',
      kind: 'absence',
      stretches: absences.flatMap(({ absenceId, from, to, quotaRelief }) =>
        drawDays(range, { key: absenceId, days: { from, to }, label: `${formatNumber(100 - quotaRelief)} %` }),
      ),
    },
    ...assignments.map(
      (assignment): TimelineRow => ({
        key: assignment.assignmentId,
        name: `Ramp, ${assignment.planName}`,
        kind: 'ramp',
        stretches: listRampSteps(assignment, ramps, person.hireDate).flatMap((step) => drawDays(range, step)),
      }),
    ),
    ...groupBy(quotas, ({ planId, measure }) => `${planId} ${measure}`).map(
      (group): TimelineRow => ({
        key: `${group[0].planId} ${group[0].measure}`,
        name: `Target, ${group[0].measure}`,
        kind: 'target',
        stretches: group.flatMap((quota) => drawTarget(range, quota)),
      }),
    ),
  ];
  return rows.filter(({ kind, stretches }) => kind === 'employment' || stretches.length > 0);
}

interface Drawn {
  readonly key: string;
  readonly days: Days;
  readonly label: string;
}

/** The part of the days that is within the range; none if they do not meet. */
function drawDays(range: Days, { key, days, label }: Drawn): Stretch[] {
  const drawn = intersection(days, range);
  if (drawn.from > drawn.to) return [];
  const size = countDays(range);
  return [
    {
      key,
      left: (daysBetween(range.from, drawn.from) / size) * 100,
      width: (countDays(drawn) / size) * 100,
      label,
      days: formatStretch(drawn),
      isProrated: false,
    },
  ];
}

function drawTarget(range: Days, quota: Quota): Stretch[] {
  const { quotaId, period, target, effectiveTarget = target } = quota;
  const drawn = drawDays(range, { key: quotaId, days: daysOf(period), label: formatUnits(effectiveTarget) });
  return drawn.map((stretch) => ({ ...stretch, days: formatPeriod(period), isProrated: isProrated(quota) }));
}

/** The steps of the assignment's ramp, which run by day of month, as far as the assignment lasts. */
function listRampSteps(
  { assignmentId, rampId, rampFrom, effectiveStart, effectiveEnd }: Assignment,
  ramps: readonly Ramp[],
  hireDate: string | null,
): Drawn[] {
  const ramp = ramps.find((candidate) => candidate.rampId === rampId);
  const start = rampFrom ?? effectiveStart ?? hireDate;
  if (ramp === undefined || start === null) return [];
  let months = 0;
  return ramp.steps.map(({ months: length, quotaPercent }, index) => {
    const from = addMonths(start, months);
    months += length;
    const last = addDays(addMonths(start, months), -1);
    const to = effectiveEnd !== null && effectiveEnd < last ? effectiveEnd : last;
    return { key: `${assignmentId} ${index}`, days: { from, to }, label: `${formatNumber(quotaPercent)} %` };
  });
}

const reasons: Readonly<Record<NonNullable<Quota['factors']>[number]['because'], string>> = {
  full: 'all of it counts',
  ramp: 'ramp',
  absence: 'absence',
  not_assigned: 'not on the plan',
  not_employed: 'not employed',
};

/** Which days count less and why, such as "10 Feb to 11 Mar, 30 days: absence, count 0 %". */
export function listReasons({ factors = [] }: Pick<Quota, 'factors'>): string[] {
  return factors
    .filter(({ weight }) => weight !== 1)
    .map(({ because, weight, ...days }) => {
      const count = formatCount(countDays(days), 'day');
      return `${formatStretch(days)}, ${count}: ${reasons[because]}, ${because === 'not_assigned' || because === 'not_employed' ? 'do not count' : `count ${formatPercent(weight, 2)}`}`;
    });
}

/** Whether the days of the period change the target. */
export function isProrated({ effectiveTarget, target }: Pick<Quota, 'effectiveTarget' | 'target'>): boolean {
  return effectiveTarget !== undefined && effectiveTarget !== target;
}

/** How the target that counts was computed, with the reasons, in one text. */
export function explainTarget(quota: Pick<Quota, 'explanation' | 'factors' | 'prorate'>): string {
  if (quota.prorate === false) return 'Fixed: working time does not change it.';
  return [quota.explanation ?? 'All days count.', ...listReasons(quota)].join('\n');
}

function formatStretch(days: Days): string {
  return days.from === days.to ? formatDay(days.from) : formatDays(days);
}
