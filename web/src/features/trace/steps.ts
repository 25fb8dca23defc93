import { productNames } from '#src/client.js';
import { type Explanation } from '../../api/queries.js';
import { type Session } from '../../app/session.js';
import { formatDay } from '../../shared/format/dates.js';
import { difference, multiplyAmounts, rounded, signOf, sumAmounts } from '../../shared/format/exact.js';
import { inWords } from '../../shared/format/in-words.js';
import { withoutOverlap } from '../../shared/format/labels.js';
import {
  currencyDecimals,
  formatAttainment,
  formatMoney,
  formatNumber,
  formatRate,
  formatUnits,
} from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { correctionTitle, kindWords } from '../lines/words.js';
import { shareWords } from '../plans/attainment.js';
import { type Rule } from '../plans/draft.js';
import {
  attainmentPeriodWords,
  conditionWords,
  fieldValueWords,
  fieldWords,
  reasonWords,
  thresholdWords,
} from '../plans/words.js';

/** A line of a step with its figure. */
export interface StepRow {
  readonly label: string;
  readonly value: string;
  /** Whether a condition held; absent for other lines. */
  readonly passed?: boolean;
}

/** A part of the base that one tier paid. */
export interface TierPart {
  readonly name: string;
  readonly part: string;
  readonly rate: string;
  readonly amount: string;
  /** The part of all parts, from 0 to 1, for the bar. */
  readonly share: number;
}

export interface Step {
  readonly title: string;
  readonly figure: string;
  readonly words: readonly string[];
  readonly rows: readonly StepRow[];
  readonly parts?: readonly TierPart[];
  /** Attainment at the ends and between the parts of the bar; blank where there is no room for it. */
  readonly scale?: readonly string[];
  /** Where the figures come from. */
  readonly source?: { readonly label: string; readonly to: string };
  readonly isResult?: boolean;
}

type Event = Explanation['event'];
type Trace = NonNullable<Event['trace']>;

type Reader = Pick<Session, 'repId' | 'role'>;

/**
 * The seven steps from the deal to the amount, and one more for what a team earned. Amounts that a person entered have a
 * deal and a result only.
 */
export function buildSteps(explanation: Explanation, reader: Reader): readonly Step[] {
  const { event, trueUp } = explanation;
  const { trace } = event;
  if (trueUp !== null) return [...correctionSteps(event, trueUp), resultStep(explanation)];
  const refund = movedSteps(explanation, 'refund');
  const steps = trace === undefined || refund.length > 0 ? refund : tracedSteps(explanation, trace, reader);
  const released = movedSteps(explanation, 'schedule', 'hold');
  return [dealStep(explanation), ...steps, resultStep(explanation), ...released].filter((step) => step !== null);
}

const movedTitles = {
  formula: 'Formula',
  share: 'Share of the deal',
  credit_note: 'Credit note',
  refund: 'Refund',
  schedule: 'Release',
  hold: 'Hold',
} as const;

/** What moved the amount beside its rates and limits, as the service says it. */
function movedSteps({ steps }: Explanation, ...kinds: readonly (keyof typeof movedTitles)[]): readonly Step[] {
  return steps
    .filter(({ step }) => kinds.includes(step))
    .map(({ step, words }) => ({ title: movedTitles[step], figure: '', words: [inWords(words)], rows: [] }));
}

function tracedSteps(explanation: Explanation, trace: Trace, reader: Reader): readonly Step[] {
  return [
    planStep(explanation, reader),
    ...conversionSteps(explanation, trace),
    ...formulaSteps(trace),
    ...movedSteps(explanation, 'share', 'credit_note'),
    conditionStep(trace),
    ...teamSteps(explanation, trace),
    attainmentStep(explanation, trace),
    tierStep(explanation, trace, reader),
    limitStep(explanation, trace),
  ];
}

type TrueUp = NonNullable<Explanation['trueUp']>;

/** The approved statement, and each difference between it and a new calculation. */
function correctionSteps({ repId, currency }: Event, { period, paidIn, lines }: TrueUp): readonly Step[] {
  const money = (amount: number) => formatMoney(amount, currency);
  const carried =
    paidIn === period ? '' : ` It is paid in ${formatPeriod(paidIn)}, because that was the next open period.`;
  return [
    {
      title: `Statement of ${formatPeriod(period)}`,
      figure: 'approved',
      words: [`Something changed after its approval.${carried}`],
      rows: [],
      source: {
        label: `Statement of ${formatPeriod(period)}`,
        to: `/statements/${repId}?period=${encodeURIComponent(period)}`,
      },
    },
    ...lines.map(
      ({ dealId, dealName, ruleName, approved, live, delta }): Step => ({
        title: `${dealName ?? dealId ?? formatPeriod(period)}, ${ruleName}`,
        figure: formatMoney(delta, currency, { signed: true }),
        words: [`${money(live)} instead of ${money(approved)}.`],
        rows: [],
        ...(dealId === null ? {} : { source: { label: `Deal ${dealId}`, to: `/deals/${encodeURIComponent(dealId)}` } }),
      }),
    ),
  ];
}

