import { setImmediate as turn } from 'node:timers/promises';
import { currencyDigits } from '../../kernel/currency.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { periodKind, periodRange } from '../../kernel/period.js';
import { fontFaces } from '../../platform/documents/fonts.js';
import { type Html, html, htmlPage } from '../../platform/documents/html.js';
import { type StatementLine, type Summary } from '../snapshot.js';
import { type Meter, metersOf, tierReached } from './attainment-meters.js';
import { minute, money, percent, periodName, quantity } from './figures.js';
import { draftMark, pageStyle, paperOf, watermark } from './page-style.js';
import {
  explainRules,
  limitNames,
  type RuleExplanation,
  type Slice,
  slicesOf,
  tierName,
  traceOf,
} from './rule-explanations.js';
import { type ReversedLine, type RuleTerms, type StatementFacts } from './statement-facts.js';

/** A rep's statement on paper: what is paid, how it came about line by line, and who says so. */
export async function statementPage(facts: StatementFacts, now: Date): Promise<Html> {
  const { workspace, rep, key, head, content } = facts;
  const approved = head?.status === 'approved';
  const rules = explainRules(content.lines, facts.rules);
  const body = html`
${approved ? [] : watermark}
${headOf(facts, now)}
${sumsOf(facts)}
${attainmentOf(metersOf(facts))}
${rules.length === 0 ? [] : html`<section><h2>How it was computed</h2>${rules.map(computation)}</section>`}
${await lineItems(rules, facts)}
${adjustments(facts)}
${notes(facts)}`;
  const title = `Commission statement ${key.period}, ${rep.name}`;
  const identity = content.statementId === null ? 'no version generated' : `${content.statementId} v${content.version}`;
  const style = pageStyle(await fontFaces(body.markup), {
    paper: paperOf(workspace),
    landscape: false,
    running: `${rep.name.slice(0, 50)}, ${periodName(key.period)}`,
    foot: `Statement ${identity}`,
    draft: !approved,
  });
  return htmlPage({ title, style, body });
}

function headOf({ workspace, rep, key, head, content, people }: StatementFacts, now: Date): Html {
  const { from, to } = periodRange(key.period);
  const plans = [...groupBy(content.lines, (line) => `${line.planName} ${line.planVersion}`).values()].flatMap(
    ([line]) => (line?.planName ? [`${line.planName}, version ${line.planVersion}`] : []),
  );
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['Rep', rep.name],
    ['E-mail', rep.email],
    ['Payroll id', rep.payrollId ?? '–'],
    ['Plan', [...new Set(plans)].join('; ') || '–'],
    ['Statement id', content.statementId ?? '–'],
    ['Version', content.version === 0 ? '–' : String(content.version)],
    ['Currency', content.currency],
    ['Generated', minute(content.generatedAt ?? now, workspace.timezone)],
    ['Printed', minute(now, workspace.timezone)],
  ];
  return html`<header>
  <div>
    <p class="workspace" dir="auto">${workspace.name}</p>
    <h1>Commission statement</h1>
    <p class="period">${periodName(key.period)} <small>${from} to ${to}, days in ${workspace.timezone}</small></p>
  </div>
  ${stamp(head, people, workspace.timezone)}
</header>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`)}</dl>`;
}

function stamp(head: StatementFacts['head'], people: StatementFacts['people'], timeZone: string): Html {
  if (head?.status !== 'approved' || head.approvedAt === null) {
    const told = head === null ? 'Not generated yet: earnings so far' : 'Not approved yet';
    return html`<p class="stamp">${draftMark}<small>${told}</small></p>`;
  }
  const by = people.get(head.approvedBy ?? '');
  return html`<p class="stamp">Approved <small>${minute(head.approvedAt, timeZone)}${by === undefined ? '' : html`<br><span dir="auto">by ${by}</span>`}</small></p>`;
}

function sumsOf(facts: StatementFacts): Html {
  const { content, key, earlierThisYear, previous } = facts;
  const { currency, summary } = content;
  const yearToDate = earlierThisYear.plus(Decimal.of(summary.netPayout));
  const year = key.period.slice(0, 4);
  return html`<section class="sums">
  <p class="net"><span>Net payout</span><strong>${currency} ${money(summary.netPayout, currency)}</strong>
    <small>Year to date ${year}: ${money(yearToDate, currency)}</small>
    ${periodKind(key.period) === 'annual' ? [] : html`<small>Previous period, ${periodName(previous.period)}: ${money(previous.netPayout, currency)}</small>`}
  </p>
  ${summaryTable(summary, currency)}
