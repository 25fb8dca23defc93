import { formatDay } from '../../shared/format/dates.js';
import { formatMoney, formatNumber, formatPercent } from '../../shared/format/numbers.js';
import { clawbackPhrase } from './clawback-words.js';
import { type Draft, isSame, type Rule, type Tier } from './draft.js';
import { fxWords } from './fx-words.js';
import { payoutWords } from './payout.js';
import { sharedTiers } from './rules.js';
import { attainmentPeriodWords, conditionLines, creditedWords, fieldWords, payWords, prorationBasis } from './words.js';

/** What differs between two versions of a plan, one sentence each. */
export function listDifferences(before: Draft, after: Draft, currency: string): readonly string[] {
  const [old, now] = [before.terms, after.terms];
  return [
    ...changed('The plan is called', before.name, after.name),
    ...changed('The first day is', dayWords(before.effectiveStart), dayWords(after.effectiveStart)),
    ...changed('The last day is', dayWords(before.effectiveEnd), dayWords(after.effectiveEnd)),
    ...changed('The currency is', before.currency ?? currency, after.currency ?? currency),
    ...changed('Deals in other currencies are', fxWords(before.fx), fxWords(after.fx)),
    ...unlessSame(before.fieldMapping, after.fieldMapping, 'The names of fields in this plan change.'),
    ...conditionChanges(
      'The plan pays only where',
      'The conditions of the plan',
      old.dealConditions,
      now.dealConditions,
    ),
    ...namedChanges('rule', old.rules, now.rules, (was, rule) => changesOfRule(was, rule, currency)),
    ...unlessSame(
      commonNames(old.rules, now.rules),
      commonNames(now.rules, old.rules),
      'The order of the rules changes.',
    ),
    ...namedChanges('test', before.tests, after.tests, (was, test) =>
      unlessSame(was, test, `The test ${test.name} changes.`),
    ),
  ];
}

function changed(what: string, before: string, after: string): string[] {
  return before === after ? [] : [`${what} ${after}, was ${before}.`];
}

function unlessSame(before: unknown, after: unknown, sentence: string): string[] {
  return isSame(before, after) ? [] : [sentence];
}

function dayWords(day: string | null): string {
  return day === null ? 'open' : formatDay(day, 'long');
}

