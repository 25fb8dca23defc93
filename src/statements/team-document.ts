import { periodRange } from '../kernel/period.js';
import { type Html, html, htmlPage } from '../platform/documents/html.js';
import { statementStatuses } from './statement.js';
import { amountCells, type TeamCell, type TeamExport, teamCells } from './team-export.js';

const draft = 'DRAFT – not for payroll';

/** The team's period on paper: totals, one row a rep, how far the approvals are, and who signs. */
export function teamDocument(
  team: TeamExport,
  workspace: { readonly name: string; readonly timezone: string },
  now: Date,
): Html {
  const { from, to } = periodRange(team.period);
  const approved = team.members.length > 0 && team.members.every(({ status }) => status === 'approved');
  const count = (status: string) => team.members.filter((member) => member.status === status).length;
  const body = html`
<header>
  <div>
    <h1>Team statements ${team.period}</h1>
    <p class="workspace" dir="auto">${workspace.name}</p>
    <p>${from} to ${to} (${workspace.timezone})</p>
  </div>
  <p class="stamp">${approved ? 'Approved' : draft}</p>
</header>
<h2>Totals</h2>
<table class="totals">
  <thead><tr><th>Currency</th>${amountColumns(team).map((name) => html`<th class="amount">${name}</th>`)}</tr></thead>
  <tbody>${totalRows(team)}</tbody>
</table>
<h2>By rep</h2>
<table>
  <thead><tr>${team.columns.map((name) => html`<th${isAmount(team, name) ? html` class="amount"` : ''}>${name}</th>`)}</tr></thead>
  <tbody>${team.rows.map((row) => html`<tr>${teamCells(row, team).map(cell)}</tr>`)}</tbody>
</table>
<section class="end">
  <p>Statements: ${statementStatuses.map((status) => html`<span class="count">${count(status)} ${status}</span>`)}</p>
  <p>Control: ${team.rows.length} rows, ${team.members.length} reps. Amounts are gross, before tax.</p>
  <p>Generated at ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC</p>
  <div class="signatures"><p>Prepared by, date</p><p>Approved by, date</p></div>
</section>`;
  const title = `Team statements ${team.period}`;
  return htmlPage({ title, style: styleOf(team.period, approved), body });
}

function amountColumns({ columns }: TeamExport): readonly string[] {
  return columns.slice(2, 6);
}

function isAmount(team: TeamExport, column: string): boolean {
  return amountColumns(team).includes(column);
}

function totalRows({ totals, currency }: TeamExport): Html[] {
  const zero = { totalCommission: '0', totalBonuses: '0', totalAdjustments: '0', netPayout: '0' };
  const shown = totals.length > 0 ? totals : [{ currency, summary: zero }];
  return shown.map(
    (total) => html`<tr><td>${total.currency}</td>${amountCells(total.summary, total.currency).map(cell)}</tr>`,
  );
}

function cell(value: TeamCell): Html {
  if ('amount' in value) return html`<td class="amount">${grouped(value.amount)}</td>`;
  return html`<td dir="auto">${value.text}</td>`;
}

/** `-1234567.50` as `-1,234,567.50`. */
export function grouped(amount: string): string {
  const [whole = '', fraction] = amount.split('.');
  const thousands = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? thousands : `${thousands}.${fraction}`;
}

/** Periods hold digits, dashes, Q and H: nothing that could leave a text of CSS. */
function styleOf(period: string, approved: boolean): Html {
  return html`
@page {
  size: A4 landscape;
  margin: 16mm 14mm 16mm;
  @top-right { content: "${approved ? '' : draft}"; font: bold 8pt "Open Sans", "DejaVu Sans", sans-serif; }
  @bottom-left { content: "Team statements ${period}"; font: 8pt "Open Sans", "DejaVu Sans", sans-serif; }
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt "Open Sans", "DejaVu Sans", sans-serif; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 9pt/1.35 "Open Sans", "DejaVu Sans", "Noto Sans", sans-serif; color: #000; }
header { display: flex; justify-content: space-between; align-items: flex-start; gap: 10mm; }
h1 { margin: 0; font-size: 18pt; }
h2 { margin: 6mm 0 1.5mm; font-size: 11pt; break-after: avoid; }
p { margin: 0.5mm 0; }
.workspace { font-size: 12pt; font-weight: bold; overflow-wrap: anywhere; }
.stamp { flex: none; margin: 1mm 0 0; border: 0.6mm solid #000; padding: 1mm 4mm; font-size: 11pt; font-weight: bold; }
table { width: 100%; border-collapse: collapse; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th { text-align: left; white-space: nowrap; border-bottom: 0.4mm solid #000; padding: 1mm 2mm; vertical-align: bottom; }
td { text-align: left; border-bottom: 0.15mm solid #777; padding: 1mm 2mm; vertical-align: top; overflow-wrap: anywhere; unicode-bidi: isolate; }
th.amount, td.amount { text-align: right; white-space: nowrap; overflow-wrap: normal; font-variant-numeric: tabular-nums; }
table:not(.totals) th:nth-child(1) { width: 20%; }
table:not(.totals) th:nth-child(2) { width: 28%; }
tbody td:nth-child(6), .totals td:last-child { font-weight: bold; }
.totals { width: auto; min-width: 60%; }
.end { margin-top: 6mm; break-inside: avoid; }
.count { margin-right: 4mm; }
.signatures { display: flex; gap: 15mm; margin-top: 16mm; }
.signatures p { width: 75mm; border-top: 0.3mm solid #000; padding-top: 1mm; }
`;
}
