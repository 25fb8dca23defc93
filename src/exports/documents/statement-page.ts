import { currencyDigits } from '../../kernel/currency.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { explainProration } from '../../plans/quotas/proration.js';
import { loadFontFaces } from '../../platform/documents/fonts.js';
import { type Html, html, htmlPage } from '../../platform/documents/html.js';
import { type LoadedPayslip } from '../../statements/read-payslip.js';
import { listSummaries, type StatementLine, type Summary } from '../../statements/snapshot.js';
import { buildMeters, type Meter, tierReached } from './attainment-meters.js';
import { computationSection, versionNames } from './computation-section.js';
import { amountList, counted, dayName, localMinute, money, percent, periodName, quantity } from './figures.js';
import { lineItemsSection } from './line-items-section.js';
import { choosePaper, draftMark, pageStyle, watermark } from './page-style.js';
import { paySums } from './pay-sums.js';
import { payableSection } from './payable-section.js';
import { explainRules } from './rule-explanations.js';
import { quotaKey, type StatementFacts } from './statement-facts.js';

/** A rep's statement for printing: the amounts, their computation line by line, and the approval. */
export async function statementPage(facts: StatementFacts, now: Date): Promise<Html> {
  const { workspace, rep, key, head, content } = facts;
  const approved = head?.status === 'approved';
  const rules = explainRules(content.lines, facts.rules);
  const body = html`
${approved ? [] : watermark}
${renderHead(facts, now)}
${renderSums(facts)}
${renderAttainment(facts)}
${computationSection(rules)}
${await lineItemsSection(rules, facts)}
${adjustments(facts)}
${payableSection(facts.pay)}
${notes(facts)}`;
  const title = `Commission statement ${key.period}, ${rep.name}`;
  const identity = content.statementId === null ? 'no version generated' : `${content.statementId} v${content.version}`;
  const style = pageStyle(await loadFontFaces(body.markup), {
    paper: choosePaper(workspace),
    landscape: false,
    running: `${rep.name.slice(0, 50)}, ${periodName(key.period)}`,
    foot: `Statement ${identity}`,
    draft: !approved,
  });
  return htmlPage({ title, style, body });
}

function renderHead({ workspace, rep, key, days, head, content, asOf, pay }: StatementFacts, now: Date): Html {
  const { from, to } = days;
  const byPlan = groupBy(
    content.lines.filter((line) => line.planName !== null),
    (line) => line.planName as string,
  );
  const plans = [...byPlan].map(
    ([name, lines]) => `${name}, ${versionNames([...new Set(lines.map((line) => line.planVersion))])}`,
  );
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['Rep', rep.name],
    ['E-mail', rep.email],
    ['Payroll id', rep.payrollId ?? 'not set'],
    ['Plan', plans.join('; ') || '–'],
    ['Statement id', content.statementId ?? '–'],
    ['Version', content.version === 0 ? '–' : String(content.version)],
    ['Currency', pay?.headline.currency ?? content.currency],
    ['Generated', localMinute(content.generatedAt ?? asOf ?? now, workspace.timezone)],
    ...(asOf === null ? [] : [['As of', localMinute(asOf, workspace.timezone)] as const]),
    ['Printed', localMinute(now, workspace.timezone)],
  ];
  return html`<header>
  <div>
    <p class="workspace" dir="auto">${workspace.name}</p>
    <h1>Commission statement</h1>
    <p class="period">${periodName(key.period)} <small>${dayName(from)} to ${dayName(to)}, days and times in ${workspace.timezone}</small></p>
  </div>
  ${stamp(head, workspace.timezone)}
</header>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`)}</dl>`;
}

function stamp(head: StatementFacts['head'], timeZone: string): Html {
  if (head?.status !== 'approved' || head.approvedAt === null) {
    const status = head === null ? 'Not generated yet: earnings so far' : 'Not approved yet';
    return html`<p class="stamp">${draftMark}<small>${status}</small></p>`;
  }
  const by = head.approvedBy?.name;
  return html`<p class="stamp">Approved <small>${localMinute(head.approvedAt, timeZone)}${by === undefined ? '' : html`<br><span dir="auto">by ${by}</span>`}</small></p>`;
}

function renderSums(facts: StatementFacts): Html {
  const { content, key, previous, pay } = facts;
  const { currency, summary } = content;
  const [year = ''] = key.period.split('-');
  const yearToDate = sumYear(facts);
  if (pay !== null) return renderPaySums(facts, pay, yearToDate, year);
  return html`<section class="sums">
  <p class="net"><span>Net payout</span><strong>${currency} ${money(summary.netPayout, currency)}</strong>
    <small>Year to date ${year}: ${money(yearToDate, currency)}</small>
    ${previous === null ? [] : html`<small>Previous period, ${periodName(previous.period)}: ${money(previous.netPayout, currency)}</small>`}
  </p>
  ${summaryTable(summary, currency, 'Net payout')}