/** Conditions with the same words may differ in their order, and in what the words do not show. */
function conditionChanges(
  what: string,
  all: string,
  before: Rule['conditions'],
  after: Rule['conditions'],
): readonly string[] {
  const [old, now] = [conditionLines(before), conditionLines(after)];
  const sentences = [
    ...now.filter((line) => !old.includes(line)).map((line) => `${what} ${lower(line)}.`),
    ...old.filter((line) => !now.includes(line)).map((line) => `No longer: ${what.toLowerCase()} ${lower(line)}.`),
  ];
  return sentences.length > 0 ? sentences : unlessSame(before, after, `${all} are written differently.`);
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

interface Named {
  readonly name: string;
}

/** What is removed or new, and the changes of what both versions have. */
function namedChanges<One extends Named>(
  what: string,
  before: readonly One[],
  after: readonly One[],
  changesOf: (was: One, is: One) => readonly string[],
): string[] {
  const old = new Map(before.map((item) => [item.name, item]));
  const now = new Set(after.map(({ name }) => name));
  return [
    ...before.filter(({ name }) => !now.has(name)).map(({ name }) => `The ${what} ${name} is removed.`),
    ...after.flatMap((item) => {
      const was = old.get(item.name);
      return was === undefined ? [`The ${what} ${item.name} is new.`] : changesOf(was, item);
    }),
  ];
}

function commonNames(items: readonly Named[], others: readonly Named[]): readonly string[] {
  return items.map(({ name }) => name).filter((name) => others.some((other) => other.name === name));
}

function changesOfRule(was: Rule, rule: Rule, currency: string): string[] {
  return [
    ...tierChanges(was, rule, currency),
    ...changed('The measure is', fieldWords(was.measure), fieldWords(rule.measure)),
    ...changed('It counts', countedWords(was), countedWords(rule)),
    ...changed('The rate multiplies', baseWords(was), baseWords(rule)),
    ...changed('Attainment counts by', attainmentPeriodWords(was), attainmentPeriodWords(rule)),
    ...changed('The quota is prorated by', prorationBasis(was), prorationBasis(rule)),
    ...changed('Tiers go by', tierByWords(was), tierByWords(rule)),
    ...changed('Tiers apply to', tierModeWords[was.tierMode], tierModeWords[rule.tierMode]),
    ...changed('A tier pays', payoutModeWords[was.payoutMode], payoutModeWords[rule.payoutMode]),
    ...changed('It pays', phaseWords[was.executionPhase], phaseWords[rule.executionPhase]),
    ...changed('It depends on', dependsOnWords(was), dependsOnWords(rule)),
    ...limitChanges(was, rule, currency),
    ...changed('The shared quota is', was.quotaGroup ?? 'none', rule.quotaGroup ?? 'none'),
    ...changed('The quota counts', creditWords(was), creditWords(rule)),
    ...changed('It pays the credit of', creditedWords(was), creditedWords(rule)),
    ...payoutChanges(was, rule),
    ...clawbackChanges(was, rule),
    ...conditionChanges('Pays only where', 'Its conditions', was.conditions, rule.conditions),
    ...conditionChanges(
      'Counts only products where',
      'Its conditions on products',
      was.lines?.conditions ?? [],
      rule.lines?.conditions ?? [],
    ),
  ].map((sentence) => `${rule.name}: ${lower(sentence)}`);
}

/** A rule that is paid at once has other words in another phase. */
function clawbackChanges(was: Rule, rule: Rule): string[] {
  const words = ({ clawback }: Rule) =>
    clawback === undefined || clawback === null ? 'nothing' : clawbackPhrase(clawback, fieldWords);
  return changed('A refund takes back', words(was), words(rule));
}

function payoutChanges(was: Rule, rule: Rule): string[] {
  if (was.payout === undefined && rule.payout === undefined) return [];
  return changed('It is paid', payoutWords(was), payoutWords(rule));
}

const tierModeWords = {
  full_rate: 'the whole deal',
  marginal: 'the part in the tier',
  retroactive: 'the whole period',
  interpolated: 'the whole deal, between two points',
} as const;
const payoutModeWords = {
  rate: 'a rate or an amount for each deal',
  rate_times_attainment: 'a rate, times attainment',
  flat_per_event: 'a fixed amount for each deal',
  flat_per_tier: 'its amount once, when it is reached',
  stepped_bonus: 'its amount as the bonus of the period',
} as const;
const phaseWords = {
  per_deal: 'the owner of each deal',
  cascade: 'managers, on what the people below earn',
  periodic: 'once for each period that has ended',
} as const;

function countedWords({ lines }: Rule): string {
  if (lines === undefined) return 'whole deals';
  return lines.withoutLines === 'deal' ? 'products, and deals without products as one' : 'products';
}

function baseWords({ payoutBase, measure }: Rule): string {
  if (payoutBase === '1') return 'nothing';
  return payoutBase === undefined || payoutBase === measure ? 'the measure' : `the ${lower(fieldWords(payoutBase))}`;
}

function dependsOnWords({ dependsOn = '_total' }: Rule): string {
  return dependsOn === '_total' ? 'every rule' : dependsOn;
}

function tierByWords({ tierBy, tierValueField }: Rule): string {
  return tierBy === 'value' ? `the ${lower(fieldWords(tierValueField ?? ''))}` : tierBy;
}

function creditWords({ quotaCredit, quotaMeasure, measure }: Rule): string {
  if (quotaCredit !== undefined)
    return quotaCredit.map(({ field, weight }) => `${formatNumber(weight)} × ${lower(fieldWords(field))}`).join(' + ');
  return quotaMeasure === undefined || quotaMeasure === measure ? 'the measure' : lower(fieldWords(quotaMeasure));
}

/** Shows more decimals than elsewhere, so that no change is rounded away. */
function exactPercent(ratio: number): string {
  return formatPercent(ratio, 10);
}

function exactPay({ rate, flatAmount = 0, table, column }: Tier, currency: string): string {
  if (table !== undefined) return payWords({ table, ...(column === undefined ? {} : { column }) }, currency);
  return rate === undefined ? formatMoney(flatAmount, currency) : exactPercent(rate);
}

function exactThreshold({ tierBy }: Rule, threshold: number): string {
  return tierBy === 'attainment' ? exactPercent(threshold) : formatNumber(threshold, 10);
}

function limitChanges(was: Rule, rule: Rule, currency: string): string[] {
  const money = (amount: number) => formatMoney(amount, currency);
  const limit = (what: string, before: number | undefined, after: number | undefined, words: (of: number) => string) =>
    changed(what, before === undefined ? 'none' : words(before), after === undefined ? 'none' : words(after));
  return [
    ...limit('The cap of a period is', was.cap, rule.cap, money),
    ...limit('The least for a deal is', was.floor, rule.floor, money),
    ...limit('The cap of a deal, in variable targets, is', was.capMultiplier, rule.capMultiplier, formatNumber),
    ...limit('It pays nothing below', was.floorAttainment, rule.floorAttainment, exactPercent),
  ];
}

function tierChanges(was: Rule, rule: Rule, currency: string): string[] {
  const old = new Map(sharedTiers(was).map((tier) => [tier.minThreshold, tier]));
  const now = new Set(sharedTiers(rule).map(({ minThreshold }) => minThreshold));
  const own = (tiers: readonly Tier[]) => tiers.filter(({ repId }) => repId !== undefined);
  return [
    ...sharedTiers(rule).flatMap((tier) => {
      const from = exactThreshold(rule, tier.minThreshold);
      const before = old.get(tier.minThreshold);
      if (before === undefined) return [`From ${from} it pays ${exactPay(tier, currency)}, which is a new tier.`];
      return [
        ...changed(`From ${from} it pays`, exactPay(before, currency), exactPay(tier, currency)),
        ...changed(`The tier from ${from} is called`, before.name ?? 'nothing', tier.name ?? 'nothing'),
      ];
    }),
    ...[...old.keys()]
      .filter((threshold) => !now.has(threshold))
      .map((threshold) => `The tier from ${exactThreshold(was, threshold)} is removed.`),
    ...unlessSame(own(was.tiers), own(rule.tiers), 'Individual tiers change.'),
  ];
}
