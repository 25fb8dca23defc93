import { formulaWords, reasonTexts } from '#src/client.js';
import type { Condition, Leaf, Operator } from '#src/engine/condition.js';
import type { Rule } from '#src/engine/plan-config.js';
import { formatDay } from '../../shared/format/dates.js';
import { inWords } from '../../shared/format/in-words.js';
import { formatAttainment, formatMoney, formatNumber, formatRate } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { clawbackSentence } from './clawback-words.js';

export const operatorWords: Readonly<Record<Operator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  in: 'is one of',
  not_in: 'is none of',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  between: 'is between',
  before: 'is before',
  after: 'is after',
  in_period: 'is in',
  in_last_n_days: 'is in the last … days',
  is_set: 'is filled in',
  is_not_set: 'is empty',
  is_true: 'is yes',
  is_false: 'is no',
};

/** The measures of rules that are no fields of a deal. */
export const dealCount = '_deals';
export const lineCount = '_lines';
export const teamEarnings = '_earned';

/** Whether a field of a plan is computed from other ones. */
export function isFormula(slug: string): boolean {
  return slug.startsWith('=');
}

/** Fields of products and people with special names, by the slug in small letters. */
const ownNames: Readonly<Record<string, string>> = {
  [dealCount]: 'Number of deals',
  [lineCount]: 'Number of products',
  [teamEarnings]: 'What the team earns',
  'line.family': 'Product family',
  'line.name': 'Product name',
  'line.product_code': 'Product code',
  'line.amount': 'Net amount of the product',
  'rep.tenure_months': 'Months of service',
};

/** The name of a field: deal_type becomes Deal type, and line.unit_price Unit price of the product. */
export function fieldWords(slug: string): string {
  const own = ownNames[slug.toLowerCase()];
  if (own !== undefined) return own;
  const [, owner, field = ''] = /^(line|rep)\.(.*)$/i.exec(slug) ?? [];
  if (owner !== undefined)
    return `${fieldWords(field)} of the ${owner.toLowerCase() === 'line' ? 'product' : 'person'}`;
  if (isFormula(slug)) return capitalized(formulaWords(slug));
  // A column of a file, with the words and the spelling that people gave it.
  if (/\s/.test(slug)) return slug;
  const words = slug
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();
  return capitalized(words);
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The value of a field: a discount of a product, which is a fraction, as a percentage. */
export function fieldValueWords(slug: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => fieldValueWords(slug, each)).join(', ');
  if (slug.toLowerCase() === 'line.discount' && typeof value === 'number') return formatRate(value);
  return valueWords(value);
}

export function valueWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'empty';
  if (Array.isArray(value)) return value.map(valueWords).join(', ');
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return inWords(String(value));
}

/** The periods of a condition that depend on the close date of the deal. */
export const relativePeriods = [
  ['this_month', 'the month of the close date'],
  ['last_month', 'the month before'],
  ['this_quarter', 'the quarter of the close date'],
  ['last_quarter', 'the quarter before'],
  ['this_year', 'the year of the close date'],
  ['last_year', 'the year before'],
] as const;

export function conditionWords({ field, operator, value }: Pick<Leaf, 'field' | 'operator' | 'value'>): string {
  const words = `${fieldWords(field)} ${operatorWords[operator]}`;
  if (operator === 'in_last_n_days') return words.replace('…', valueWords(value));
  return value === undefined ? words : `${words} ${comparedWords(field, operator, value)}`;
}

function comparedWords(field: string, operator: Operator, value: unknown): string {
  if (operator === 'between' && Array.isArray(value))
    return value.map((each) => fieldValueWords(field, each)).join(' and ');
  if (operator === 'in_period')
    return relativePeriods.find(([key]) => key === value)?.[1] ?? formatPeriod(String(value));
  return fieldValueWords(field, value);
}

/** One sentence for each condition that must hold. */
export function conditionLines(conditions: readonly Condition[]): string[] {
  return conditions.map((condition) =>
    'rules' in condition
      ? condition.rules.map(conditionWords).join(condition.operator === 'or' ? ', or ' : ', and ')
      : conditionWords(condition),
  );
}

const lengths = { monthly: 'month', quarterly: 'quarter', semi_annual: 'half-year', annual: 'year' } as const;

/** The attainment period of a rule: quarter, or fiscal quarter. */
export function attainmentPeriodWords({ attainmentPeriod, calendar }: CountedPeriods): string {
  const length = lengths[attainmentPeriod as keyof typeof lengths] ?? attainmentPeriod;
  return calendar === 'fiscal' ? `fiscal ${length}` : length;
}