function dealStep({ deal, event }: Explanation): Step | null {
  if (deal === null) return null;
  const provider =
    deal.provider === null ? undefined : (productNames as Readonly<Record<string, string>>)[deal.provider];
  const closed = deal.closeDate === null ? 'Without a close date' : formatDay(deal.closeDate, 'long');
  const state = deal.isWon ? `Won on ${closed}` : `${deal.stageLabel ?? 'No stage'}, ${closed}`;
  return {
    title: 'Deal',
    figure: deal.amount === null ? '–' : formatMoney(deal.amount, deal.currency ?? event.currency),
    words: [`${state}, owner ${deal.repName ?? 'unknown'}.`],
    rows: [],
    source: {
      label: `${provider === undefined ? 'Deal' : `${provider} deal`} ${deal.deal_id}`,
      to: `/deals/${encodeURIComponent(deal.deal_id)}`,
    },
  };
}

function planStep({ event, rule }: Explanation, { repId, role }: Reader): Step {
  const since = rule?.effectiveStart == null ? 'the start' : formatDay(rule.effectiveStart, 'long');
  const label = rule === null ? 'Plan' : `Version ${rule.version}`;
  const ofAdmin = role === 'admin' && event.planId !== null ? `/plans/${event.planId}` : undefined;
  const to = ofAdmin ?? (event.repId === repId ? '/me/plan' : undefined);
  return {
    title: 'Plan and version',
    figure: rule === null ? (event.planName ?? '–') : `${event.planName ?? 'Plan'}, v${rule.version}`,
    words: [`In force from ${since}, chosen by close date.`],
    rows: [],
    ...(to === undefined ? {} : { source: { label, to } }),
  };
}

function conditionStep({ conditions }: Trace): Step {
  return {
    title: 'Conditions',
    figure: '',
    words: conditions.length === 0 ? ['The rule applies to every deal.'] : [],
    rows: conditions.map((condition) => ({
      label: conditionWords(condition),
      value: fieldValueWords(condition.field, condition.seen),
      passed: condition.passed,
    })),
  };
}

/** Exchange rates come before everything else: conditions and tiers see the converted values. */
function conversionSteps({ event }: Explanation, { conversions = [] }: Trace): readonly Step[] {
  return conversions.map(({ from, to, day, rate, provisional, legs, values }): Step => {
    const ofField = values.filter(({ field }) => field !== undefined);
    const visible = ofField.length > 0 ? ofField : values;
    const of = formatDay(day, 'long');
    const isDirect = legs.length === 1 && legs[0]?.from === from;
    const how = isDirect ? '' : ` It follows from ${legs.map(legWords).join(' and ')}.`;
    const until = provisional === true ? ' The period has not ended, so a later rate may replace this one.' : '';
    const since = isDirect && legs[0]?.day !== day ? `, entered for ${formatDay(legs[0]?.day ?? day, 'long')}` : '';
    return {
      title: 'Converted',
      figure: `${from} → ${to}`,
      words: [`1 ${from} is ${formatNumber(rate)} ${to} on ${of}${since}.${how}${until}`],
      rows: visible.map(({ field, ruleName, value, converted }) => ({
        label: field === undefined ? (ruleName ?? 'Earned below') : fieldWords(field),
        value: `${formatMoney(value, from)} → ${formatMoney(converted, event.currency)}`,
      })),
    };
  });
}

function legWords({ from, to, day, rate }: NonNullable<Trace['conversions']>[number]['legs'][number]): string {
  return `1 ${from} = ${formatNumber(rate)} ${to} of ${formatDay(day, 'long')}`;
}

/** What each formula of the rule gave, with the fields from which it was computed. */
function formulaSteps({ formulas = [] }: Trace): readonly Step[] {
  return formulas.map(
    ({ formula, value, operands }): Step => ({
      title: 'Formula',
      figure: value === null ? 'no value' : formatNumber(value),
      words: [fieldWords(formula)],
      rows: operands.map(({ field, value: operand }) => ({
        label: fieldWords(field),
        value: fieldValueWords(field, operand),
      })),
    }),
  );
}

