import { z } from 'zod';
import { type Day, isDay } from '../kernel/day.js';
import { findDayOrderIssue } from '../kernel/day-order.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { type Issue } from '../kernel/failure.js';
import { isUuid } from '../kernel/ids.js';
import { readValue } from '../kernel/invalid-values.js';
import { type PeriodKind, periodKinds } from '../kernel/period.js';
import { type CalendarName, calendarNames } from '../kernel/period-calendar.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { type ClawbackPolicy, clawbackPolicy, policyProblems } from './clawback.js';
import { type Condition, groupSchema, leafSchema } from './condition.js';
import { type CreditKind, creditKinds } from './credit-lines.js';
import { type QuotaProration, quotaProrations } from './effective-quota.js';
import { formulaProblem } from './formula.js';
import { findRankCycles } from './rank-cycles.js';
import { flatPers, lineProblems, lineSlugsOutside, type RuleLines, withoutLines } from './rule-lines.js';
import { teamEarnings } from './slug.js';

const executionPhases = ['per_deal', 'cascade', 'periodic'] as const;
const tierBys = ['attainment', 'value', 'rank'] as const;
const tierModes = ['full_rate', 'marginal', 'retroactive', 'interpolated'] as const;
const payoutModes = ['rate', 'rate_times_attainment', 'flat_per_event', 'flat_per_tier', 'stepped_bonus'] as const;

export interface Tier extends TierPay {
  readonly tierIndex: number;
  readonly minThreshold: number;
  readonly name?: string;
  readonly repId?: string;
}

interface QuotaCredit {
  readonly field: string;
  readonly weight: number;
}

interface ScheduledPart {
  /** `close`, `paid` (as the customer pays), `paid_in_full`, or the slug of a date of the deal. */
  readonly on: string;
  readonly percent: number;
  readonly offsetDays?: number | undefined;
}

/** When what a rule earns is paid: parts that wait for days or for the customer, or equal parts from the close date on. */
export type PayoutTerms =
  | { readonly schedule: readonly ScheduledPart[] }
  | { readonly parts: number; readonly everyMonths: number };

/** One payout rule in the canonical shape, every default filled in. */
export interface Rule {
  readonly name: string;
  readonly measure: string;
  readonly executionPhase: (typeof executionPhases)[number];
  readonly attainmentPeriod: PeriodKind;
  readonly tierBy: (typeof tierBys)[number];
  readonly tierMode: (typeof tierModes)[number];
  readonly payoutMode: (typeof payoutModes)[number];
  readonly tierValueField?: string;
  readonly payoutBase?: string;
  readonly dependsOn?: string;
  readonly cap?: number;
  readonly floor?: number;
  readonly capMultiplier?: number;
  readonly floorAttainment?: number;
  readonly quotaGroup?: string;
  readonly quotaMeasure?: string;
  readonly quotaCredit?: readonly QuotaCredit[];
  /** Set in a rule that counts and pays the lines of deals. */
  readonly lines?: RuleLines;
  /** How often a fixed amount is paid. */
  readonly flatPer?: (typeof flatPers)[number];
  readonly quotaProration?: QuotaProration;
  readonly calendar?: CalendarName;
  readonly effectiveStart?: Day;
  readonly effectiveEnd?: Day;
  readonly creditKinds?: readonly CreditKind[];
  readonly creditRoles?: readonly string[];
  /** By default, all of it on the close date; a cascade rule follows its inputs. */
  readonly payout?: PayoutTerms;
  /** That of the rule or, if it has none, of the plan. Null in a rule from which nothing is taken back. */
  readonly clawback?: ClawbackPolicy | null;
  readonly conditions: readonly Condition[];
  readonly tiers: readonly Tier[];
}

/** The canonical terms of a plan version, independent of the shape in which it was written. */
export interface PlanTerms {
  readonly dealConditions: readonly Condition[];
  readonly rules: readonly Rule[];
}

type ReadPlanConfig = { readonly terms: PlanTerms } | { readonly issues: readonly [Issue, ...Issue[]] };

/**
 * Reads a config in either documented shape into canonical terms, or returns every problem with its path. One plan
 * may mix the shapes, one rule may not.
 */