</section>
${content.otherCurrencies.map(
  (other) => html`<section class="sums">
  <p class="net"><span>Net payout in ${other.currency}</span><strong>${other.currency} ${money(other.summary.netPayout, other.currency)}</strong></p>
  ${summaryTable(other.summary, other.currency, 'Net payout')}
</section>`,
)}`;
}

/** What is earned since the beginning of the year, with the period. */
function sumYear({ content, earlierThisYear, earnedIn }: StatementFacts): Decimal {
  const now = listSummaries(content).find(({ currency }) => currency === earnedIn)?.summary.netPayout ?? '0';
  return earlierThisYear.plus(Decimal.of(now));
}

/** With payouts, the figure is what is paid, and what is earned follows it. */
function renderPaySums(
  { content, previous, earnedIn }: StatementFacts,
  pay: LoadedPayslip,
  yearToDate: Decimal,
  year: string,
): Html {
  const before =
    previous === null
      ? []
      : [
          html`<small>Earned in the previous period, ${periodName(previous.period)}: ${earnedIn} ${money(previous.netPayout, earnedIn)}</small>`,
        ];
  const notes = [html`<small>Earned in ${year} to date: ${earnedIn} ${money(yearToDate, earnedIn)}</small>`, ...before];
  const earned = listSummaries(content).filter(({ summary: { totalCommission, totalBonuses, totalAdjustments } }) =>
    [totalCommission, totalBonuses, totalAdjustments].some((amount) => !Decimal.of(amount).isZero()),
  );
  return html`${paySums(pay, notes)}
${earned.map(({ currency, summary }) => html`<section class="sums"><p class="net"><span>Earned</span></p>${summaryTable(summary, currency, `Earned, ${currency}`)}</section>`)}`;
}

function summaryTable(summary: Summary, currency: string, total: string): Html {
  const rows: readonly (readonly [string, string])[] = [
    ['Commissions', summary.totalCommission],
    ['Bonuses', summary.totalBonuses],
    ['Adjustments', summary.totalAdjustments],
  ];
  return html`<table>
  <tbody>${rows.map(([name, amount]) => html`<tr><td>${name}</td><td class="amount">${money(amount, currency)}</td></tr>`)}
  <tr class="total"><td>${total}</td><td class="amount">${money(summary.netPayout, currency)}</td></tr></tbody>
</table>`;
}

function renderAttainment(facts: StatementFacts): Html | readonly Html[] {
  const meters = buildMeters(facts);
  if (meters.length === 0) return [];
  const bars = meters.map((meter) => meterBar(meter, facts.quotaCurrencies.get(quotaKey(meter)) ?? null));
  return html`<section><h2>Attainment</h2>${bars}</section>`;
}

/**
 * A bar whose scale ends beyond the target. Values above 250 % do not extend the scale, so that the rest remains
 * readable.
 */
function meterBar(meter: Meter, currency: string | null): Html {
  const { measure, period, target, proration, credit, attainment, tiers } = meter;
  const marks = tiers.map((tier) => ({ ratio: tier.threshold.toNumber(), name: tier.name }));
  const reached = Math.max(0, attainment.toNumber());
  const end = Math.max(1.2, Math.min(reached, 2.5) * 1.05, ...marks.map((mark) => Math.min(mark.ratio, 2.5) * 1.12));
  const at = (ratio: number) => `${Math.min(100, Math.round((ratio / end) * 10_000) / 100)}%`;
  const visible = [{ ratio: 1, name: 'Target' }, ...marks.filter((mark) => mark.ratio > 0 && mark.ratio !== 1)]
    .filter((mark) => mark.ratio <= end)
    .sort((a, b) => a.ratio - b.ratio);
  const tier = tierReached(meter);
  const counted = currency === null ? quantity(credit) : `${currency} ${money(credit, currency)}`;
  return html`<div class="meter">
  <p><strong dir="auto">${measure}</strong> <small>${periodName(period)}${tier === null ? '' : html`, tier reached: <span dir="auto">${tier}</span>`}</small></p>
  <p class="amount"><strong>${percent(attainment, 1)}</strong> <small>${counted} of ${currency === null ? quantity(target) : money(target, currency)}${proration === null ? '' : ` (${explainProration(proration)})`}</small></p>
  <div class="bar"><div class="fill" style="width: ${at(reached)}"></div>${visible.map((mark) => html`<div class="mark" style="left: ${at(mark.ratio)}"></div>`)}</div>
  <div class="marks" aria-hidden="true">${withoutOverlaps(visible, end).map((mark) => html`<span${mark.ratio / end > 0.9 ? html` class="last"` : ''} style="left: ${at(mark.ratio)}">${percent(Decimal.of(mark.ratio), 0)}</span>`)}</div>