</section>
${content.otherCurrencies.map(
  (other) => html`<section class="sums">
  <p class="net"><span>Net payout in ${other.currency}</span><strong>${other.currency} ${money(other.summary.netPayout, other.currency)}</strong></p>
  ${summaryTable(other.summary, other.currency)}
</section>`,
)}`;
}

function summaryTable(summary: Summary, currency: string): Html {
  const rows: readonly (readonly [string, string])[] = [
    ['Commissions', summary.totalCommission],
    ['Bonuses', summary.totalBonuses],
    ['Adjustments', summary.totalAdjustments],
  ];
  return html`<table>
  <tbody>${rows.map(([name, amount]) => html`<tr><td>${name}</td><td class="amount">${money(amount, currency)}</td></tr>`)}
  <tr class="total"><td>Net payout</td><td class="amount">${money(summary.netPayout, currency)}</td></tr></tbody>
</table>`;
}

function attainmentOf(meters: readonly Meter[]): Html | readonly Html[] {
  if (meters.length === 0) return [];
  return html`<section><h2>Attainment</h2>${meters.map(meterBar)}</section>`;
}

/** Scaled so that the target is never at the very end, and what lies far beyond does not press all else together. */
function meterBar(meter: Meter): Html {
  const { measure, period, target, credit, attainment, tiers } = meter;
  const marks = tiers.map((tier) => ({ ratio: tier.threshold.toNumber(), name: tier.name }));
  const reached = Math.max(0, attainment.toNumber());
  const end = Math.max(1.2, Math.min(reached, 2.5) * 1.05, ...marks.map((mark) => Math.min(mark.ratio, 2.5) * 1.12));
  const at = (ratio: number) => `${Math.min(100, Math.round((ratio / end) * 10_000) / 100)}%`;
  const shown = [{ ratio: 1, name: 'Target' }, ...marks.filter((mark) => mark.ratio > 0 && mark.ratio !== 1)]
    .filter((mark) => mark.ratio <= end)
    .sort((a, b) => a.ratio - b.ratio);
  const tier = tierReached(meter);
  return html`<div class="meter">
  <p><strong dir="auto">${measure}</strong> <small>${periodName(period)}${tier === null ? '' : html`, tier reached: <span dir="auto">${tier}</span>`}</small></p>
  <p class="amount"><strong>${percent(attainment, 1)}</strong> <small>${quantity(credit)} of ${quantity(target)}</small></p>
  <div class="bar"><div class="fill" style="width: ${at(reached)}"></div>${shown.map((mark) => html`<div class="mark" style="left: ${at(mark.ratio)}"></div>`)}</div>
  <div class="marks" aria-hidden="true">${apart(shown, end).map((mark) => html`<span${mark.ratio / end > 0.9 ? html` class="last"` : ''} style="left: ${at(mark.ratio)}">${percent(Decimal.of(mark.ratio), 0)}</span>`)}</div>