/** What people below earned, by rule. */
function teamSteps({ event }: Explanation, { upstream: earned = [], conversions = [] }: Trace): readonly Step[] {
  if (earned.length === 0) return [];
  const values = conversions.flatMap((conversion) => conversion.values);
  const upstream = earned.map((each) => {
    const { converted = each.amount } =
      values.find(({ repId, ruleName }) => repId === each.repId && ruleName === each.ruleName) ?? {};
    return { ...each, amount: converted };
  });
  const money = (amounts: readonly number[]) => formatMoney(sumAmounts(amounts), event.currency);
  const rules = [...new Set(upstream.map(({ ruleName }) => ruleName))];
  const rows = rules.map((name) => {
    const amounts = upstream.filter(({ ruleName }) => ruleName === name).map(({ amount }) => amount);
    return { label: amounts.length === 1 ? name : `${name}, ${amounts.length} people`, value: money(amounts) };
  });
  return [{ title: 'What the team earned', figure: money(upstream.map(({ amount }) => amount)), words: [], rows }];
}

function attainmentStep({ event, rule }: Explanation, trace: Trace): Step {
  const { target, attainmentBefore, attainmentAfter, before, after } = trace;
  const period = attainmentPeriodWords(rule ?? { attainmentPeriod: '' });
  const title = 'Attainment at close';
  if (target === null)
    return { title, figure: 'no quota', words: ['No quota is set or needed for this rule.'], rows: [] };
  const figure =
    trace.periodAttainment === undefined
      ? `${formatAttainment(attainmentBefore).replace(/\s?%/, '')} → ${formatAttainment(attainmentAfter)}`
      : formatAttainment(trace.periodAttainment);
  const rows = [
    { label: `Quota of the ${period}`, value: formatCredit(target, event) },
    ...prorationRows(event, trace),
    { label: 'Closed before this deal', value: formatCredit(before, event) },
    { label: 'Closed with this deal', value: formatCredit(after, event) },
    ...(trace.periodCredit === undefined
      ? []
      : [{ label: `Closed in the whole ${period}`, value: formatCredit(trace.periodCredit, event) }]),
  ];
  const words =
    trace.belowZero === true ? ['Refunds reduced the attainment below zero, so the first tier applies.'] : [];
  return { title, figure, words, rows };
}

/** The quota as it was set, with the days that count: 120,000 × 34.5 of 90 days. */
function prorationRows(event: Event, { proration }: Trace): Step['rows'] {
  if (proration === undefined) return [];
  const value = `${formatCredit(proration.target, event)} × ${shareWords(proration)}`;
  return [{ label: 'Quota by working time', value }];
}

/** Credit is money for most measures; counts of meetings and the like are small whole numbers. */
function formatCredit(units: number, { currency, base, trace }: Event): string {
  const isMoney = base !== null && trace?.measure === base;
  return isMoney ? formatMoney(units, currency) : formatUnits(units);
}

const modes: Readonly<Record<string, string>> = {
  marginal: 'part in tier',
  full_rate: 'whole deal',
  retroactive: 'whole period',
};

/** What each part pays, exactly. */
function paidParts({ parts }: Pick<Trace, 'parts'>): readonly string[] {
  return parts.map(({ rate, part }) => (rate === null ? String(part) : multiplyAmounts(part, rate)));
}

const maxDecimals = 10;

/** The decimals with which the amounts add up to their rounded sum: those of the currency for nearly all amounts. */
function countDecimals(amounts: readonly string[], currency: string): number {
  const least = currencyDecimals(currency);
  const sum = rounded(sumAmounts(amounts), least);
  for (let decimals = least; decimals < maxDecimals; decimals += 1) {
    const displayed = sumAmounts(amounts.map((amount) => rounded(amount, decimals)));
    if (signOf(difference(rounded(displayed, least), sum)) === 0) return decimals;
  }
  return maxDecimals;
}