</div>`;
}

/** Leaves out marks whose labels would overlap. */
function withoutOverlaps<Mark extends { readonly ratio: number }>(marks: readonly Mark[], end: number): Mark[] {
  const printed: Mark[] = [];
  for (const mark of marks) {
    const before = printed.at(-1);
    if (before === undefined || (mark.ratio - before.ratio) / end > 0.06) printed.push(mark);
  }
  return printed;
}

const kindNames = { adjustment: 'Adjustment', clawback: 'Clawback', true_up: 'True-up' } as const;

function adjustments({ content, reversed, people }: StatementFacts): Html | readonly Html[] {
  const lines = content.lines.filter((line) => line.kind !== 'commission_earned');
  const reversals = reversed.filter((line) => line.kind !== 'commission_earned');
  if (lines.length + reversals.length === 0) return [];
  const byCurrency = groupBy(lines, (line) => line.currency);
  const totals = [...byCurrency].map(
    ([currency, ofIt]) =>
      html`<tr class="total"><td colspan="4">Total in ${currency}</td><td class="amount">${money(sum(ofIt.map((line) => Decimal.of(line.amount))), currency)}</td></tr>`,
  );
  const rows = lines.flatMap((line) => {
    const kind = line.kind === 'commission_earned' ? '' : kindNames[line.kind];
    const deal = line.dealId === null ? [] : html`<small>${line.dealName ?? line.dealId}</small>`;
    const row = html`<tr><td class="day">${dayName(line.earnedOn)}</td><td>${kind}</td><td dir="auto">${line.reason ?? '–'}${deal}</td>
    <td dir="auto">${people.get(line.actor ?? '') ?? '–'}</td><td class="amount">${money(line.amount, line.currency)}</td></tr>`;
    return [row, ...trueUpRows(line)];
  });
  const reversedRows = reversals.map(
    (
      line,
    ) => html`<tr class="reversed"><td class="day">${dayName(line.earnedOn)}</td><td>${kindNames[line.kind as keyof typeof kindNames]}</td><td>Reversed on ${dayName(line.reversedAt.toISOString().slice(0, 10))}. Not counted.</td>
    <td></td><td class="amount"><s>${money(line.amount, line.currency)}</s></td></tr>`,
  );
  return html`<section><h2>Adjustments</h2>
<table>
  <colgroup><col style="width: 14%"><col style="width: 13%"><col style="width: 39%"><col style="width: 18%"><col style="width: 16%"></colgroup>
  <thead><tr><th>Day</th><th>Kind</th><th>Reason</th><th>By</th><th class="amount">Amount</th></tr></thead>
  <tbody>${rows}${reversedRows}${totals}</tbody>
</table></section>`;
}

/** Limit of printed lines of one true-up. The workbook and the JSON contain all of them. */
const maxTrueUpLines = 200;

/** The lines of a true-up. Their differences are printed outside the amount column, so that the column adds up. */
function trueUpRows({ lines = [], currency }: StatementLine): Html[] {
  const rows = lines.slice(0, maxTrueUpLines).map(
    ({ dealId, dealName, ruleName, approved, live, delta }) =>
      html`<tr class="part"><td></td><td></td><td dir="auto">${dealName ?? dealId ?? 'Period'}, ${ruleName}<small>${money(approved, currency)} approved before, corrected to ${money(live, currency)}</small></td>
    <td class="amount">${money(delta, currency)}</td><td></td></tr>`,
  );
  const left = lines.length - rows.length;
  if (left > 0)
    rows.push(html`<tr class="part"><td></td><td></td><td colspan="3">and ${counted(left, 'line')} more</td></tr>`);
  return rows;
}

function notes({ comments, content, workspace, pay }: StatementFacts): Html {
  const { currency, summary } = content;
  const control =
    pay === null
      ? `net payout ${currency} ${money(summary.netPayout, currency)}`
      : `payable ${amountList(pay.headline.pays)}, earned ${amountList(pay.headline.earned) || 'nothing'}`;
  return html`<section class="notes"><h2>Notes</h2>
<p>Amounts are gross, before tax and other deductions. Each line is calculated exactly and rounded once, to ${currencyDigits(currency)} decimals in ${currency}.</p>
<p>If something looks wrong, comment on this statement or write to the person who runs commissions at <span dir="auto">${workspace.name}</span>, naming the statement and the deal.</p>
<p>Control: ${counted(content.lines.length, 'line')}, ${control}.</p></section>
${
  comments.length === 0
    ? []
    : html`<section><h2>Comments</h2>${comments.map((comment) => html`<p class="comment" dir="auto">${comment.body}<small>${comment.author.name}, ${localMinute(new Date(comment.createdAt), workspace.timezone)}</small></p>`)}</section>`
}`;
}
