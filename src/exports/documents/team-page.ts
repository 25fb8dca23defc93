import { type WorkspaceRow } from '../../access/workspaces/workspace-views.js';
import { describeRate } from '../../pay/payables/rate-words.js';
import { loadFontFaces } from '../../platform/documents/fonts.js';
import { type Html, html, htmlPage } from '../../platform/documents/html.js';
import { type CurrencySummary } from '../../statements/snapshot.js';
import { statementStatuses } from '../../statements/statement.js';
import { missingPayrollIds } from '../../statements/team-statements.js';
import { amountCells, hasPayable, isFullyApproved, type TeamCell, type TeamExport, teamCells } from '../team-export.js';
import { asPrinted, dayName, grouped, minute, money, periodName } from './figures.js';
import { choosePaper, draftMark, pageStyle, watermark } from './page-style.js';

/** The team's period for printing: totals, one row per rep, the number of approvals, and signature lines. */
export async function teamPage(
  team: TeamExport,
  workspace: WorkspaceRow,
  { now, asOf }: { readonly now: Date; readonly asOf: Date | null },
): Promise<Html> {
  const { from, to } = team.days;
  const approved = isFullyApproved(team);
  const body = html`
${approved ? [] : watermark}
<header>
  <div>
    <p class="workspace" dir="auto">${workspace.name}</p>
    <h1>Team statements</h1>
    <p class="period">${periodName(team.period)} <small>${dayName(from)} to ${dayName(to)}, days in ${workspace.timezone}</small></p>
  </div>
  <p class="stamp">${approved ? 'Approved' : draftMark}<small>${statusCounts(team).join(', ')}</small></p>
</header>
<section class="totals"><h2>Totals</h2>
<table>
  ${columnWidths(team, true)}
  <thead><tr><th>Currency</th>${amountNames(team).map((name) => html`<th class="amount">${name}</th>`)}<th></th></tr></thead>
  <tbody>${totalRows(team)}</tbody>
</table></section>
<section><h2>By rep</h2>${repTables(team)}</section>
${convertedPay(team)}
<section class="end">
  <p>Statements: ${statusCounts(team).map((count) => html`<span class="count">${count}</span>`)}</p>
  <p>Control: ${team.rows.length} rows, ${team.members.length} reps${team.totals.map(controlSum)}.</p>
  ${withoutPayrollId(team)}
  <p class="note">Amounts are gross, before tax and other deductions. Printed ${minute(now, workspace.timezone)}${asOf === null ? '' : `, as of ${minute(asOf, workspace.timezone)}`}.</p>
  <div class="signatures"><p>Prepared by, date</p><p>Approved by, date</p></div>
</section>`;
  const style = pageStyle(await loadFontFaces(body.markup), {
    paper: choosePaper(workspace),
    landscape: true,
    running: `Team statements, ${periodName(team.period)}`,
    foot: `Team statements ${team.period}`,
    draft: !approved,
  });
  return htmlPage({ title: `Team statements ${team.period}`, style, body });
}

function controlSum({ currency, summary }: CurrencySummary): Html {
  const earned = money(summary.netPayout, currency);
  return summary.payable === undefined
    ? html`, net payout ${currency} ${earned}`
    : html`, payable ${currency} ${money(summary.payable, currency)}, earned ${currency} ${earned}`;
}

/** What is paid to people in another currency than they earn in. */
function convertedPay(team: TeamExport): Html | readonly Html[] {
  const rows = team.members.flatMap(({ name, pay }) =>
    (pay?.parts ?? []).flatMap((part) => (pay === null || part.currency === pay.currency ? [] : [{ name, pay, part }])),
  );
  if (!hasPayable(team) || rows.length === 0) return [];
  return html`<section><h2>Paid in another currency</h2><table><tbody>${rows.map(
    ({ name, pay, part }) =>
      html`<tr><td dir="auto">${name}</td><td>${asPrinted(describeRate(part, pay.currency))}</td><td class="amount">${pay.currency} ${part.amount === null ? '–' : money(part.amount, pay.currency)}</td></tr>`,
  )}</tbody></table></section>`;
}

/** Payroll systems cannot pay people without an id. */
function withoutPayrollId({ members }: TeamExport): Html | string {
  const people = missingPayrollIds(members);
  if (people.length === 0) return '';
  return html`<p>Without a payroll id: <span dir="auto">${people.map(({ name, email }) => `${name} (${email})`).join(', ')}</span>.</p>`;
}

function statusCounts({ members }: TeamExport): string[] {
  return statementStatuses
    .toReversed()
    .map((status) => `${members.filter((member) => member.status === status).length} ${status}`);
}

function amountNames({ columns }: TeamExport): readonly string[] {
  return columns.slice(2, columns.indexOf('Statement Status'));
}

/** A browser lays out one table of thousands of rows much more slowly than several smaller tables. */
const rowsPerTable = 250;

function repTables(team: TeamExport): Html[] {
  const head = html`<thead><tr>${team.columns.map((name) => html`<th${amountNames(team).includes(name) ? html` class="amount"` : ''}>${name}</th>`)}</tr></thead>`;
  const tables: Html[] = [];
  for (let start = 0; start === 0 || start < team.rows.length; start += rowsPerTable) {
    const rows = team.rows.slice(start, start + rowsPerTable);
    tables.push(
      html`<table>${columnWidths(team, false)}${head}<tbody>${rows.map((row) => html`<tr>${teamCells(row, team).map(cell)}</tr>`)}</tbody></table>`,
    );
  }
  return tables;
}

function columnWidths(team: TeamExport, ofTotals: boolean): Html {
  const [name, mail, all, status, currency] =
    team.totals.length > 1 ? ([17, 20, 45, 11, 7] as const) : ([19, 22, 48, 11, 0] as const);
  const names = amountNames(team);
  const amounts = names.map(() => all / names.length);
  const widths = ofTotals
    ? [name + mail, ...amounts, status + currency]
    : [name, mail, ...amounts, status, ...(currency === 0 ? [] : [currency])];
  return html`<colgroup>${widths.map((width) => html`<col style="width: ${width}%">`)}</colgroup>`;
}

function totalRows(team: TeamExport): Html[] {
  const { totals, currency } = team;
  const zero = { totalCommission: '0', totalBonuses: '0', totalAdjustments: '0', netPayout: '0' };
  const sums = totals.length > 0 ? totals : [{ currency, summary: zero }];
  return sums.map(
    (total) =>
      html`<tr class="total"><td>${total.currency}</td>${amountCells(total, hasPayable(team)).map(cell)}<td></td></tr>`,
  );
}

function cell(value: TeamCell): Html {
  if ('amount' in value) return html`<td class="amount">${grouped(value.amount)}</td>`;
  return html`<td dir="auto">${value.text}</td>`;
}