function tierStep({ event, rule }: Explanation, trace: Trace, reader: Reader): Step {
  const person = event.repId === reader.repId ? null : event.repName;
  const names = new Map(rule?.tiers.map(({ tierIndex, name }) => [tierIndex, name]));
  const total = Number(sumAmounts(trace.parts.map(({ part }) => Math.abs(part)))) || 1;
  const amounts = paidParts(trace);
  const decimals = countDecimals(amounts, event.currency);
  const parts = trace.parts.map(({ tierIndex, rate, part }, index): TierPart => {
    const name = names.get(tierIndex) ?? (tierIndex === trace.tier?.tierIndex ? trace.tier.name : null);
    return {
      name: name ?? `Tier ${tierIndex + 1}`,
      part: formatMoney(part, event.currency),
      rate: rate === null ? 'fixed' : `× ${formatRate(rate)}`,
      amount: formatMoney(amounts[index] ?? part, event.currency, { decimals }),
      share: Math.abs(part) / total,
    };
  });
  const isByAttainment = rule?.tierBy === 'attainment' && trace.target !== null;
  return {
    title: 'Tiers',
    figure: rule === null ? '' : rule.tierBy === 'attainment' ? (modes[rule.tierMode] ?? '') : `by ${rule.tierBy}`,
    words: tierWords(trace, rule, person),
    rows: [],
    parts,
    ...(isByAttainment && rule?.tierMode === 'marginal' ? { scale: computeScale(trace, rule.tiers, parts) } : {}),
  };
}

/** The person is null for the reader. */
function tierWords(trace: Trace, rule: Explanation['rule'], person: string | null): string[] {
  const { tierValue, rank, ratePercent, parts } = trace;
  return [
    ...parts.flatMap(({ rate, planRate }) => agreedWords(rate, planRate, person)),
    ...parts.flatMap((part) => mirrorWords(part, trace, rule)),
    ...(tierValue === undefined ? [] : [`The deal's value for the tier is ${formatNumber(tierValue, 2)}.`]),
    ...(rank === undefined ? [] : [`Position ${rank} among the people of the plan.`]),
    ...(ratePercent === undefined ? [] : [`The ramp pays ${formatNumber(ratePercent, 6)} % of the sum of the parts.`]),
    ...(parts.length > 0 ? [] : [whyNoPart(trace, rule)]),
  ];
}

/** A credit note mirrors a sale. Only bonuses of the period are lowered by a part below 0 otherwise. */
function mirrorWords({ rate, part, tierIndex }: Trace['parts'][number], { tier }: Trace, rule: Explanation['rule']) {
  if (rate !== null || part >= 0 || rule === null || rule.payoutMode === 'stepped_bonus') return [];
  return [`Takes back the fixed amount of tier ${tier?.name ?? tierIndex + 1}.`];
}

/** A rate that was agreed with the person. */
function agreedWords(rate: number | null, planRate: number | undefined, person: string | null): string[] {
  if (rate === null || planRate === undefined) return [];
  const whose = person === null ? 'Your rate, agreed with you' : `The rate agreed with ${person}`;
  return [`${whose}: ${formatRate(rate)} instead of ${formatRate(planRate)}.`];
}

function whyNoPart({ tier, reason }: Trace, rule: Explanation['rule']): string {
  if (tier !== null && rule !== null)
    return `Tier ${tier.name ?? tier.tierIndex + 1} adds nothing to what was paid before in the ${attainmentPeriodWords(rule)}.`;
  const lowest = rule?.tiers.map(({ minThreshold }) => minThreshold).sort((a, b) => a - b)[0];
  if (reason === 'below_lowest_tier' && rule !== null && lowest !== undefined)
    return `It is below the lowest tier, which begins at ${thresholdWords(rule as Pick<Rule, 'tierBy'>, lowest)}.`;
  return reasonWords[reason ?? ''] ?? 'No tier was reached.';
}

/** The width of a label, in percent of the width of the bar. */
const labelRoom = 15;

/** The bar runs from the lower to the higher attainment: a refund lowers it. */
function computeScale(
  trace: Trace,
  tiers: readonly { tierIndex: number; minThreshold: number }[],
  parts: readonly TierPart[],
): string[] {
  const { attainmentBefore: before, attainmentAfter: after } = trace;
  const between = trace.parts
    .slice(1)
    .map(({ tierIndex }) => tiers.find((tier) => tier.tierIndex === tierIndex)?.minThreshold ?? 0);
  const ends = parts.map((_, index) => parts.slice(0, index + 1).reduce((sum, { share }) => sum + share * 100, 0));
  const visible = withoutOverlap([0, ...ends], labelRoom, [0, parts.length]);
  const labels = [Math.min(before, after), ...between, Math.max(before, after)].map(formatAttainment);
  return labels.map((label, index) => (visible[index] === true ? label : ''));
}

const limitWords: Readonly<Record<string, string>> = {
  floor_attainment: 'Attainment is below the threshold of the rule, so nothing is paid',
  floor: 'The minimum of a deal applies',
  cap_multiplier: 'The maximum of a deal applies',
  cap: 'The maximum of the period applies',
};

