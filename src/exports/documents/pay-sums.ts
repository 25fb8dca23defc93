import { type Html, html } from '../../platform/documents/html.js';
import { type PayslipPart } from '../../statements/payslip.js';
import { lineTitles, statusText } from '../../statements/payslip-words.js';
import { type LoadedPayslip } from '../../statements/read-payslip.js';
import { amountList, asPrinted, money } from './figures.js';

/** What the statement pays as the figure of the document, and the lines from what is earned to it. */
export function paySums({ headline, parts }: LoadedPayslip, notes: readonly Html[]): Html {
  const { pays, earned, owed } = headline;
  return html`<section class="sums">
  <p class="net"><span>Payable</span>${pays.map(({ currency, amount }) => html`<strong>${currency} ${amount === null ? 'without an exchange rate' : money(amount, currency)}</strong>`)}
    <small>Status: ${asPrinted(statusText(headline))}</small>
    <small>Earned in the period: ${earned.length === 0 ? 'nothing' : amountList(earned)}</small>
    ${owed.length === 0 ? [] : html`<small>Still owed: ${amountList(owed)}</small>`}
    ${notes}
  </p>
  ${parts.slice(0, 1).map((part) => lineTable(part, headline.currency))}
</section>
${parts.slice(1).map((part) => html`<section class="sums"><p class="net"><span>Earned in ${part.currency}</span></p>${lineTable(part, headline.currency)}</section>`)}`;
}

function lineTable({ currency, lines, conversion }: PayslipPart, payCurrency: string): Html {
  const isConverted = conversion !== null;
  const head = isConverted
    ? html`<thead><tr><th></th><th class="amount">${currency}</th><th class="amount">${payCurrency}</th></tr></thead>`
    : [];
  return html`<table>${head}
  <tbody>${lines.map(
    ({ kind, amount, converted }) =>
      html`<tr${kind === 'payable' ? html` class="total"` : ''}><td>${lineTitles[kind]}</td><td class="amount">${money(amount, currency)}</td>${isConverted ? html`<td class="amount">${converted === null ? '–' : money(converted, payCurrency)}</td>` : ''}</tr>`,
  )}</tbody>
</table>`;
}
