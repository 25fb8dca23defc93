import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { reasonTexts } from '../../commissions/reason-texts.js';
import { describeSteps } from '../../commissions/step-words.js';
import { type LineTrace } from '../../engine/line-trace.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Html, html } from '../../platform/documents/html.js';
import { type StatementLine } from '../../statements/snapshot.js';
import { renderPlan } from './computation-section.js';
import { asPrinted, counted, dayName, money, percent, periodName, quantity, roundBase } from './figures.js';
import {
  type ExplainedLine,
  isFixed,
  limitNames,
  type RuleExplanation,
  type Slice,
  tierName,
} from './rule-explanations.js';
import { type ReversedLine, type StatementFacts } from './statement-facts.js';

interface LineGroup {
  readonly rule: RuleExplanation | null;
  readonly name: string;
  readonly currency: string;
  readonly reversed: readonly ReversedLine[];
}

/** The lines of each rule with its total. Reversed lines are listed with the rule that earned them. */
export async function lineItemsSection(
  rules: readonly RuleExplanation[],
  { reversed, content }: StatementFacts,
): Promise<Html> {
  const groups = groupLines(rules, reversed, content.currency);
  if (groups.length === 0)
    return html`<section><h2>Line items</h2><p>Nothing was earned on deals in this period.</p></section>`;
  if (content.lines.length > maxLines)
    return html`<section><h2>Line items</h2><p>${counted(content.lines.length, 'line')}: more than a PDF can hold. They are in the CSV and the workbook of this statement.</p></section>`;
  const tables: Html[] = [];
  for (const group of groups) for await (const table of lineTables(group, groups.length > 1)) tables.push(table);
  return html`<section><h2>Line items</h2>${tables}</section>`;
}

function groupLines(
  rules: readonly RuleExplanation[],
  reversed: readonly ReversedLine[],
  currency: string,
): LineGroup[] {
  const commission = reversed.filter((line) => line.kind === 'commission_earned');
  const remaining = groupBy(commission, (line) => `${line.ruleName}|${line.currency}`);
  const earned = rules.map((rule): LineGroup => {
    const key = `${rule.name}|${rule.currency}`;
    const ofRule = remaining.get(key) ?? [];
    remaining.delete(key);
    return { rule, name: rule.name, currency: rule.currency, reversed: ofRule };
  });
  const onlyReversed = [...remaining.values()].map(
    (lines): LineGroup => ({
      rule: null,
      name: lines[0]?.ruleName ?? 'Commission',
      currency: lines[0]?.currency ?? currency,
      reversed: lines,
    }),
  );
  return [...earned, ...onlyReversed];
}

/** About 200 pages, which a browser lays out in five seconds; the print timeout is 20 seconds. */
const maxLines = 5000;

/** A browser lays out one table of thousands of rows much more slowly than several smaller tables. */
const rowsPerTable = 250;

/** Yields to the event loop before each table, so that a long statement does not block the process. */
async function* lineTables(group: LineGroup, named: boolean): AsyncGenerator<Html> {
  const { rule, currency } = group;
  const lines = rule?.lines ?? [];
  const zero = lines.filter(({ line }) => Decimal.of(line.amount).isZero());
  const folded = zero.length > 1 ? zero : [];
  const unfolded = folded.length === 0 ? lines : lines.filter((line) => !folded.includes(line));
  const hasVersions = (rule?.versions.length ?? 0) > 1;
  const rows = [
    ...unfolded.map((line) => ({ day: line.line.earnedOn, row: () => lineRow(line, hasVersions) })),
    ...group.reversed.map((line) => ({ day: line.earnedOn, row: () => reversedRow(line) })),
  ]
    .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
    .map(({ row }) => row);
  if (folded.length > 0) rows.push(() => foldedRow(folded, currency));
  const total = html`<tr class="total"><td colspan="5">${named ? html`Total of <span dir="auto">${group.name}</span>` : 'Total'}, ${counted(lines.length, 'line')}</td><td class="amount">${money(rule?.total ?? Decimal.zero, currency)}</td></tr>`;
  for (let start = 0; start < rows.length; start += rowsPerTable) {
    await yieldToEventLoop();
    const page = rows.slice(start, start + rowsPerTable).map((row) => row());
    const isLast = start + rowsPerTable >= rows.length;
    yield lineTable(group, named, isLast ? [...page, total] : page, start > 0);
  }
}

