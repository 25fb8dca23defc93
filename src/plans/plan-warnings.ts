import { z } from 'zod';
import { attainmentKey, type PlanTerms, type Rule } from '../engine/plan-config.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { type PeriodKind } from '../kernel/period.js';
import { type CalendarName, type PeriodCalendar } from '../kernel/period-calendar.js';

const planWarningCodes = [
  'rate_above_one',
  'threshold_above_ten',
  'rank_open_ended',
  'floor_with_marginal',
  'unknown_field',
  'unknown_value',
  'no_deal_conditions',
  'unassigned',
  'quota_missing',
  'restates_open_periods',
  'later_version_starts',
  'attainment_restarts',
  'plan_not_active',
  'no_fiscal_year',
  'no_effect_without_proration',
  'no_rate',
  'rates_come_later',
  'table_without_default',
  'unknown_line_field',
] as const;

const planWarning = z
  .object({
    code: z.enum(planWarningCodes).describe('What may be wrong'),
    path: z.string().describe('Field of the request that the warning is about; empty for the plan as a whole'),
    message: z.string().describe('The consequence, and what to do'),
  })
  .describe('One warning about the plan');
export type PlanWarning = z.infer<typeof planWarning>;

/** Warnings never cause a rejection. */
export const planWarnings = z
  .array(planWarning)
  .describe('What may be wrong with the plan. Warnings never cause a rejection');

/** Warnings that follow from the terms alone. `config` is the config as sent: paths name its fields. */
export function checkTerms(config: unknown, terms: PlanTerms): PlanWarning[] {
  const rules = terms.rules.flatMap((rule, index) => checkRule(rule, readRuleNames(config, index)));
  return [...rules, ...conditionWarnings(terms)];
}

/** Names of a rule's fields in the config shape that it was written in, and the path of the rule. */
interface RuleNames {
  readonly path: string;
  readonly measure: 'measure' | 'baseField';
  readonly tierValue: 'tierValueField' | 'tierBy';
  threshold(tierIndex: number): string;
}

export function readRuleNames(config: unknown, index: number): RuleNames {
  const rule = readMember(readMember(config, 'rules'), index);
  const path = `config.rules.${index}`;
  // Cascade rules may have neither a measure nor a base field.
  const isSecondShape =
    readMember(rule, 'measure') === undefined &&
    readMember(readMember(readMember(rule, 'tiers'), 0), 'minThreshold') === undefined;
  return {
    path,
    measure: isSecondShape ? 'baseField' : 'measure',
    tierValue: isSecondShape ? 'tierBy' : 'tierValueField',
    threshold: (tier) => `${path}.tiers.${tier}.${isSecondShape ? 'min' : 'minThreshold'}`,
  };
}

function readMember(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
}

/** A ratio of 1 is 100 %, so a threshold beyond this is probably a percentage. */
const highestUsualRatio = 10;

function checkRule(rule: Rule, names: RuleNames): PlanWarning[] {
  // Rates above 1 are common where they multiply the variable target: 1.5 is an accelerator.
  const isShareOfDeal = rule.payoutBase !== 'variable_target';
  const rates = rule.tiers.flatMap(({ rate }, index): PlanWarning[] =>
    isShareOfDeal && rate !== undefined && rate > 1
      ? [
          {
            code: 'rate_above_one',
            path: `${names.path}.tiers.${index}.rate`,
            message: `The rate ${rate} of "${rule.name}" pays ${percent(rate)} of the base. A rate of 0.08 is 8 %.`,
          },
        ]
      : [],
  );
  const ratio = (value: number, path: string, what: string): PlanWarning[] =>
    rule.tierBy === 'attainment' && value > highestUsualRatio
      ? [
          {
            code: 'threshold_above_ten',
            path,
            message: `The ${what} ${value} of "${rule.name}" is ${percent(value)} of the quota. A threshold of 1 is 100 %.`,
          },
        ]
      : [];
  const thresholds = rule.tiers.flatMap((tier, index) => ratio(tier.minThreshold, names.threshold(index), 'threshold'));
  return [
    ...rates,
    ...thresholds,
    ...openRanks(rule, names),
    ...floorOfParts(rule, names),
    ...ratio(rule.floorAttainment ?? 0, `${names.path}.floorAttainment`, 'floorAttainment'),
  ];
}

/** The last place without an end, which everyone behind it has too. */
function openRanks({ name, tierBy, tiers }: Rule, { path }: RuleNames): PlanWarning[] {
  const shared = tiers.filter(({ repId }) => repId === undefined);
  const last = shared.at(-1);
  const pays = (last?.rate ?? 0) > 0 || (last?.flatAmount ?? 0) > 0;
  if (tierBy !== 'rank' || last === undefined || !pays) return [];
  return [
    {
      code: 'rank_open_ended',
      path: `${path}.tiers.${tiers.indexOf(last)}`,
      message: `"${name}" pays everyone from place ${last.minThreshold} on. To pay the first places only, add a tier that pays 0 from the place after the last that is paid.`,
    },
  ];
}

/** Parts of deals are paid by tier, and whole deals lie below or above the floor: what is paid depends on their sizes. */
function floorOfParts(rule: Rule, { path }: RuleNames): PlanWarning[] {
  const { name, floorAttainment = 0, tierMode, executionPhase } = rule;
  if (floorAttainment <= 0 || tierMode !== 'marginal' || executionPhase !== 'per_deal') return [];
  return [
    {
      code: 'floor_with_marginal',
      path: `${path}.floorAttainment`,
      message: `"${name}" never pays deals below ${percent(floorAttainment)}, and pays the deal that crosses it in full. To pay only the part above, use a first tier with rate 0 in place of the floor; to pay everything once it is reached, use executionPhase periodic.`,
    },
  ];
}

