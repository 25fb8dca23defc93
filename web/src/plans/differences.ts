import { formatDay } from '../format/dates.js';
import { formatAttainment, formatMoney, formatNumber, formatRate } from '../format/numbers.js';
import { sharedTiers } from './curve.js';
import { type Draft, type Rule, type Tier } from './draft.js';
import { attainmentPeriodWords, conditionLines, fieldWords } from './words.js';

/** What differs between two versions of a plan, one sentence each. */
export function differencesOf(before: Draft, after: Draft, currency: string): readonly string[] {
  return [
    ...changed('The plan is called', before.name, after.name),
    ...changed('The first day is', dayWords(before.effectiveStart), dayWords(after.effectiveStart)),
    ...changed('The last day is', dayWords(before.effectiveEnd), dayWords(after.effectiveEnd)),
    ...changed('The currency is', before.currency ?? currency, after.currency ?? currency),
    ...conditionChanges('The plan pays only where', before.terms.dealConditions, after.terms.dealConditions),
    ...ruleChanges(before.terms.rules, after.terms.rules, currency),
    ...testChanges(before, after),
  ];
}

function changed(what: string, before: string, after: string): string[] {
  return before === after ? [] : [`${what} ${after}, was ${before}.`];
}

function dayWords(day: string | null): string {
  return day === null ? 'open' : formatDay(day, 'long');
}