function lineTable(
  { rule, name, currency }: LineGroup,
  named: boolean,
  rows: readonly Html[],
  isContinued: boolean,
): Html {
  const title = html`<tr class="group"><th colspan="6"><span dir="auto">${name}</span> <small>${rule === null ? [] : renderPlan(rule)}${isContinued ? ', continued' : ''}</small></th></tr>`;
  return html`<table class="lines">
  <colgroup><col style="width: 32%"><col style="width: 13%"><col style="width: 16%"><col style="width: 15%"><col style="width: 10%"><col style="width: 14%"></colgroup>
  <thead>${named ? title : []}<tr><th>Deal</th><th>Closed</th><th>Tier</th><th class="amount">Base</th><th class="amount">Rate</th><th class="amount">${currency}</th></tr></thead>
  <tbody>${rows}</tbody>
</table>`;
}

function lineRow(explained: ExplainedLine, hasVersions: boolean): Html {
  const { line, slices } = explained;
  const { currency } = line;
  const fixed = isFixed(explained);
  const mixed = slices.length > 1 ? 'mixed' : '–';
  const rate = fixed ? 'fixed' : line.rate === null ? mixed : percent(Decimal.of(line.rate));
  const base = fixed || line.base === null ? '–' : money(roundBase(Decimal.of(line.base), currency), currency);
  return html`<tr><td dir="auto">${renderDeal(line, hasVersions)}${describeDetails(explained, fixed).map((part) => html`<small>${part}</small>`)}</td>
  <td class="day">${dayName(line.closeDate ?? line.earnedOn)}</td><td dir="auto">${line.tierName ?? '–'}</td>
  <td class="amount">${base}</td><td class="amount">${rate}</td>
  <td class="amount">${money(line.amount, currency)}</td></tr>`;
}

function renderDeal({ dealId, dealName, period, planVersion, refundId }: StatementLine, hasVersions: boolean): Html {
  const name = dealId === null ? periodName(period) : (dealName ?? dealId);
  const id = dealId === null || dealName === null || dealName === dealId ? [] : [dealId];
  const version = hasVersions && planVersion !== null ? [`version ${planVersion}`] : [];
  const refund = refundId === undefined ? [] : [`refund ${refundId}`];
  const below = [...id, ...refund, ...version];
  return below.length === 0 ? html`${name}` : html`${name}<small>${below.join(', ')}</small>`;
}

/**
 * Details that a single rate or fixed amount does not show: slices of several tiers, and the floors and caps that
 * applied.
 */
function describeDetails({ line, terms, trace, slices }: ExplainedLine, fixed: boolean): string[] {
  const { currency } = line;
  const part = (slice: Slice) =>
    slice.rate === null
      ? `${tierName(slice.tierIndex, null, terms)}: ${money(slice.amount, currency)}`
      : `${money(roundBase(slice.base, currency), currency)} × ${percent(slice.rate)}`;
  const limits = (trace?.limits ?? [])
    .filter((limit) => limit.before !== limit.after)
    .map(
      (limit) =>
        `${limitNames[limit.kind]}: ${money(roundBase(Decimal.of(limit.before), currency), currency)} to ${money(roundBase(Decimal.of(limit.after), currency), currency)}`,
    );
  const isSimple = slices.length < 2 && (fixed || line.rate !== null);
  const refund = trace?.belowZero === true ? ['Attainment below 0%: the rate from 0% applies'] : [];
  const ramp = trace?.ratePercent === undefined ? [] : [`Ramp: × ${trace.ratePercent}%`];
  const ofSlices = isSimple || slices.length === 0 ? [] : [slices.map(part).join(' + ')];
  const parts = trace?.lines === undefined ? ofSlices : describeLines(trace.lines, currency);
  const conversions = (trace?.conversions ?? []).flatMap(describeConversion);
  const steps = describeSteps(line, withoutIdle(trace)).map(({ words }) => asPrinted(words));
  if (line.refundId !== undefined) return steps;
  return [...conversions, ...steps, ...parts, ...ramp, ...refund, ...limits];
}

/** Without the formulas that give the amount of the deal, which the base says: a statement may have thousands of them. */
function withoutIdle<Trace extends ExplainedLine['trace']>(trace: Trace): Trace {
  if (trace?.formulas === undefined) return trace;
  const isIdle = ({ value, operands }: (typeof trace.formulas)[number]) =>
    operands.some((operand) => operand.field === 'amount' && operand.value === value);
  return { ...trace, formulas: trace.formulas.filter((formula) => !isIdle(formula)) };
}

const maxDealLines = 20;