</div>`;
}

/** Marks whose labels do not run into each other. */
function apart<Mark extends { readonly ratio: number }>(marks: readonly Mark[], end: number): Mark[] {
  const kept: Mark[] = [];
  for (const mark of marks) {
    const before = kept.at(-1);
    if (before === undefined || (mark.ratio - before.ratio) / end > 0.06) kept.push(mark);
  }
  return kept;
}

function computation(rule: RuleExplanation): Html {
  const { currency } = rule;
  const rows = [
    ...rule.bands.map(
      (band) => html`<tr><td dir="auto">${band.tier}${band.range === '' ? [] : html`<small>${band.range}</small>`}</td>
      <td class="amount">${band.rate === null ? [] : money(rounded(band.base, currency), currency)}</td>
      <td class="amount">${band.rate === null ? `fixed, ${band.times} ×` : percent(band.rate)}</td>
      <td class="amount">${money(band.amount, currency)}</td></tr>`,
    ),
    ...rule.limits.map(
      (limit) =>
        html`<tr><td>${limitNames[limit.kind]}<small>${counted(limit.lines, 'line')}</small></td><td></td><td></td><td class="amount">${money(limit.effect, currency)}</td></tr>`,
    ),
    ...(rule.rounding.isZero()
      ? []
      : [
          html`<tr><td>Rounding of each line</td><td></td><td></td><td class="amount">${money(rule.rounding, currency)}</td></tr>`,
        ]),
  ];
  return html`<section>
  <h3><span dir="auto">${rule.name}</span> <small>${planOf(rule)}${termsOf(rule.terms)}</small></h3>
  <table class="computation">
    <colgroup><col style="width: 40%"><col style="width: 22%"><col style="width: 16%"><col style="width: 22%"></colgroup>
    <thead><tr><th>Tier</th><th class="amount">Base</th><th class="amount">Rate</th><th class="amount">Amount</th></tr></thead>
    <tbody>${rule.explained ? rows : html`<tr><td colspan="4">Calculated before traces were kept with statements.</td></tr>`}
    <tr class="total"><td>Total, ${counted(rule.lines.length, 'line')}</td><td></td><td></td><td class="amount">${money(rule.total, currency)}</td></tr></tbody>
  </table>
</section>`;
}

function planOf({ planName, planVersion }: Pick<RuleExplanation, 'planName' | 'planVersion'>): Html {
  return planName === null ? html`` : html`<span dir="auto">${planName}</span>, version ${planVersion ?? '–'}`;
}

const modeNames = {
  full_rate: 'full rate of the tier reached',
  marginal: 'each tier pays its own part',
  retroactive: 'the tier of the whole period',
} as const;

const attainmentPeriods = {
  monthly: 'monthly',
  quarterly: 'quarterly',
  semi_annual: 'half-yearly',
  annual: 'yearly',
} as const;

function termsOf(terms: RuleTerms | null): Html | readonly Html[] {
  if (terms === null || terms.tiers.length < 2) return [];
  const { rule } = terms;
  const by = {
    attainment: `${attainmentPeriods[rule.attainmentPeriod]} attainment`,
    value: 'value',
    rank: `${attainmentPeriods[rule.attainmentPeriod]} rank`,
  }[rule.tierBy];
  return html`; tiers by ${by}, ${rule.payoutMode === 'rate' ? modeNames[rule.tierMode] : 'fixed amounts'}`;
}

interface LineGroup {
  readonly rule: RuleExplanation | null;
  readonly name: string;
  readonly currency: string;
  readonly reversed: readonly ReversedLine[];
}

/** Reversals stand in place, with the rule that they once were of. */
async function lineItems(rules: readonly RuleExplanation[], { reversed, content }: StatementFacts): Promise<Html> {
  const ofEngine = reversed.filter((line) => line.kind === 'commission_earned');
  const left = groupBy(ofEngine, (line) => `${line.ruleName}|${line.currency}`);
  const take = (name: string, currency: string) => {
    const found = left.get(`${name}|${currency}`) ?? [];
    left.delete(`${name}|${currency}`);
    return found;
  };
  const standing = rules.map(
    (rule): LineGroup => ({
      rule,
      name: rule.name,
      currency: rule.currency,
      reversed: take(rule.name, rule.currency),
    }),
  );
  const gone = [...left.values()].map(
    (lines): LineGroup => ({
      rule: null,
      name: lines[0]?.ruleName ?? 'Commission',
      currency: lines[0]?.currency ?? content.currency,
      reversed: lines,
    }),
  );
  const groups = [...standing, ...gone];
  if (groups.length === 0)
    return html`<section><h2>Line items</h2><p>Nothing was earned on deals in this period.</p></section>`;
  if (content.lines.length > mostLines)
    return html`<section><h2>Line items</h2><p>${counted(content.lines.length, 'line')}: more than a document can hold. They are in the CSV and the workbook of this statement.</p></section>`;
  const tables: Html[] = [];
  for (const group of groups) for await (const table of lineTables(group, groups.length > 1)) tables.push(table);
  return html`<section><h2>Line items</h2>${tables}</section>`;
}

/** Some 200 pages, which a browser lays out in five seconds; it is ended after twenty. */
const mostLines = 5000;

/** A table of thousands of rows is laid out far slower than the same rows in several. */
const rowsATable = 250;

/** Between two tables everyone else in the process has a turn. */
async function* lineTables(group: LineGroup, named: boolean): AsyncGenerator<Html> {
  const { rule, currency } = group;
  const rows = [
    ...(rule?.lines ?? []).map((line) => ({ day: line.earnedOn, row: () => lineRow(line, rule?.terms ?? null) })),
    ...group.reversed.map((line) => ({ day: line.earnedOn, row: () => reversedRow(line) })),
  ].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
  const total = html`<tr class="total"><td colspan="5">${named ? html`Total of <span dir="auto">${group.name}</span>` : 'Total'}, ${counted(rule?.lines.length ?? 0, 'line')}</td><td class="amount">${money(rule?.total ?? Decimal.zero, currency)}</td></tr>`;
  for (let start = 0; start < rows.length; start += rowsATable) {
    await turn();
    const made = rows.slice(start, start + rowsATable).map(({ row }) => row());
    const isLast = start + rowsATable >= rows.length;
    yield lineTable(group, named, isLast ? [...made, total] : made, start > 0);
  }
}

function lineTable({ rule, name, currency }: LineGroup, named: boolean, rows: readonly Html[], goesOn: boolean): Html {
  const title = html`<tr class="group"><th colspan="6"><span dir="auto">${name}</span> <small>${rule === null ? [] : planOf(rule)}${goesOn ? ', continued' : ''}</small></th></tr>`;
  return html`<table class="lines">
  <colgroup><col style="width: 32%"><col style="width: 13%"><col style="width: 16%"><col style="width: 15%"><col style="width: 10%"><col style="width: 14%"></colgroup>
  <thead>${named ? title : []}<tr><th>Deal</th><th>Closed</th><th>Tier</th><th class="amount">Base</th><th class="amount">Rate</th><th class="amount">${currency}</th></tr></thead>
  <tbody>${rows}</tbody>