export function readPlanConfig(config: unknown): ReadPlanConfig {
  const parsed = readValue(configSchema, config);
  if ('issues' in parsed) return parsed;
  const { quotaPeriod, dealConditions, clawback, rules } = parsed.value;
  const issues = conditionIssues(dealConditions, ['dealConditions']);
  issues.push(...policyIssues(clawback, 'clawback'));
  const read: Rule[] = [];
  rules.forEach((rule, index) => {
    const result = readRule(rule, index, quotaPeriod ?? 'quarterly');
    if ('issues' in result) issues.push(...result.issues);
    else read.push(withPolicy(result.rule, clawback ?? undefined));
  });
  if (issues.length === 0) issues.push(...problemsBetween(read));
  if (issues.length === 0) issues.push(...lineSlugsOutside(read, (dealConditions ?? []) as readonly Condition[]));
  const [first, ...rest] = issues;
  if (first !== undefined) return { issues: [first, ...rest] };
  return { terms: { dealConditions: (dealConditions ?? []) as Condition[], rules: read } };
}

/** A rule without a policy has that of the plan. */
function withPolicy(rule: Rule, clawback: ClawbackPolicy | undefined): Rule {
  return clawback === undefined || rule.clawback !== undefined ? rule : { ...rule, clawback };
}

function policyIssues(policy: ClawbackPolicy | null | undefined, path: string): Issue[] {
  return [...policyProblems(policy ?? {})].map((issue) => ({ ...issue, path: `${path}.${issue.path}` }));
}

/** A quota group whose rules differ in `quotaProration` or `calendar`, so that its one quota has no one meaning. */
export function groupWithDifferentTerms(rules: readonly Rule[]): string | null {
  const terms = new Map<string, string>();
  for (const { quotaGroup, quotaProration = 'none', calendar = 'calendar' } of rules) {
    if (quotaGroup === undefined) continue;
    const found = `${quotaProration} ${calendar}`;
    if ((terms.get(quotaGroup) ?? found) !== found) return quotaGroup;
    terms.set(quotaGroup, found);
  }
  return null;
}

/** A rule whose payout schedule does not divide the whole amount. */
export function ruleWithPartialSchedule(rules: readonly Rule[]): string | null {
  const isPartial = ({ payout }: Rule) =>
    payout !== undefined &&
    'schedule' in payout &&
    !sum(payout.schedule.map(({ percent }) => Decimal.of(percent))).equals(Decimal.of(100));
  return rules.find(isPartial)?.name ?? null;
}

/** The key under which a rule's credit is counted and its quota is set: its group, otherwise its name. */
export function attainmentKey(rule: Pick<Rule, 'name' | 'quotaGroup'>): string {
  return rule.quotaGroup ?? rule.name;
}