const prorationBases = {
  none: 'nothing',
  calendar_days: 'days of work',
  whole_months: 'whole months of work',
} as const;

/** By what the quota of a rule is prorated. */
export function prorationBasis({ quotaProration = 'none' }: ProratedRule): string {
  return prorationBases[quotaProration];
}

interface ProratedRule {
  readonly quotaProration?: keyof typeof prorationBases | undefined;
}

function prorationSentence(rule: Rule): string | null {
  if (rule.quotaProration === undefined || rule.quotaProration === 'none') return null;
  return `Your quota is prorated by ${prorationBasis(rule)}: absences, ramps and days of employment change it.`;
}

interface CountedPeriods {
  readonly attainmentPeriod: string;
  readonly calendar?: 'calendar' | 'fiscal' | undefined;
}

/** What the rule multiplies, in words: of each product, in a rule that pays products. */
export function baseWords({ payoutBase, measure, lines }: Rule): string {
  if (payoutBase === 'variable_target') return 'your variable target';
  const words = fieldWords(payoutBase ?? measure).toLowerCase();
  return lines === undefined ? words : `${words.replace(/ of the product$/, '')} of each product`;
}

interface Pay {
  readonly rate?: number | null;
  readonly flatAmount?: number | null;
  /** The rate table that says the rate, and its column. */
  readonly table?: string | null;
  readonly column?: string | null;
}

export function payWords({ rate, flatAmount, table, column }: Pay, currency: string): string {
  if (table != null) return `rates of ${table}${column == null ? '' : ` (${column})`}`;
  return rate == null ? formatMoney(flatAmount ?? 0, currency) : formatRate(rate);
}

export function thresholdWords({ tierBy }: Pick<Rule, 'tierBy'>, threshold: number): string {
  return tierBy === 'attainment' ? formatAttainment(threshold) : formatNumber(threshold);
}

/** How a rule pays, in sentences. */
export function ruleSentences(rule: Rule, currency: string): string[] {
  const sentences = [
    phaseSentence(rule),
    ...lineSentences(rule),
    tableSentence(rule),
    creditSentence(rule),
    factorSentence(rule),
    tierSentence(rule),
    prorationSentence(rule),
    daySentence(rule),
    ...limitSentences(rule, currency),
    rule.clawback === undefined || rule.clawback === null ? null : clawbackSentence(rule.clawback, fieldWords),
  ];
  return sentences.filter((sentence) => sentence !== null);
}

function phaseSentence(rule: Rule): string {
  const each = `each ${attainmentPeriodWords(rule)}`;
  if (rule.executionPhase === 'cascade')
    return `Pays on ${rule.lines === undefined ? 'what' : `the ${baseWords(rule)} of deals on which`} the people below you earn${rule.dependsOn === undefined || rule.dependsOn === '_total' ? '' : ` from ${rule.dependsOn}`}.`;
  if (rule.executionPhase === 'periodic') return `Pays once for ${each} that has ended, on ${baseWords(rule)}.`;
  if (rule.payoutMode === 'flat_per_event' || rule.payoutBase === '1')
    return `Pays a fixed amount for every ${flatPerWords[rule.flatPer ?? 'deal']}.`;
  if (rule.payoutMode === 'flat_per_tier') return `Pays a fixed amount once for every tier that you reach, ${each}.`;
  if (rule.payoutMode === 'stepped_bonus') return `Pays the amount of the highest tier that you reach, ${each}.`;
  return `Pays a share of the ${baseWords(rule)}${rule.lines === undefined ? ' of every deal' : ''}.`;
}

/** How often a fixed amount is paid. */
export const flatPerWords = { deal: 'deal', line: 'product', unit: 'unit of a product' } as const;

/** Which products of a deal a rule pays. */
function lineSentences({ lines }: Rule): string[] {
  if (lines === undefined) return [];
  const conditions = conditionLines(lines.conditions ?? []).join('; ');
  return [
    ...(conditions === ''
      ? []
      : [`Only products count whose ${conditions.charAt(0).toLowerCase()}${conditions.slice(1)}.`]),
    ...(lines.withoutLines === 'deal' ? ['A deal without products is paid as one product with its amount.'] : []),
  ];
}

