import { formatAttainment, formatMoney, formatNumber, shifted } from '../../shared/format/numbers.js';
import { type Rule } from './draft.js';
import { payoutWords } from './payout.js';
import { sharedTiers } from './rules.js';
import {
  attainmentPeriodWords,
  baseWords,
  conditionLines,
  creditedWords,
  fieldWords,
  flatPerWords,
  payWords,
  ruleDays,
  tablesOf,
} from './words.js';

/** Rates or amounts, what they are paid on, and their limits. */
export function summarizeRule(rule: Rule, currency: string): string {
  const isOfOwners = rule.creditKinds === undefined && rule.creditRoles === undefined;
  const pay = `${describePay(rule, currency)}${isOfOwners ? '' : ` to ${creditedWords(rule)}`}`;
  const paid = rule.payout === undefined ? [] : [`paid ${payoutWords(rule)}`];
  const days = ruleDays(rule);
  const products = conditionLines(rule.lines?.conditions ?? []).map((line) => `only ${line.toLowerCase()}`);
  return [
    pay,
    ...products,
    ...tierParts(rule),
    ...describeLimits(rule, currency),
    ...(days === null ? [] : [days]),
    ...paid,
  ].join(', ');
}

const partWords = {
  marginal: 'each part at its rate',
  full_rate: 'the whole deal',
  retroactive: 'the whole period',
  interpolated: 'the whole deal at the rate between two tiers',
};

/** What a tier applies to, where tiers differ in that. */
function tierParts(rule: Rule): string[] {
  const { tierBy, tierMode, executionPhase, payoutMode } = rule;
  const isChoice = tierBy === 'attainment' && executionPhase === 'per_deal' && payoutMode.startsWith('rate');
  return isChoice && sharedTiers(rule).length > 1 ? [partWords[tierMode]] : [];
}

function describeLimits(
  { cap, floor, capMultiplier, floorAttainment, attainmentPeriod, calendar }: Rule,
  currency: string,
): string[] {
  const period = attainmentPeriodWords({ attainmentPeriod, calendar });
  return [
    ...(cap === undefined ? [] : [`at most ${formatMoney(cap, currency, { trim: true })} a ${period}`]),
    ...(floor === undefined ? [] : [`at least ${formatMoney(floor, currency, { trim: true })} a deal`]),
    ...(capMultiplier === undefined ? [] : [`at most ${formatNumber(capMultiplier)} variable targets a deal`]),
    ...(floorAttainment === undefined ? [] : [`nothing below ${formatAttainment(floorAttainment)}`]),
  ];
}

function describePay(rule: Rule, currency: string): string {
  const tiers = sharedTiers(rule);
  const period = attainmentPeriodWords(rule);
  const rates = tiers.flatMap(({ rate }) => (rate === undefined ? [] : [formatNumber(shifted(rate, 2), 2)]));
  const amounts = tiers.flatMap(({ flatAmount }) =>
    flatAmount === undefined ? [] : [formatMoney(flatAmount, currency, { trim: true })],
  );
  const tables = tablesOf({ tiers }).map((table) => payWords({ table }, currency));
  const factor = rule.payoutMode === 'rate_times_attainment' ? ' × attainment' : '';
  const pay = [...(rates.length === 0 ? [] : [`${rates.join(', ')} %${factor}`]), ...amounts, ...tables].join(', ');
  if (rule.executionPhase === 'cascade') return `${pay} of ${teamBase(rule)}`;
  if (tiers.length > 1) return `${pay} by ${rule.tierBy === 'attainment' ? period : rule.tierBy}`;
  if (amounts.length > 0) return `${pay} a ${isOncePerPeriod(rule) ? period : flatPerWords[rule.flatPer ?? 'deal']}`;
  return `${pay} of ${paidBase(rule)}`;
}

function teamBase({ dependsOn = '_total', ...rule }: Rule): string {
  if (rule.lines !== undefined) return `${baseWords(rule)} of the team`;
  return dependsOn === '_total' ? 'what the team earns' : dependsOn;
}

function paidBase(rule: Rule): string {
  return rule.lines === undefined ? fieldWords(rule.payoutBase ?? rule.measure).toLowerCase() : baseWords(rule);
}

function isOncePerPeriod({ executionPhase, payoutMode }: Rule): boolean {
  return executionPhase === 'periodic' || payoutMode === 'flat_per_tier' || payoutMode === 'stepped_bonus';
}