const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]*$/u, 'must not hold control characters');
const slug = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .superRefine((text, context) => {
    const message = formulaProblem(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
/** What a person does on a deal, such as SE. */
export const creditRole = name.max(50);
const ruleDay = z.string().refine(isDay, 'must be a day, YYYY-MM-DD');
const amount = z.number().min(0).max(1e12);
/** Per seat a rate is an amount of money; above 1 it has a warning. */
export const rate = z.number().min(0).max(1e6);
const threshold = z.number().min(0).max(1e12);

function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
const schedulePart = z
  .strictObject({
    on: slug.describe(
      'close: the close date; paid: as the customer pays; paid_in_full: when the customer has paid all; otherwise the slug of a date of the deal',
    ),
    percent: z
      .number()
      .gt(0)
      .max(100)
      .refine((percent) => Number(percent.toFixed(6)) === percent, 'must have at most 6 decimals')
      .describe('Share of the amount in percent; the parts add up to 100'),
    offsetDays: z.int().min(0).max(3660).optional().describe('Days by which the part, and each payment, counts later'),
  })
  .describe('A part of the amount and what it waits for');

const payoutTerms = z.union([
  z
    .strictObject({ schedule: z.array(schedulePart).min(1).max(20).describe('The parts') })
    .describe('Parts that wait for days or for the customer'),
  z
    .strictObject({
      parts: z.int().min(1).max(120).describe('Number of equal parts, the first on the close date'),
      everyMonths: z.int().min(1).max(60).describe('Months from one part to the next'),
    })
    .describe('Equal parts'),
]);

/** The description of a field, with the default and an example. The code that reads the config fills in the default. */
function documented<S extends z.ZodType>(
  schema: S,
  description: string,
  annotations: { default?: unknown; example?: unknown; deprecated?: true },
): S {
  return schema.meta({ description, ...annotations });
}

/** The rate table of a tier, or of an override of it. */
export const tableFields = {
  table: documented(
    z.string().trim().min(1).max(100).optional(),
    'Name of the rate table that says the rate, in place of rate and flatAmount',
    { example: 'Products' },
  ),
  column: documented(
    z.string().trim().min(1).max(100).optional(),
    'Column of the table; may be absent if the table has one',
    { example: 'base' },
  ),
};

const shared = {
  executionPhase: documented(
    z.enum(executionPhases).optional(),
    'per_deal pays the owner of each deal; cascade pays a manager from what the people below earned; periodic pays once for each period that has ended',
    { default: 'per_deal', example: 'cascade' },
  ),
  tierMode: documented(
    z.enum(tierModes).optional(),
    'With tierBy attainment. full_rate: the whole deal pays at the tier reached with it. marginal: each part of the deal pays at the rate of its band, like tax brackets. retroactive: every deal of the period pays at the tier that the whole period reaches. interpolated: the whole deal pays at the rate between two tiers, as on a curve',
    { default: 'full_rate', example: 'marginal' },
  ),
  payoutMode: documented(
    z.enum(payoutModes).optional(),
    'rate: base times rate, or flatAmount. rate_times_attainment: base times rate times attainment. flat_per_event: flatAmount for each deal. flat_per_tier: flatAmount once for each tier reached. stepped_bonus: the flatAmount of the highest tier reached, once a period',
    { default: 'rate', example: 'stepped_bonus' },
  ),
  payoutBase: documented(
    slug.optional(),
    'What the rate multiplies: a slug, a formula, variable_target, or "1" for flatAmount tiers. Default: the measure',
    { example: 'variable_target' },
  ),
  dependsOn: documented(
    name.optional(),
    'Cascade rules: name of the rule whose payouts to the people below are the base, or _total for all of their per_deal rules, in any plan, which is the default',
    { example: 'New business' },
  ),
  cap: documented(
    amount.optional(),
    'Max amount of money that the rule pays a rep in a period (deprecated: prefer capMultiplier)',
    { example: 14_000, deprecated: true },
  ),
  floor: documented(
    amount.optional(),
    'Min amount of money that a matching deal pays (deprecated: prefer floorAttainment)',
    { example: 100, deprecated: true },
  ),
  capMultiplier: documented(
    z.number().min(0).max(1e6).optional(),
    'Max payout of one deal, as a multiple of variableTarget',
    { example: 0.3 },
  ),
  floorAttainment: documented(
    z.number().min(0).max(1e6).optional(),
    'Attainment below which the rule pays 0: 0.5 is 50 %',
    { example: 0.5 },
  ),
  quotaGroup: documented(name.optional(), 'Rules with the same group share one quota and count towards it together', {
    example: 'Bookings',
  }),
  quotaMeasure: documented(
    slug.optional(),
    'Slug that counts towards the quota instead of measure; not together with quotaCredit',
    { example: 'arr' },
  ),
  quotaCredit: documented(
    z
      .array(
        z
          .strictObject({
            field: documented(slug, 'Slug that counts towards the quota', { example: 'services' }),
            weight: documented(
              z.number().min(-1e6).max(1e6).optional(),
              'Factor of the value; a negative weight subtracts',
              { default: 1, example: 2 },
            ),
          })
          .describe('One field and its weight'),
      )
      .min(1)
      .max(50)
      .optional(),
    'Several fields that count towards the quota, each times its weight; the payout does not change',
    { example: [{ field: 'amount' }, { field: 'services', weight: 2 }] },
  ),
  quotaProration: documented(
    z.enum(quotaProrations).optional(),
    'Whether the quota of a period follows the days that a rep works in it, by days or by whole months',
    { default: 'none', example: 'calendar_days' },
  ),
  calendar: documented(z.enum(calendarNames).optional(), 'Calendar of attainmentPeriod', {
    default: 'calendar',
    example: 'fiscal',
  }),
  effectiveStart: documented(ruleDay.optional(), 'First day on which the rule pays', { example: '2026-05-04' }),
  effectiveEnd: documented(ruleDay.optional(), 'Last day on which it pays', {
    example: '2026-05-24',
  }),
  creditKinds: documented(
    z.array(z.enum(creditKinds)).min(1).max(2).refine(isDistinct, 'must not repeat a kind').optional(),
    'Which credit lines of a deal pay: splits of it, overlays on it, or both',
    { default: ['split'], example: ['overlay'] },
  ),
  creditRoles: documented(
    z.array(creditRole).min(1).max(20).refine(isDistinct, 'must not repeat a role').optional(),
    'Roles whose credit lines pay; a line without a role then pays nothing. Default: any',
    { example: ['SE'] },
  ),
  clawback: documented(
    clawbackPolicy.nullable().optional(),
    'What a refund takes back of what the rule has paid, in place of the clawback of the plan; null: nothing. A cascade rule follows its inputs unless it is null',
    { example: { window: { days: 180 } } },
  ),
  payout: documented(payoutTerms.optional(), 'When what the rule earns is paid, in workspaces with payouts', {
    example: { schedule: [{ on: 'paid', percent: 100 }] },
  }),
  conditions: z.unknown().optional(),
  lines: z
    .strictObject({ conditions: z.unknown().optional(), withoutLines: z.enum(withoutLines).optional() })
    .optional(),
  flatPer: documented(
    z.enum(flatPers).optional(),
    'Rules with lines: whether a fixed amount is paid once for the deal, for each counted line, or for each unit of line.quantity. Default: deal, or line where tierValueField names lines',
    { example: 'line' },
  ),
};

type SharedFields = z.output<z.ZodObject<typeof shared>>;

const canonicalTier = z
  .strictObject({
    tierIndex: documented(z.int().min(0).max(10_000), 'Position of the tier, from 0', { example: 0 }),
    minThreshold: documented(
      threshold,
      'Where the tier begins: a ratio of the quota with tierBy attainment (1 is 100 %), a value of tierValueField with tierBy value, a place with tierBy rank (1 is the best). 0, or place 1, for the first tier',
      { example: 1.25 },
    ),
    name: documented(name.optional(), 'Name on statements', { example: 'Accelerator' }),
    rate: documented(rate.optional(), 'Share of the base: 0.08 is 8 %. Give rate or flatAmount', { example: 0.08 }),
    flatAmount: documented(amount.optional(), 'Fixed amount of money instead of a rate', { example: 500 }),
    ...tableFields,
    repId: documented(
      z.string().refine(isUuid, 'must be a rep id').nullish(),
      'Only for this rep (UUID); omit for all reps',
      { example: sampleIds.repId },
    ),
  })
  .describe('A threshold with the rate or the fixed amount that it pays');

const canonicalRule = z
  .strictObject({
    name: documented(name, 'Unique in the plan; quotas may name the rule by it', { example: 'New business' }),
    measure: documented(
      slug,
      'Slug of the deal field that the rate multiplies and that counts towards the quota: amount, a slug of list_fields (GET /v1/fields), _deals, which is 1 for every deal, or a formula such as = amount * discount',
      { example: 'amount' },
    ),
    attainmentPeriod: documented(
      z.enum(periodKinds).optional(),
      'How long attainment adds up; quotas must be set for periods of this kind',
      { default: 'quarterly', example: 'monthly' },
    ),
    tierBy: documented(
      z.enum(tierBys).optional(),
      'What decides the tier. attainment: credit over quota. value: the value of tierValueField. rank: position among the reps of the plan',
      { default: 'attainment', example: 'value' },
    ),
    tierValueField: documented(slug.optional(), 'Slug that decides the tier; required when tierBy is value', {
      example: 'contract_months',
    }),
    tiers: z.array(canonicalTier).min(1).max(500).describe('A flat rate is one tier with minThreshold 0'),
    ...shared,
  })
  .describe('A payout rule');

/** Cascade rules count what the people below earned on a deal unless they name a field of the deal. */
const cascadeMeasure = documented(
  canonicalRule.shape.measure.optional(),
  'Slug of the deal field that the rate multiplies and that counts towards the quota: amount, a slug of list_fields (GET /v1/fields), _deals, which is 1 for every deal, or a formula such as = amount * discount. Required, except in cascade rules: these count what the people below earned (_earned)',
  { example: 'amount' },
);
const cascadeRule = canonicalRule.extend({ measure: cascadeMeasure });

const secondTier = z.strictObject({
  name: name.optional(),
  min: threshold.optional(),
  rate: rate.optional(),
  amount: amount.optional(),
  flatAmount: amount.optional(),
  ...tableFields,
});

const secondRule = z.strictObject({
  ...shared,
  name: name.optional(),
  baseField: slug,
  attainmentPeriod: z.enum(periodKinds).optional(),
  tierBy: slug.optional(),
  tiers: z.array(secondTier).min(1).max(50),
});
const secondCascadeRule = secondRule.extend({ baseField: slug.optional() });

export const conditionList = z.array(z.union([leafSchema, groupSchema])).max(50);
const conditions = conditionList.optional();

const describedLines = documented(
  z
    .strictObject({
      conditions: conditions.describe(
        'Which lines count, by fields of the line (line.family) and of the deal; all must hold',
      ),
      withoutLines: documented(
        z.enum(withoutLines).optional(),
        'A deal without lines. none: pays nothing. deal: is one line, whose line.amount is the amount of the deal',
        { default: 'none', example: 'deal' },
      ),
    })
    .optional(),
  'Counts and pays the lines of deals; {} counts all of them. measure, payoutBase, tierValueField, quotaMeasure, quotaCredit and keys of rate tables may then name fields of lines such as line.amount, and _lines, which is 1 for every line',
  { example: { conditions: [{ field: 'line.family', fieldType: 'text', operator: 'equals', value: 'software' }] } },
);

/** The recommended config shape, as documents describe it; {@link readPlanConfig} reads the other shape too. */
export const describedPlanConfig = z
  .strictObject({
    dealConditions: conditions.describe(
      'All must hold for any rule to pay on a deal. Without a condition on the stage, open and lost deals pay too',
    ),
    clawback: documented(
      clawbackPolicy.optional(),
      'What the refund of a deal takes back of its commission; nothing when absent',
      { example: { window: { days: 180 }, declining: true } },
    ),
    rules: z
      .array(
        cascadeRule
          .extend({
            conditions: conditions.describe('Further conditions for this rule alone; all must hold'),
            lines: describedLines,
          })
          .describe('A payout rule'),
      )
      .min(1)
      .max(50)
      .describe('What the plan pays. Rules are independent unless they share a quotaGroup'),
  })
  .describe('Conditions and rules of a plan');

const configSchema = z.strictObject({
  name: z.string().max(200).optional(),
  version: z.number().optional(),
  quotaPeriod: z.enum(periodKinds).optional(),
  effectiveStart: z.string().nullish(),
  effectiveEnd: z.string().nullish(),
  dealConditions: z.unknown().optional(),
  clawback: clawbackPolicy.nullish(),
  rules: z.array(z.record(z.string(), z.unknown())).min(1, 'a plan needs at least one rule').max(50),
});

type RuleResult = { readonly rule: Rule } | { readonly issues: readonly Issue[] };

function readRule(raw: Record<string, unknown>, index: number, period: PeriodKind): RuleResult {
  const path = ['rules', index];
  const tiers = Array.isArray(raw['tiers']) ? (raw['tiers'] as unknown[]) : [];
  const tierHas = (key: string) => tiers.some((tier) => isObject(tier) && Object.hasOwn(tier, key));
  const second = Object.hasOwn(raw, 'baseField') || ['min', 'amount'].some(tierHas);
  const canonical =
    ['measure', 'tierValueField'].some((key) => Object.hasOwn(raw, key)) || ['tierIndex', 'minThreshold'].some(tierHas);
  if (second && canonical) {
    return {
      issues: [
        {
          path: path.join('.'),
          message: 'mixes the two config shapes; use measure, tierIndex and minThreshold, or baseField and min',
        },
      ],
    };
  }
  const issues = conditionIssues(raw['conditions'], [...path, 'conditions']);
  if (isObject(raw['lines']))
    issues.push(...conditionIssues(raw['lines']['conditions'], [...path, 'lines.conditions']));
  if (issues.length > 0) return { issues };
  return second ? readSecondRule(raw, index, period) : readCanonicalRule(raw, index, period);
}

function readCanonicalRule(raw: Record<string, unknown>, index: number, period: PeriodKind): RuleResult {
  const parsed = readValue(isCascade(raw) ? cascadeRule : canonicalRule, raw, ['rules', index]);
  if ('issues' in parsed) return parsed;
  const {
    tiers,
    name,
    measure = teamEarnings,
    attainmentPeriod = period,
    tierBy = 'attainment',
    tierValueField,
    ...rest
  } = parsed.value;
  return complete(index, {
    ...withDefaults(rest),
    name,
    measure,
    attainmentPeriod,
    tierBy,
    ...compact({ tierValueField }),
    tiers: tiers.map(({ tierIndex, minThreshold, repId, ...tier }) => ({
      tierIndex,
      minThreshold,
      ...compact({ ...tier, repId: repId?.toLowerCase() }),
    })),
  });
}

function isCascade(raw: Record<string, unknown>): boolean {
  return raw['executionPhase'] === 'cascade';
}

function readSecondRule(raw: Record<string, unknown>, index: number, period: PeriodKind): RuleResult {
  const parsed = readValue(isCascade(raw) ? secondCascadeRule : secondRule, raw, ['rules', index]);
  if ('issues' in parsed) return parsed;
  const {
    baseField = teamEarnings,
    tiers,
    name = `Rule ${index + 1}`,
    attainmentPeriod = period,
    tierBy,
    ...rest
  } = parsed.value;
  const both = tiers.findIndex((tier) => tier.amount !== undefined && tier.flatAmount !== undefined);
  if (both >= 0)
    return {
      issues: [
        { path: `rules.${index}.tiers.${both}`, message: 'amount and flatAmount have the same meaning; give one' },
      ],
    };
  const known = tierBy === undefined ? 'attainment' : tierBys.find((kind) => kind === tierBy);
  const tierValueField = known === undefined ? tierBy : known === 'value' ? baseField : undefined;
  return complete(index, {
    ...withDefaults(rest),
    name,
    measure: baseField,
    attainmentPeriod,
    tierBy: known ?? 'value',
    ...compact({ tierValueField }),
    tiers: tiers.map(({ min = 0, amount: fixed, flatAmount = fixed, ...tier }, tierIndex) => ({
      tierIndex,
      minThreshold: min,
      ...compact({ ...tier, flatAmount }),
    })),
  });
}

/** The fields of both shapes, with their defaults. */
function withDefaults({
  executionPhase = 'per_deal',
  tierMode = 'full_rate',
  payoutMode = 'rate',
  quotaCredit,
  conditions: sentConditions,
  lines: sentLines,
  ...options
}: SharedFields) {
  const lines = sentLines === undefined ? undefined : (compact(sentLines) as RuleLines);
  const weighted = quotaCredit?.map(({ field, weight = 1 }) => ({ field, weight }));
  const conditions = (sentConditions ?? []) as Condition[];
  return { executionPhase, tierMode, payoutMode, ...compact({ ...options, lines, quotaCredit: weighted }), conditions };
}

function complete(index: number, rule: Rule): RuleResult {
  const issues = [...ruleProblems(rule, index)];
  return issues.length > 0 ? { issues } : { rule };
}

function* ruleProblems(rule: Rule, index: number): Generator<Issue> {
  const at = (key: string) => `rules.${index}.${key}`;
  if (rule.tierMode !== 'full_rate' && rule.tierBy !== 'attainment') {
    yield { path: at('tierMode'), message: `${rule.tierMode} needs tierBy attainment` };
  }
  if (rule.tierBy === 'value' && rule.tierValueField === undefined) {
    yield { path: at('tierValueField'), message: 'is required when tierBy is value' };
  }
  if (rule.quotaMeasure !== undefined && rule.quotaCredit !== undefined) {
    yield { path: at('quotaCredit'), message: 'cannot be combined with quotaMeasure' };
  }
  if (rule.dependsOn !== undefined && rule.executionPhase !== 'cascade') {
    yield { path: at('dependsOn'), message: 'is allowed only in cascade rules' };
  }
  for (const key of ['creditKinds', 'creditRoles'] as const)
    if (rule[key] !== undefined && rule.executionPhase === 'cascade')
      yield { path: at(key), message: 'is not allowed in cascade rules; dependsOn says what they follow' };
  yield* measureProblems(rule, at);
  if (rule.dependsOn === rule.name) yield { path: at('dependsOn'), message: 'a rule cannot depend on itself' };
  const disorder = findDayOrderIssue(['effectiveStart', rule.effectiveStart], ['effectiveEnd', rule.effectiveEnd]);
  if (disorder !== null) yield { ...disorder, path: at(disorder.path) };
  yield* modeProblems(rule, at);
  yield* lineProblems(rule, at);
  yield* payoutProblems(rule, at);
  yield* policyIssues(rule.clawback, at('clawback'));
  yield* tierProblems(rule, at);
}

/** A periodic rule pays for a period, which has no customer and no dates. */
function* payoutProblems({ executionPhase, payout }: Rule, at: (key: string) => string): Generator<Issue> {
  if (executionPhase !== 'periodic' || payout === undefined || 'parts' in payout) return;
  for (const [index, { on }] of payout.schedule.entries())
    if (on !== 'close')
      yield { path: at(`payout.schedule.${index}.on`), message: 'must be close: a periodic rule pays for no deal' };
}

function* modeProblems(rule: Rule, at: (key: string) => string): Generator<Issue> {
  const bands = rule.payoutMode === 'flat_per_tier' || rule.payoutMode === 'stepped_bonus';
  if (bands && (rule.tierBy !== 'attainment' || rule.tierMode === 'retroactive')) {
    yield { path: at('payoutMode'), message: `${rule.payoutMode} needs tierBy attainment, and is not retroactive` };
  }
  const isDivided = rule.tierMode === 'marginal' || rule.tierMode === 'interpolated';
  if (rule.payoutMode === 'rate_times_attainment' && (rule.tierBy !== 'attainment' || isDivided)) {
    yield {
      path: at('payoutMode'),
      message: 'rate_times_attainment needs tierBy attainment and tierMode full_rate or retroactive',
    };
  }
  if (rule.tierMode === 'interpolated' && rule.payoutMode !== 'rate')
    yield { path: at('payoutMode'), message: 'must be rate with tierMode interpolated' };
}

function* measureProblems(rule: Rule, at: (key: string) => string): Generator<Issue> {
  if (rule.measure === teamEarnings && rule.executionPhase !== 'cascade')
    yield { path: at('measure'), message: `${teamEarnings} is what the people below earned, in cascade rules only` };
  const others = {
    payoutBase: rule.payoutBase,
    tierValueField: rule.tierValueField,
    quotaMeasure: rule.quotaMeasure,
    quotaCredit: rule.quotaCredit?.find(({ field }) => field === teamEarnings)?.field,
  };
  for (const [key, field] of Object.entries(others))
    if (field === teamEarnings) yield { path: at(key), message: `${teamEarnings} can only be the measure` };
}

function* tierProblems(rule: Rule, at: (key: string) => string): Generator<Issue> {
  const seen = new Set<string>();
  const lastThreshold = new Map<string, number>();
  const inOrder = rule.tiers
    .map((tier, position) => ({ tier, position }))
    .sort((a, b) => a.tier.tierIndex - b.tier.tierIndex);
  for (const { tier, position } of inOrder) {
    const path = at(`tiers.${position}`);
    const owner = tier.repId ?? '';
    const key = `${owner}|${tier.tierIndex}`;
    for (const message of payProblems(tier, rule)) yield { path, message };
    if (seen.has(key)) yield { path, message: `tierIndex ${tier.tierIndex} is given twice` };
    if (tier.minThreshold < (lastThreshold.get(owner) ?? 0))
      yield { path, message: 'minThreshold must not fall from one tier to the next' };
    seen.add(key);
    lastThreshold.set(owner, tier.minThreshold);
  }
  if (rule.tierBy === 'rank') yield* unreachedPlaces(inOrder, at);
}

/** Places are whole numbers from 1 on, so no rep reaches a tier if the next one begins at or before its first place. */
function* unreachedPlaces(
  inOrder: readonly { readonly tier: Tier; readonly position: number }[],
  at: (key: string) => string,
): Generator<Issue> {
  for (const [index, { tier, position }] of inOrder.entries()) {
    const next = inOrder.slice(index + 1).find((other) => other.tier.repId === tier.repId)?.tier;
    if (next !== undefined && next.minThreshold <= Math.max(1, Math.ceil(tier.minThreshold)))
      yield {
        path: at(`tiers.${position}`),
        message: `no rep reaches this tier: places begin at 1, and the next tier begins at ${next.minThreshold}`,
      };
  }
}

/** What a tier, or an override of it, pays: exactly one of a rate, a fixed amount and a rate table. */
export interface TierPay {
  readonly rate?: number | undefined;
  readonly flatAmount?: number | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
}

/** Why a tier of the rule, or an override of it, cannot pay these terms. */
export function* payProblems(
  { rate, flatAmount, table, column }: TierPay,
  { payoutMode = 'rate', tierMode }: Partial<Pick<Rule, 'payoutMode' | 'tierMode'>>,
): Generator<string> {
  const present = Object.entries({ rate, flatAmount, table }).filter(([, value]) => value !== undefined);
  const names = present.map(([name]) => name);
  if (names.length > 1) yield `${names.join(' and ')} exclude each other`;
  if (names.length === 0) yield 'needs a rate or a flatAmount';
  if (table === undefined && column !== undefined) yield 'column needs a table';
  if (flatAmount !== undefined && tierMode === 'interpolated')
    yield 'tierMode interpolated pays rates; a curve in money has payoutBase variable_target';
  if (flatAmount !== undefined && payoutMode === 'rate_times_attainment')
    yield 'payoutMode rate_times_attainment pays a rate; give rate instead of flatAmount';
  if (payoutMode === 'rate' || payoutMode === 'rate_times_attainment') return;
  for (const name of names)
    if (name !== 'flatAmount') yield `payoutMode ${payoutMode} pays fixed amounts; give flatAmount instead of ${name}`;
}

function* problemsBetween(rules: readonly Rule[]): Generator<Issue> {
  const names = new Map<string, Rule>();
  for (const [index, rule] of rules.entries()) {
    if (names.has(rule.name)) yield { path: `rules.${index}.name`, message: `two rules are named ${rule.name}` };
    names.set(rule.name, rule);
  }
  for (const [index, rule] of rules.entries()) {
    let upstream = names.get(rule.dependsOn ?? '');
    for (let steps = 0; upstream !== undefined && steps <= rules.length; steps += 1) {
      if (upstream === rule) {
        yield { path: `rules.${index}.dependsOn`, message: 'the rules depend on each other in a cycle' };
        break;
      }
      upstream = names.get(upstream.dependsOn ?? '');
    }
  }
  for (const index of findRankCycles(rules))
    yield {
      path: `rules.${index}.measure`,
      message: `counts what is earned below towards a quota whose rank decides what is earned below; ${rules[index]?.lines === undefined ? 'count a field with quotaMeasure, or use' : 'use'} another quotaGroup`,
    };
}

/** Conditions are parsed leaf by leaf, since a union would report only that no shape matched. */
function conditionIssues(raw: unknown, path: readonly PropertyKey[]): Issue[] {
  if (raw === undefined) return [];
  if (!Array.isArray(raw)) return [{ path: path.join('.'), message: 'must be an array of conditions' }];
  if (raw.length > 50) return [{ path: path.join('.'), message: 'must hold at most 50 conditions' }];
  return raw.flatMap((item, index) => {
    const schema = isObject(item) && Object.hasOwn(item, 'rules') ? groupSchema : leafSchema;
    const read = readValue<unknown>(schema, item, [...path, index]);
    return 'issues' in read ? read.issues : [];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Compact<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The record without properties that are undefined. */
function compact<T extends object>(record: T): Compact<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Compact<T>;
}
