import { describeRefund } from '../../commissions/step-words.js';
import { Decimal } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Html, html } from '../../platform/documents/html.js';
import { asPrinted, counted, listed, money, percent, roundBase } from './figures.js';
import { type Band, limitNames, paysRates, type RuleExplanation, type VersionTerms } from './rule-explanations.js';
import { type RuleTerms } from './statement-facts.js';

/** Shows how the lines of each rule add up to its total: tier by tier, then floors and caps. */
export function computationSection(rules: readonly RuleExplanation[]): Html | readonly Html[] {
  if (rules.length === 0) return [];
  return html`<section><h2>How it was computed</h2>${rules.map(computation)}</section>`;
}

function computation(rule: RuleExplanation): Html {
  const { currency } = rule;
  const rows = [
    ...rule.bands.map((band) => bandRow(band, currency)),
    ...(rule.ramp === null
      ? []
      : [
          html`<tr><td>Ramp<small>${counted(rule.ramp.lines, 'line')}</small></td><td></td><td></td><td class="amount">${money(rule.ramp.effect, currency)}</td></tr>`,
        ]),
    ...rule.limits.map(
      (limit) =>
        html`<tr><td>${limitNames[limit.kind]}<small>${counted(limit.lines, 'line')}</small></td><td></td><td></td><td class="amount">${money(limit.effect, currency)}</td></tr>`,
    ),
    ...refundRows(rule),
    ...(rule.rounding.isZero()
      ? []
      : [
          html`<tr><td>Rounding of each line</td><td></td><td></td><td class="amount">${money(rule.rounding, currency)}</td></tr>`,
        ]),
  ];
  return html`<section>
  <h3><span dir="auto">${rule.name}</span> <small>${renderPlan(rule)}${describeTerms(rule.versions)}</small></h3>
  <table class="computation">
    <colgroup><col style="width: 40%"><col style="width: 22%"><col style="width: 16%"><col style="width: 22%"></colgroup>
    <thead><tr><th>Tier</th><th class="amount">Base</th><th class="amount">Rate</th><th class="amount">Amount</th></tr></thead>
    <tbody>${rule.explained ? rows : html`<tr><td colspan="4">Calculated before traces were stored with statements.</td></tr>`}
    <tr class="total"><td>Total, ${counted(rule.lines.length, 'line')}</td><td></td><td></td><td class="amount">${money(rule.total, currency)}</td></tr></tbody>
  </table>
</section>`;
}

/** Limit of printed refunds of one rule; the line items contain all of them. */
const maxRefunds = 50;

function refundRows({ refunds, currency }: RuleExplanation): Html[] {
  if (refunds === null) return [];
  const left = refunds.lines.length - maxRefunds;
  const more = left > 0 ? [html`<small>and ${counted(left, 'refund')} more</small>`] : [];
  const notes = refunds.lines.slice(0, maxRefunds).map(({ line, trace }) => {
    const deal = line.dealName ?? line.dealId ?? '';
    return html`<small dir="auto">${deal}: ${asPrinted(describeRefund(line, trace) ?? '')}</small>`;
  });
  return [
    html`<tr><td colspan="3">Taken back for refunds${notes}${more}</td><td class="amount">${money(refunds.effect, currency)}</td></tr>`,
  ];
}

function bandRow({ tier, range, base, rate, times, each, amount }: Band, currency: string): Html {
  const parts = [range, rate === null ? fixedTimes(times, each, currency) : ''].filter((part) => part !== '');
  return html`<tr><td dir="auto">${tier}${parts.length === 0 ? [] : html`<small>${parts.join(', ')}</small>`}</td>
      <td class="amount">${rate === null ? '–' : money(roundBase(base, currency), currency)}</td>
      <td class="amount">${rate === null ? 'fixed' : percent(rate)}</td>
      <td class="amount">${money(amount, currency)}</td></tr>`;
}

function fixedTimes(times: number, each: Decimal | null, currency: string): string {
  if (times === 1) return '';
  return each === null ? `paid ${times} times` : `${times} times ${money(each, currency)}`;
}

/** The plan with every version that paid under the rule. */
export function renderPlan({ planName, versions }: Pick<RuleExplanation, 'planName' | 'versions'>): Html {
  if (planName === null) return html``;
  return html`<span dir="auto">${planName}</span>, ${versionNames(versions.map(({ version }) => version))}`;
}

/** `version 1` or `versions 1 and 2`. */
export function versionNames(versions: readonly (number | null)[]): string {
  const names = [...versions].sort((a, b) => (a ?? 0) - (b ?? 0)).map((version) => String(version ?? '–'));
  return `version${names.length === 1 ? '' : 's'} ${listed(names)}`;
}

/** The payout mode, by version if it changed. */
function describeTerms(versions: readonly VersionTerms[]): string {
  const byManner = groupBy(versions, ({ terms }) => describeManner(terms));
  return [...byManner]
    .filter(([manner]) => manner !== '')
    .map(([manner, ofIt]) =>
      byManner.size === 1 ? `; ${manner}` : `; ${versionNames(ofIt.map(({ version }) => version))}: ${manner}`,
    )
    .join('');
}

const modeNames = {
  full_rate: 'full rate of the tier reached',
  marginal: 'each tier pays its own part',
  retroactive: 'the tier of the whole period',
  interpolated: 'the rate between the points of a curve',
} as const;

const attainmentPeriods = {
  monthly: 'monthly',
  quarterly: 'quarterly',
  semi_annual: 'half-yearly',
  annual: 'yearly',
} as const;

function describeManner(terms: RuleTerms | null): string {
  if (terms === null || terms.tiers.length < 2) return '';
  const { rule } = terms;
  const by = {
    attainment: `${attainmentPeriods[rule.attainmentPeriod]} attainment`,
    value: 'value',
    rank: `${attainmentPeriods[rule.attainmentPeriod]} rank`,
  }[rule.tierBy];
  const pay = paysRates(terms) ? modeNames[rule.tierMode] : 'fixed amounts';
  return `tiers by ${by}, ${pay}${rule.payoutMode === 'rate_times_attainment' ? ' times attainment' : ''}`;
}