/** The tables from which tiers take their rates, each once. */
export function tablesOf({ tiers }: Pick<Rule, 'tiers'>): readonly string[] {
  return [...new Set(tiers.flatMap(({ table }) => table ?? []))];
}

function tableSentence(rule: Rule): string | null {
  const tables = tablesOf(rule);
  return tables.length === 0
    ? null
    : `The rate of ${rule.lines === undefined ? 'a deal' : 'each product'} is in the rate table ${tables.join(' and ')}.`;
}

/** Says nothing about rules that pay owners and splits, as most do. */
function creditSentence({ creditKinds, creditRoles }: Rule): string | null {
  if (creditKinds === undefined && creditRoles === undefined) return null;
  const parts = (creditKinds ?? ['split']).map((kind) => (kind === 'split' ? 'a split' : 'an overlay'));
  const roles = creditRoles === undefined ? '' : ` as ${creditRoles.join(' or ')}`;
  return `Pays you for deals on which you have ${parts.join(' or ')}${roles}.`;
}

function factorSentence({ payoutMode }: Rule): string | null {
  return payoutMode === 'rate_times_attainment' ? 'What it pays is multiplied by your attainment.' : null;
}

function tierSentence(rule: Rule): string | null {
  const period = attainmentPeriodWords(rule);
  if (rule.tiers.length < 2 || !rule.payoutMode.startsWith('rate')) return null;
  if (rule.tierBy === 'rank') return 'Your position among the people of the plan decides the rate.';
  if (rule.tierBy === 'value')
    return `The ${fieldWords(rule.tierValueField ?? '').toLowerCase()} of the deal decides the rate.`;
  if (rule.executionPhase === 'periodic') return `Your attainment of the ${period} decides the rate.`;
  if (rule.tierMode === 'marginal')
    return `Your attainment of the ${period} decides the rate; of a deal that crosses a threshold, each part pays its own rate.`;
  if (rule.tierMode === 'retroactive')
    return `The attainment of the whole ${period} decides the rate of all its deals, also of earlier ones.`;
  return `Your attainment of the ${period} including the deal decides the rate of the whole deal.`;
}

function daySentence(rule: Rule): string | null {
  const days = ruleDays(rule);
  return days === null ? null : `Pays for close dates ${days}.`;
}

/** The close dates for which the rule pays; null for all. */
export function ruleDays({
  effectiveStart,
  effectiveEnd,
}: Pick<Rule, 'effectiveStart' | 'effectiveEnd'>): string | null {
  const parts = [
    effectiveStart === undefined ? [] : [`from ${formatDay(effectiveStart, 'long')}`],
    effectiveEnd === undefined ? [] : [`until ${formatDay(effectiveEnd, 'long')}`],
  ].flat();
  return parts.length === 0 ? null : parts.join(' ');
}

function limitSentences({ cap, floor, capMultiplier, floorAttainment }: Rule, currency: string): (string | null)[] {
  return [
    cap === undefined ? null : `At most ${formatMoney(cap, currency)} in a period.`,
    floor === undefined ? null : `At least ${formatMoney(floor, currency)} for a matching deal.`,
    capMultiplier === undefined
      ? null
      : `At most ${formatNumber(capMultiplier)} times your variable target for a deal.`,
    floorAttainment === undefined ? null : `Nothing below ${formatRate(floorAttainment)} attainment.`,
  ];
}

/** Why a rule paid nothing, for the person who is not paid. */
export const reasonWords: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(reasonTexts).map(([reason, { toRep }]) => [reason, toRep]),
);

/** Whose part of a deal a rule pays, by its kinds of credit lines. */
export const creditKindWords = {
  split: 'owners and splits',
  overlay: 'overlays',
  'split,overlay': 'owners, splits and overlays',
} as const;

type CreditTerms = {
  readonly creditKinds?: readonly ('split' | 'overlay')[] | undefined;
  readonly creditRoles?: readonly string[] | undefined;
};

/** The kinds of a rule, in whatever order it names them. */
export function creditKindsOf({ creditKinds = ['split'] }: CreditTerms): keyof typeof creditKindWords {
  if (!creditKinds.includes('overlay')) return 'split';
  return creditKinds.includes('split') ? 'split,overlay' : 'overlay';
}

/** The same for a rule, with the roles that it names. */
export function creditedWords(rule: CreditTerms): string {
  const { creditRoles } = rule;
  const roles = creditRoles === undefined ? '' : ` as ${creditRoles.join(' or ')}`;
  return `${creditKindWords[creditKindsOf(rule)]}${roles}`;
}