function limitStep({ event, rule }: Explanation, { limits }: Trace): Step {
  const money = (amount: number) => formatMoney(amount, event.currency);
  const applied = limits.map(({ kind, before, after }) =>
    kind === 'cap' && before < 0
      ? `${formatMoney(sumAmounts([after, -before]), event.currency)} of it was above the cap.`
      : `${limitWords[kind] ?? fieldWords(kind)}: ${money(before)} becomes ${money(after)}.`,
  );
  const declared = [
    rule?.cap == null ? 'No cap.' : `Cap of ${money(rule.cap)} in a period.`,
    rule?.floor == null ? 'No floor.' : `Floor of ${money(rule.floor)} for a deal.`,
  ].join(' ');
  return {
    title: 'Cap and floor',
    figure: limits.length === 0 ? (rule?.cap == null && rule?.floor == null ? 'none' : 'not reached') : 'applied',
    words: applied.length === 0 ? [declared] : applied,
    rows: [],
  };
}

function resultStep({ event, steps }: Explanation): Step {
  const { trace, currency, kind } = event;
  const result = { title: 'Result', figure: formatMoney(event.amount, currency), rows: [], isResult: true } as const;
  if (kind !== 'commission_earned')
    return { ...result, words: [enteredWords[kind], kind === 'true_up' ? '' : (event.reason ?? '')].filter(Boolean) };
  if (isOfRefund(steps)) return { ...result, words: [`Taken back, rounded once, ${roundingWords(currency)}.`] };
  const amounts = paidParts(trace ?? { parts: [] });
  if (event.amount === 0 && amounts.length === 0) return { ...result, words: ['Nothing is paid.'] };
  const decimals = countDecimals(amounts, currency);
  const sum = amounts.map((amount) => formatMoney(amount, currency, { decimals })).join(' + ');
  const limited = trace === undefined || trace.limits.length === 0 ? '' : 'limited, ';
  return { ...result, words: [`${sum === '' ? '' : `${sum}, `}${limited}rounded once, ${roundingWords(currency)}.`] };
}

function isOfRefund(steps: Explanation['steps']): boolean {
  return steps.some(({ step }) => step === 'refund');
}

function roundingWords(currency: string): string {
  const decimals = currencyDecimals(currency);
  if (decimals === 2) return 'to the cent';
  return decimals === 0 ? 'to a whole amount' : `to ${decimals} decimals`;
}

const enteredWords = {
  adjustment: 'This adjustment was entered by hand.',
  clawback: 'This clawback was entered by hand.',
  true_up: 'The difference between the approved statement and its new calculation.',
} as const;

/** What the amount is paid on, and when it was earned. */
export function headWords({
  event: { kind, category, base, trace, currency, earnedOn },
  steps,
}: Pick<Explanation, 'event' | 'steps'>): string {
  if (isOfRefund(steps)) return `taken back for a refund of ${formatDay(earnedOn, 'long')}`;
  const isFixed = category === 'bonus' || (base === 1 && (trace?.parts ?? []).every(({ rate }) => rate === null));
  const paidOn = isFixed ? 'fixed bonus' : `commission on ${formatMoney(base ?? 0, currency)}`;
  const isEarned = kind === 'commission_earned';
  return `${isEarned ? paidOn : kindWords[kind].toLowerCase()}, ${isEarned ? 'closed' : 'on'} ${formatDay(earnedOn, 'long')}`;
}

/** The deal, or what a true-up corrects. */
export function describeTitle({ event, trueUp }: Explanation): string {
  if (trueUp !== null) return correctionTitle(trueUp.lines, trueUp.period);
  return event.dealName ?? event.dealId ?? event.ruleName ?? 'Amount';
}

/** The steps as plain text, for a mail or a ticket. */
export function formatExplanation(explanation: Explanation, steps: readonly Step[]): string {
  const { event } = explanation;
  const head = `${describeTitle(explanation)}: ${formatMoney(event.amount, event.currency)} (${event.ruleName ?? kindWords[event.kind]}, ${event.period})`;
  const lines = steps.flatMap((step, index) => [
    `${index + 1}. ${step.title}${step.figure === '' ? '' : `: ${step.figure}`}`,
    ...step.words.map((words) => `   ${words}`),
    ...step.rows.map(
      ({ label, value, passed }) => `   ${passed === undefined ? '' : passed ? '✓ ' : '✗ '}${label}: ${value}`,
    ),
    ...(step.parts ?? []).map(({ name, part, rate, amount }) => `   ${name}: ${part} ${rate} = ${amount}`),
  ]);
  return [head, ...lines].join('\n').replaceAll('\u00a0', ' ');
}
