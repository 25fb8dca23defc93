import { describeRate } from '../../pay/payables/rate-words.js';
import { type Html, html } from '../../platform/documents/html.js';
import { type PayslipLine, type PayslipPart, type PayslipRow } from '../../statements/payslip.js';
import { lineTitles, rowNote, rowTitle } from '../../statements/payslip-words.js';
import { type LoadedPayslip } from '../../statements/read-payslip.js';
import { asPrinted, counted, money } from './figures.js';

/** Limit of printed rows of one line. The workbook and the JSON contain all of them. */
const maxRows = 500;

/** The payslip with the rows of its lines; nothing in workspaces without payouts. */
export function payableSection(pay: LoadedPayslip | null): Html | readonly Html[] {
  if (pay === null || pay.parts.length === 0) return [];
  return html`<section><h2>Payable</h2>${pay.parts.map((part) => partTable(part, pay.headline.currency))}</section>`;
}

function partTable({ currency, lines, conversion }: PayslipPart, payCurrency: string): Html {
  const converted =
    conversion === null
      ? []
      : html`<tr class="part"><td colspan="3">${asPrinted(describeRate(conversion, payCurrency))}</td><td class="amount">${conversion.amount === null ? '–' : `${payCurrency} ${money(conversion.amount, payCurrency)}`}</td></tr>`;
  return html`<table>
  <colgroup><col style="width: 44%"><col style="width: 20%"><col style="width: 20%"><col style="width: 16%"></colgroup>
  <thead><tr><th>Deal and rule</th><th class="amount">Earned</th><th class="amount">Released</th><th class="amount">${currency}</th></tr></thead>
  <tbody>${lines.map((line) => lineRows(line, currency))}${converted}</tbody>
</table>`;
}

/** What is earned stands before the lines that add up. */
function lineRows({ kind, amount, rows }: PayslipLine, currency: string): Html {
  const style = kind === 'payable' || kind === 'earned' ? 'total' : 'group';
  const left = rows.length - maxRows;
  const more = left > 0 ? html`<tr class="part"><td colspan="4">and ${counted(left, 'row')} more</td></tr>` : [];
  return html`<tr class="${style}"><td colspan="3">${lineTitles[kind]}</td><td class="amount">${money(amount, currency)}</td></tr>
  ${rows.slice(0, maxRows).map((row) => rowOf(row, currency))}${more}`;
}

function rowOf(row: PayslipRow, currency: string): Html {
  const note = rowNote(row);
  const [earned, released] =
    row.kind === 'deal' ? [money(row.line.earned, currency), money(row.line.released, currency)] : ['', ''];
  return html`<tr class="part"><td dir="auto">${rowTitle(row)}${note === null ? [] : html`<small>${asPrinted(note)}</small>`}</td><td class="amount">${earned}</td>
    <td class="amount">${released}</td><td class="amount">${money(row.amount, currency)}</td></tr>`;
}
