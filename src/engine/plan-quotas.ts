import { type Day, type DayRange, isEffective } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type Period } from '../kernel/period.js';
import { civilCalendar, type PeriodCalendar } from '../kernel/period-calendar.js';
import { type CompiledRule } from './compiled-plan.js';
import {
  allDaysAtWork,
  dateSteps,
  type EffectiveQuota,
  effectiveQuota,
  type Quota,
  type QuotaProration,
  rampRateOn,
  type SteppedDays,
  type WeightedDays,
  type WorkingTime,
  weighDays,
} from './effective-quota.js';
import { type AssignedPlan, type RepInput } from './model.js';
import { type Rule } from './plan-config.js';
import { type Reason } from './trace.js';

/** The periods and the quotas of one rep under the rules of one plan. */
export class PlanQuotas {
  readonly calendar: PeriodCalendar;
  private readonly workingTime: WorkingTime;
  private readonly assignments: readonly SteppedDays[];
  private readonly hasRampRates: boolean;
  private readonly prorated = new Map<string, EffectiveQuota>();
  private readonly proratedByRule = new Map<Rule, Map<Period, EffectiveQuota>>();
  private readonly weighted = new Map<Period, WeightedDays[]>();

  constructor(
    private readonly input: Pick<RepInput, 'quota' | 'calendar' | 'workingTime'>,
    private readonly plan: AssignedPlan,
  ) {
    this.calendar = input.calendar ?? civilCalendar;
    this.workingTime = input.workingTime ?? allDaysAtWork;
    this.assignments = dateSteps(plan.assignments, this.workingTime.hireDate);
    this.hasRampRates = plan.assignments.some(({ ramp }) => ramp?.steps.some(({ ratePercent }) => ratePercent !== 100));
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
  findQuota({ rule, key }: Pick<CompiledRule, 'rule' | 'key'>, period: Period): EffectiveQuota | null {
    const { quotaProration = 'none' } = rule;
    if (quotaProration === 'none') return this.input.quota(this.plan.planId, key, period);
    const ofRule = getOrInsert(this.proratedByRule, rule, () => new Map<Period, EffectiveQuota>());
    const known = ofRule.get(period);
    if (known !== undefined) return known;
    const quota = this.input.quota(this.plan.planId, key, period);
    if (quota === null || quota.isFixed === true) return quota;
    const computed = getOrInsert(this.prorated, `${quotaProration}|${key}|${period}`, () =>
      this.prorate(quota, quotaProration, period),
    );
    ofRule.set(period, computed);
    return computed;
  }

  private prorate(quota: Quota, mode: QuotaProration, period: Period): EffectiveQuota {
    const range = this.calendar.findRange(period) as DayRange;
    const months = mode === 'whole_months' ? this.calendar.listMonths(period) : [];
    const minPercent = Decimal.of(this.workingTime.minQuotaPercent);
    return effectiveQuota(quota, mode, { range, months }, this.listDays(period), minPercent);
  }

  /** The days of the period in stretches of equal weight. */
  listDays(period: Period): readonly WeightedDays[] {
    return getOrInsert(this.weighted, period, () =>
      weighDays(this.calendar.findRange(period) as DayRange, this.assignments, this.workingTime),
    );
  }

  /** The percentage of the raw amount that the rep's ramp pays on the day; null if it does not change it. */
  rampRateOn(day: Day): Decimal | null {
    return this.hasRampRates ? rampRateOn(this.assignments, day) : null;
  }
}