function conditionChanges(what: string, before: Rule['conditions'], after: Rule['conditions']): string[] {
  const [old, now] = [conditionLines(before), conditionLines(after)];
  return [
    ...now.filter((line) => !old.includes(line)).map((line) => `${what} ${lower(line)}.`),
    ...old.filter((line) => !now.includes(line)).map((line) => `No longer: ${what.toLowerCase()} ${lower(line)}.`),
  ];
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function ruleChanges(before: readonly Rule[], after: readonly Rule[], currency: string): string[] {
  const old = new Map(before.map((rule) => [rule.name, rule]));
  const now = new Set(after.map(({ name }) => name));
  return [
    ...before.filter(({ name }) => !now.has(name)).map(({ name }) => `The rule ${name} is removed.`),
    ...after.flatMap((rule) => {
      const was = old.get(rule.name);
      return was === undefined ? [`The rule ${rule.name} is new.`] : changesOfRule(was, rule, currency);
    }),
  ];
}

function changesOfRule(was: Rule, rule: Rule, currency: string): string[] {
  const named = (sentences: readonly string[]) => sentences.map((sentence) => `${rule.name}: ${lower(sentence)}`);
  return named([
    ...tierChanges(was, rule, currency),
    ...changed('The measure is', fieldWords(was.measure), fieldWords(rule.measure)),
    ...changed('It pays on', was.payoutBase ?? was.measure, rule.payoutBase ?? rule.measure),
    ...changed(
      'Attainment counts by',
      attainmentPeriodWords(was.attainmentPeriod),
      attainmentPeriodWords(rule.attainmentPeriod),
    ),
    ...changed('Tiers go by', tierByWords(was), tierByWords(rule)),
    ...changed('Tiers apply to', tierModeWords[was.tierMode], tierModeWords[rule.tierMode]),
    ...changed('A tier pays', payoutModeWords[was.payoutMode], payoutModeWords[rule.payoutMode]),
    ...changed('It pays', phaseWords[was.executionPhase], phaseWords[rule.executionPhase]),
    ...changed('It depends on', was.dependsOn ?? '_total', rule.dependsOn ?? '_total'),
    ...limitChanges(was, rule, currency),
    ...changed('The shared quota is', was.quotaGroup ?? 'none', rule.quotaGroup ?? 'none'),
    ...changed('The quota counts', creditWords(was), creditWords(rule)),
    ...conditionChanges('Pays only where', was.conditions, rule.conditions),
  ]);
}

const tierModeWords = {
  full_rate: 'the whole deal',
  marginal: 'the part in the tier',
  retroactive: 'the whole period',
} as const;
const payoutModeWords = {
  rate: 'a rate or an amount for each deal',
  flat_per_event: 'a fixed amount for each deal',
  flat_per_tier: 'its amount once, when it is reached',
  stepped_bonus: 'its amount as the bonus of the period',
} as const;
const phaseWords = {
  per_deal: 'the owner of each deal',
  cascade: 'managers, on what the people below earn',
  periodic: 'once for each period that has ended',
} as const;

function tierByWords({ tierBy, tierValueField }: Rule): string {
  return tierBy === 'value' ? `the ${lower(fieldWords(tierValueField ?? ''))}` : tierBy;
}

function creditWords({ quotaCredit, quotaMeasure, measure }: Rule): string {
  if (quotaCredit !== undefined)
    return quotaCredit.map(({ field, weight }) => `${formatNumber(weight)} × ${lower(fieldWords(field))}`).join(' + ');
  return lower(fieldWords(quotaMeasure ?? measure));
}

function limitChanges(was: Rule, rule: Rule, currency: string): string[] {
  const money = (amount: number | undefined) => (amount === undefined ? 'none' : formatMoney(amount, currency));
  const factor = (number: number | undefined) => (number === undefined ? 'none' : formatNumber(number));
  const ratio = (number: number | undefined) => (number === undefined ? 'none' : formatAttainment(number));
  return [
    ...changed('The cap of a period is', money(was.cap), money(rule.cap)),
    ...changed('The least for a deal is', money(was.floor), money(rule.floor)),
    ...changed('The cap of a deal, in variable targets, is', factor(was.capMultiplier), factor(rule.capMultiplier)),
    ...changed('It pays nothing below', ratio(was.floorAttainment), ratio(rule.floorAttainment)),
  ];
}

export function thresholdWords({ tierBy }: Pick<Rule, 'tierBy'>, threshold: number): string {
  return tierBy === 'attainment' ? formatAttainment(threshold) : formatNumber(threshold);
}

function payWords({ rate, flatAmount }: Tier, currency: string): string {
  return rate === undefined ? formatMoney(flatAmount ?? 0, currency) : formatRate(rate);
}

function tierChanges(was: Rule, rule: Rule, currency: string): string[] {
  const old = new Map(sharedTiers(was).map((tier) => [tier.minThreshold, tier]));
  const now = sharedTiers(rule);
  const kept = new Set(now.map(({ minThreshold }) => minThreshold));
  const own = (tiers: readonly Tier[]) => JSON.stringify(tiers.filter(({ repId }) => repId !== undefined));
  return [
    ...now.flatMap((tier) => {
      const from = `From ${thresholdWords(rule, tier.minThreshold)} it pays`;
      const before = old.get(tier.minThreshold);
      if (before === undefined) return [`${from} ${payWords(tier, currency)}, which is a new tier.`];
      return [
        ...changed(from, payWords(before, currency), payWords(tier, currency)),
        ...changed(
          `The tier from ${thresholdWords(rule, tier.minThreshold)} is called`,
          before.name ?? 'nothing',
          tier.name ?? 'nothing',
        ),
      ];
    }),
    ...[...old.values()]
      .filter(({ minThreshold }) => !kept.has(minThreshold))
      .map((tier) => `The tier from ${thresholdWords(was, tier.minThreshold)} is removed.`),
    ...(own(was.tiers) === own(rule.tiers) ? [] : ['Tiers of single people change.']),
  ];
}

function testChanges(before: Draft, after: Draft): string[] {
  const old = new Map(before.tests.map((test) => [test.name, JSON.stringify(test)]));
  const now = new Set(after.tests.map(({ name }) => name));
  return [
    ...after.tests.flatMap((test) =>
      old.has(test.name)
        ? old.get(test.name) === JSON.stringify(test)
          ? []
          : [`The test ${test.name} changes.`]
        : [`The test ${test.name} is new.`],
    ),
    ...before.tests.filter(({ name }) => !now.has(name)).map(({ name }) => `The test ${name} is removed.`),
  ];
}
