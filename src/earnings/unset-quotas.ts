import { applicableVersion, type CompiledRule } from '../engine/compiled-plan.js';
import { type AssignedPlan } from '../engine/model.js';
import { type Day } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { type Period, type PeriodKind, periodKinds } from '../kernel/period.js';
import { type CalendarName, calendarNames, type PeriodCalendar } from '../kernel/period-calendar.js';
import { lastCountedDay, type QuotaRow } from './attainment.js';

/** The rep's credit under an attainment key, with or without a quota. */
export interface CreditRow {
  readonly planId: string;
  readonly ruleName: string;
  readonly period: Period;
  readonly credit: string;
}

interface Dashboard {
  readonly repId: string;
  readonly period: Period;
  readonly calendar: PeriodCalendar;
  readonly today: Day;
}

/**
 * The quotas that rules of the rep's plans need but that are not set, with target 0, so that the dashboard shows
 * them. If the period contains several attainment periods, only those with credit are listed.
 */
export function findUnsetQuotas(
  dashboard: Dashboard,
  quotas: readonly QuotaRow[],
  plans: readonly AssignedPlan[],
  credits: readonly CreditRow[],
): QuotaRow[] {
  const rows = new Map(plans.flatMap((plan) => neededBy(plan, dashboard, credits)).map((row) => [rowKey(row), row]));
  for (const quota of quotas) rows.delete(rowKey(quota));
  return [...rows.values()];
}

function neededBy(plan: AssignedPlan, dashboard: Dashboard, credits: readonly CreditRow[]): QuotaRow[] {
  return calendarNames.flatMap((name) =>
    periodKinds.flatMap((kind) => neededInPeriods(plan, dashboard, credits, { kind, calendar: name })),
  );
}

interface AttainmentPeriods {
  readonly kind: PeriodKind;
  readonly calendar: CalendarName;
}

function neededInPeriods(
  { planId, assignments, versions }: AssignedPlan,
  { repId, period, calendar, today }: Dashboard,
  credits: readonly CreditRow[],
  counted: AttainmentPeriods,
): QuotaRow[] {
  const range = calendar.range(period);
  const periods = calendar.periodsTouching(range, counted.kind, counted.calendar);
  return periods.flatMap((attainmentPeriod) => {
    const days = calendar.range(attainmentPeriod);
    const { from, to } = days;
    if (!assignments.some(({ start, end }) => (start ?? from) <= to && (end ?? to) >= from)) return [];
    const day = today < from ? from : today > to ? to : today;
    const rules = applicableVersion(versions, day)?.rules ?? [];
    const keys = new Set(rules.filter((rule) => needsQuota(rule, counted)).map(({ key }) => key));
    return [...keys].flatMap((key) => {
      const counting = rules.filter((rule) => rule.key === key).map(({ rule }) => rule);
      const names = new Set(counting.map(({ name }) => name));
      const earned = credits.filter(
        (row) => row.planId === planId && row.period === attainmentPeriod && names.has(row.ruleName),
      );
      const credit = sum(earned.map((row) => Decimal.of(row.credit)));
      if (periods.length > 1 && credit.isZero()) return [];
      const isAtEnd = earned.length === 0 && counting.every(({ executionPhase }) => executionPhase === 'periodic');
      return [
        {
          repId,
          planId,
          measure: key,
          period: attainmentPeriod,
          target: '0',
          credit: isAtEnd ? null : credit.toString(),
          through: lastCountedDay(days, range),
        },
      ];
    });
  });
}

function needsQuota({ rule, isFlatRate }: CompiledRule, { kind, calendar }: AttainmentPeriods): boolean {
  return (
    rule.attainmentPeriod === kind &&
    (rule.calendar ?? 'calendar') === calendar &&
    rule.tierBy === 'attainment' &&
    !isFlatRate
  );
}

function rowKey({ planId, measure, period }: QuotaRow): string {
  return JSON.stringify([planId, measure, period]);
}