/** The lines of a deal that pay, and of many the number and the sum of the others. */
function describeLines(lines: readonly LineTrace[], currency: string): string[] {
  const paid = lines.filter(({ counted: isCounted, amount }) => isCounted && amount !== 0);
  const words = paid.slice(0, maxDealLines).map(({ lineId, name, rate, base, amount }) => {
    const how =
      rate === undefined
        ? ''
        : `${money(roundBase(Decimal.of(base), currency), currency)} × ${percent(Decimal.of(rate))} = `;
    return `${name ?? lineId}: ${how}${money(String(amount), currency)}`;
  });
  const others = paid.slice(maxDealLines);
  if (others.length === 0) return words;
  const rest = sum(others.map(({ amount }) => Decimal.of(amount)));
  return [...words, `${counted(others.length, 'more line')}: ${money(rest, currency)}`];
}

/** What was converted at which rate. Where several values were, each is named by its field. */
function describeConversion({ from, to, day, rate, provisional, values }: Conversion): string[] {
  return values.map(({ field, value, converted }) => {
    const name = values.length === 1 || field === undefined ? '' : `${field}: `;
    const written = `${from} ${money(roundBase(Decimal.of(value), from), from)} × ${rate} = ${to} ${money(roundBase(Decimal.of(converted), to), to)}`;
    return `${name}${written}, rate of ${dayName(day)}${provisional === true ? ', provisional' : ''}`;
  });
}

type Conversion = NonNullable<NonNullable<ExplainedLine['trace']>['conversions']>[number];

/** Limit of names in a folded row. More names would hide the paid lines. */
const maxFoldedNames = 12;

/** One row for all lines of a rule without payout, with the reasons and the deals. */
function foldedRow(lines: readonly ExplainedLine[], currency: string): Html {
  const byReason = groupBy(lines, describeZero);
  const reasons = [...byReason].map(([reason, ofIt]) => (byReason.size === 1 ? reason : `${reason} (${ofIt.length})`));
  const names = lines
    .slice(0, maxFoldedNames)
    .map(({ line }) => line.dealName ?? line.dealId ?? periodName(line.period));
  const remainder = lines.length > names.length ? ` and ${quantity(Decimal.of(lines.length - names.length))} more` : '';
  const days = lines.map(({ line }) => line.closeDate ?? line.earnedOn).sort();
  const [from, to] = [days[0] as string, days.at(-1) as string];
  const range = from === to ? html`${dayName(from)}` : html`${dayName(from)}<small>to ${dayName(to)}</small>`;
  const bases = lines.flatMap((explained) =>
    explained.line.base === null || isFixed(explained) ? [] : [Decimal.of(explained.line.base)],
  );
  const base = bases.length === 0 ? '–' : money(roundBase(sum(bases), currency), currency);
  return html`<tr class="folded"><td dir="auto">${counted(lines.length, 'line')} without payout<small>${reasons.join(', ')}</small><small>${names.join(', ')}${remainder}</small></td>
  <td class="day">${range}</td><td>–</td><td class="amount">${base}</td><td class="amount">–</td>
  <td class="amount">${money('0', currency)}</td></tr>`;
}

function describeZero({ trace, terms }: ExplainedLine): string {
  if (trace?.reason !== undefined) return reasonTexts[trace.reason].label.toLowerCase();
  switch (terms?.rule.payoutMode) {
    case 'stepped_bonus':
      return 'the bonus of the tier is paid already';
    case 'flat_per_tier':
      return 'no further tier reached';
    default:
      return 'nothing due';
  }
}

const reversalReasons: Readonly<Record<string, string>> = {
  deal_change: 'the deal changed',
  deal_deletion: 'the deal was deleted',
  import: 'the deal changed in an import',
  recalculation: 'recalculated',
  plan_change: 'the plan changed',
  quota_change: 'the quota changed',
  absence: 'an absence changed',
  fx_rate: 'an exchange rate changed',
  rate_table: 'a rate table changed',
  assignment_change: 'the assignment changed',
  hierarchy_change: 'the hierarchy changed',
  rep_change: 'the owner changed',
  statement_unlock: 'recalculated after an unlock',
};

function reversedRow(line: ReversedLine): Html {
  const why = reversalReasons[line.trigger ?? ''] ?? 'recalculated';
  const note = html`<small>Reversed on ${dayName(line.reversedAt.toISOString().slice(0, 10))}: ${why}. Not counted.</small>`;
  const name = line.dealName ?? line.dealId ?? '–';
  return html`<tr class="reversed"><td dir="auto">${name}${note}</td><td class="day">${dayName(line.earnedOn)}</td><td></td><td></td><td></td>
  <td class="amount"><s>${money(line.amount, line.currency)}</s></td></tr>`;
}
