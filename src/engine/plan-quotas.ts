import { type Day, type DayRange, isEffective } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type Period } from '../kernel/period.js';
import { civilCalendar, type PeriodCalendar } from '../kernel/period-calendar.js';
import { type CompiledRule } from './compiled-plan.js';
import {
  allDaysAtWork,
  type EffectiveQuota,
  effectiveQuota,
  rampRateOn,
  type WeightedDays,
  type WorkingTime,
  weighDays,
} from './effective-quota.js';
import { type AssignedPlan, type RepInput } from './model.js';
import { type Reason } from './trace.js';

/** The periods and the quotas of one rep under the rules of one plan. */
export class PlanQuotas {
  readonly calendar: PeriodCalendar;
  private readonly workingTime: WorkingTime;
  private readonly hasRamps: boolean;
  private readonly prorated = new Map<string, EffectiveQuota>();
  private readonly weighted = new Map<Period, WeightedDays[]>();

  constructor(
    private readonly input: Pick<RepInput, 'quota' | 'calendar' | 'workingTime'>,
    private readonly plan: AssignedPlan,
  ) {
    this.calendar = input.calendar ?? civilCalendar;
    this.workingTime = input.workingTime ?? allDaysAtWork;
    this.hasRamps = plan.assignments.some(({ ramp }) => ramp !== undefined);
  }

  /** Why the rule cannot fire on the day, whatever the deal is; null if it can. */
  reasonAgainst(rule: CompiledRule, day: Day): Reason | null {
    const { effectiveStart = null, effectiveEnd = null } = rule.rule;
    if (!isEffective(day, effectiveStart, effectiveEnd)) return 'outside_rule_dates';
    return rule.rule.calendar === 'fiscal' && this.findPeriod(rule, day) === null ? 'no_fiscal_period' : null;
  }

  /** The attainment period of the rule in which the day lies; null outside of all fiscal years. */
  findPeriod({ rule }: CompiledRule, day: Day): Period | null {
    return this.calendar.findPeriod(day, rule.attainmentPeriod, rule.calendar);
  }

  /** The quota of the rule, as the days of the period leave it: one object for each key, period and mode. */
  findQuota(rule: Pick<CompiledRule, 'rule' | 'key'>, period: Period): EffectiveQuota | null {
    const quota = this.input.quota(this.plan.planId, rule.key, period);
    const { quotaProration = 'none' } = rule.rule;
    if (quota === null || quotaProration === 'none' || quota.isFixed === true) return quota;
    return getOrInsert(this.prorated, `${quotaProration}|${rule.key}|${period}`, () => {
      const range = this.calendar.findRange(period) as DayRange;
      const months = this.calendar.listMonths(period);
      const minPercent = Decimal.of(this.workingTime.minQuotaPercent);
      return effectiveQuota(quota, quotaProration, { range, months }, this.listDays(period), minPercent);
    });
  }

  /** The days of the period in stretches of equal weight. */
  listDays(period: Period): readonly WeightedDays[] {
    const range = this.calendar.findRange(period) as DayRange;
    return getOrInsert(this.weighted, period, () => weighDays(range, this.plan.assignments, this.workingTime));
  }

  /** The percentage of the raw amount that the rep's ramp pays on the day; null if it does not change it. */
  rampRateOn(day: Day): Decimal | null {
    return this.hasRamps ? rampRateOn(this.plan.assignments, this.workingTime.hireDate, day) : null;
  }
}