</table>`;
}

function lineRow(line: StatementLine, terms: RuleTerms | null): Html {
  const { currency } = line;
  const explained = howOf(line, terms);
  return html`<tr><td dir="auto">${dealOf(line)}${explained.map((told) => html`<small>${told}</small>`)}</td>
  <td class="day">${line.closeDate ?? line.earnedOn}</td><td dir="auto">${line.tierName ?? '–'}</td>
  <td class="amount">${line.base === null ? '–' : money(rounded(Decimal.of(line.base), currency), currency)}</td>
  <td class="amount">${line.rate === null ? (explained.length > 0 ? 'mixed' : '–') : percent(Decimal.of(line.rate))}</td>
  <td class="amount">${money(line.amount, currency)}</td></tr>`;
}

function dealOf({ dealId, dealName, period }: Pick<StatementLine, 'dealId' | 'dealName' | 'period'>): Html {
  if (dealId === null) return html`${periodName(period)}`;
  return dealName === null || dealName === dealId ? html`${dealId}` : html`${dealName}<small>${dealId}</small>`;
}

/** What a single rate does not say: parts of several tiers, fixed amounts, floors and caps that bit. */
function howOf(line: StatementLine, terms: RuleTerms | null): string[] {
  const trace = traceOf(line);
  if (trace === null) return [];
  const { currency } = line;
  const slices = slicesOf(trace);
  const part = (slice: Slice) =>
    slice.rate === null
      ? `${tierName(slice.tierIndex, null, terms)}: ${money(slice.amount, currency)}`
      : `${money(rounded(slice.base, currency), currency)} × ${percent(slice.rate)}`;
  const limits = trace.limits
    .filter((limit) => limit.before !== limit.after)
    .map(
      (limit) =>
        `${limitNames[limit.kind]}: ${money(rounded(Decimal.of(limit.before), currency), currency)} to ${money(rounded(Decimal.of(limit.after), currency), currency)}`,
    );
  const simple = slices.length < 2 && line.rate !== null;
  return [...(simple || slices.length === 0 ? [] : [slices.map(part).join(' + ')]), ...limits];
}

const reversalReasons: Readonly<Record<string, string>> = {
  deal_change: 'the deal changed',
  deal_deletion: 'the deal was deleted',
  import: 'the deal changed in an import',
  recalculation: 'recalculated',
  plan_change: 'the plan changed',
  quota_change: 'the quota changed',
  assignment_change: 'the assignment changed',
  hierarchy_change: 'the hierarchy changed',
  rep_change: 'the owner changed',
  statement_unlock: 'recalculated after an unlock',
};

function reversedRow(line: ReversedLine): Html {
  const why = reversalReasons[line.trigger ?? ''] ?? 'recalculated';
  const told = html`<small>Reversed on ${line.reversedAt.toISOString().slice(0, 10)}: ${why}. Not counted.</small>`;
  const name = line.dealName ?? line.dealId ?? '–';
  return html`<tr class="reversed"><td dir="auto">${name}${told}</td><td class="day">${line.earnedOn}</td><td></td><td></td><td></td>
  <td class="amount"><s>${money(line.amount, line.currency)}</s></td></tr>`;
}

const kindNames = { adjustment: 'Adjustment', clawback: 'Clawback', true_up: 'True-up' } as const;

function adjustments({ content, reversed, people }: StatementFacts): Html | readonly Html[] {
  const lines = content.lines.filter((line) => line.kind !== 'commission_earned');
  const taken = reversed.filter((line) => line.kind !== 'commission_earned');
  if (lines.length + taken.length === 0) return [];
  const byCurrency = groupBy(lines, (line) => line.currency);
  const totals = [...byCurrency].map(
    ([currency, ofIt]) =>
      html`<tr class="total"><td colspan="4">Total in ${currency}</td><td class="amount">${money(sum(ofIt.map((line) => Decimal.of(line.amount))), currency)}</td></tr>`,
  );
  const rows = lines.map((line) => {
    const kind = line.kind === 'commission_earned' ? '' : kindNames[line.kind];
    const deal = line.dealId === null ? [] : html`<small>${line.dealName ?? line.dealId}</small>`;
    return html`<tr><td class="day">${line.earnedOn}</td><td>${kind}</td><td dir="auto">${line.reason ?? '–'}${deal}</td>
    <td dir="auto">${people.get(line.actor ?? '') ?? '–'}</td><td class="amount">${money(line.amount, line.currency)}</td></tr>`;
  });
  const gone = taken.map(
    (
      line,
    ) => html`<tr class="reversed"><td class="day">${line.earnedOn}</td><td>${kindNames[line.kind as keyof typeof kindNames]}</td><td>Taken back on ${line.reversedAt.toISOString().slice(0, 10)}. Not counted.</td>
    <td></td><td class="amount"><s>${money(line.amount, line.currency)}</s></td></tr>`,
  );
  return html`<section><h2>Adjustments</h2>