function percent(ratio: number): string {
  return `${(ratio * 100).toLocaleString('en-US', { maximumFractionDigits: 2 })} %`;
}

/** Cascade rules and periodic rules of a group take credit from other rules, whose conditions apply. */
function readsDeals(rule: Rule): boolean {
  return rule.executionPhase === 'per_deal' || (rule.executionPhase === 'periodic' && rule.quotaGroup === undefined);
}

function conditionWarnings({ dealConditions, rules }: PlanTerms): PlanWarning[] {
  if (dealConditions.length > 0) return [];
  const open = rules.filter((rule) => readsDeals(rule) && rule.conditions.length === 0);
  if (open.length === 0) return [];
  const names = open.map((rule) => `"${rule.name}"`).join(', ');
  return [
    {
      code: 'no_deal_conditions',
      path: 'config.dealConditions',
      message: `Without a condition, ${names} ${open.length === 1 ? 'pays' : 'pay'} on every deal, won or not. Add a condition on the stage.`,
    },
  ];
}

/** A quota that the rules of one attainment key need, in periods of one kind. */
interface NeededQuota {
  readonly key: string;
  readonly kind: PeriodKind;
  readonly calendar: CalendarName;
  readonly path: string;
  readonly needsTarget: boolean;
  readonly needsVariableTarget: boolean;
}

/** The quotas that the rules need; rules of one group share one. */
export function listNeededQuotas(terms: PlanTerms): NeededQuota[] {
  const needed = new Map<string, NeededQuota>();
  terms.rules.forEach((rule, index) => {
    const key = attainmentKey(rule);
    const earlier = needed.get(key);
    const quota = {
      key,
      kind: rule.attainmentPeriod,
      calendar: rule.calendar ?? 'calendar',
      path: earlier?.path ?? `config.rules.${index}`,
      needsTarget: needsTarget(rule) || earlier?.needsTarget === true,
      needsVariableTarget: rule.payoutBase === 'variable_target' || earlier?.needsVariableTarget === true,
    };
    if (quota.needsTarget || quota.needsVariableTarget) needed.set(key, quota);
  });
  return [...needed.values()];
}

/** A single tier at 0 pays without a quota, unless the rule has a floor of attainment. */
function needsTarget(rule: Rule): boolean {
  if (rule.tierBy !== 'attainment') return false;
  if (rule.payoutMode === 'rate_times_attainment') return true;
  const thresholds = rule.tiers.filter((tier) => tier.repId === undefined).map((tier) => tier.minThreshold);
  const isFlatRate = thresholds.length === 1 && thresholds[0] === 0;
  return !isFlatRate || (rule.floorAttainment ?? 0) > 0;
}

/** Warns of rules of the fiscal calendar that pay nothing on a day of the range, because it lies in no fiscal year. */
export function fiscalYearWarnings(
  { rules }: PlanTerms,
  calendar: PeriodCalendar,
  { from, to }: DayRange,
): PlanWarning[] {
  const day = [from, to].find((end) => calendar.findPeriod(end, 'annual', 'fiscal') === null);
  if (day === undefined) return [];
  return rules.flatMap(({ name, calendar: ofRule }, index): PlanWarning[] =>
    ofRule === 'fiscal'
      ? [
          {
            code: 'no_fiscal_year',
            path: `config.rules.${index}.calendar`,
            message: `"${name}" counts fiscal periods, but ${day} lies in no fiscal year, so it pays nothing on that day. Define the year (PUT /v1/fiscal-years).`,
          },
        ]
      : [],
  );
}

export function unassignedWarning(): PlanWarning {
  return {
    code: 'unassigned',
    path: '',
    message: 'No rep is assigned to the plan on the days that it covers, so it pays no commission. Assign reps to it.',
  };
}

const maxNames = 3;

function listNames(names: readonly string[]): string {
  const more = names.length - maxNames;
  return more > 0 ? `${names.slice(0, maxNames).join(', ')} and ${more} more` : names.join(', ');
}

/** Warns that some of the `assigned` reps lack the quota in the period. Their names are known for stored plans only. */
export function quotaMissingWarning(
  needed: NeededQuota,
  period: string,
  { missing, assigned }: { readonly missing: number | readonly string[]; readonly assigned: number },
): PlanWarning {
  const { key, path, needsTarget: byAttainment } = needed;
  const lack = byAttainment ? 'quota' : 'quota with a variable target';
  const effect = byAttainment ? 'Their attainment is 0 and no tier is reached.' : 'The rule pays them nothing.';
  const count = typeof missing === 'number' ? missing : missing.length;
  const who = typeof missing === 'number' ? '' : `: ${listNames(missing)}`;
  return {
    code: 'quota_missing',
    path,
    message: `${count} of ${assigned} assigned reps have no ${lack} for "${key}" in ${period}${who}. ${effect}`,
  };
}

export function restatementWarning(events: number, from: Day | null): PlanWarning {
  const since = from === null ? '' : ` since ${from}`;
  return {
    code: 'restates_open_periods',
    path: 'effectiveStart',
    message: `${events} commission ${events === 1 ? 'event' : 'events'}${since} in open periods will be recalculated. Give a later effectiveStart to leave earlier days unchanged.`,
  };
}