<table>
  <colgroup><col style="width: 14%"><col style="width: 13%"><col style="width: 39%"><col style="width: 18%"><col style="width: 16%"></colgroup>
  <thead><tr><th>Day</th><th>Kind</th><th>Reason</th><th>By</th><th class="amount">Amount</th></tr></thead>
  <tbody>${rows}${gone}${totals}</tbody>
</table></section>`;
}

const mostComments = 20;

function notes({ comments, content, workspace }: StatementFacts): Html {
  const { currency, summary } = content;
  const shown = comments.slice(-mostComments);
  return html`<section class="notes"><h2>Notes</h2>
<p>Amounts are gross, before tax and other deductions. Each line is calculated exactly and rounded once, to ${currencyDigits(currency)} decimals in ${currency}.</p>
<p>If something looks wrong, comment on this statement or write to whoever runs commissions at <span dir="auto">${workspace.name}</span>, naming the statement and the deal.</p>
<p>Control: ${counted(content.lines.length, 'line')}, net payout ${currency} ${money(summary.netPayout, currency)}.</p></section>
${
  shown.length === 0
    ? []
    : html`<section><h2>Comments</h2>${shown.map((comment) => html`<p class="comment" dir="auto">${comment.body}<small>${comment.author.name}, ${minute(new Date(comment.createdAt), workspace.timezone)}</small></p>`)}</section>`
}`;
}

function counted(count: number, what: string): string {
  return `${quantity(Decimal.of(count))} ${what}${count === 1 ? '' : 's'}`;
}

function rounded(amount: Decimal, currency: string): Decimal {
  return amount.rounded(Math.max(2, currencyDigits(currency)));
}
