import { Decimal } from '../../kernel/decimal.js';
import { drawNames } from '../../payables/draw-words.js';
import { describeRate } from '../../payables/rate-words.js';
import {
  type StoredDrawLine,
  type StoredPay,
  type StoredPayLine,
  type StoredTotals,
} from '../../payables/stored-payable.js';
import { type Html, html } from '../../platform/documents/html.js';
import { type StatementContent } from '../../statements/statement.js';
import { counted, money } from './figures.js';

/** Limit of printed lines. The workbook and the JSON contain all of them. */
const maxLines = 500;

/** What the statement pays of what is earned; nothing in workspaces without payouts. */
export function payableSection({ payable }: Pick<StatementContent, 'payable'>): Html | readonly Html[] {
  if (payable === undefined || payable.totals.length + payable.lines.length === 0) return [];
  const lines = payable.lines.slice(0, maxLines);
  const left = payable.lines.length - lines.length;
  return html`<section><h2>Payable</h2>
<table>
  <colgroup><col style="width: 44%"><col style="width: 20%"><col style="width: 20%"><col style="width: 16%"></colgroup>
  <thead><tr><th>Deal and rule</th><th class="amount">Earned</th><th class="amount">Released</th><th class="amount">Paid here</th></tr></thead>
  <tbody>${lines.map(lineRow)}${left === 0 ? [] : html`<tr class="part"><td colspan="4">and ${counted(left, 'line')} more</td></tr>`}
  ${(payable.draws ?? []).map(drawRow)}${payable.totals.flatMap(totalRows)}${payable.pay === undefined ? [] : payRows(payable.pay)}</tbody>
</table></section>`;
}

function lineRow(line: StoredPayLine): Html {
  const { currency, earned, released, amount } = line;
  const what = [line.dealName ?? line.dealId, line.ruleName].filter((name) => name !== null).join(', ');
  return html`<tr><td dir="auto">${what === '' ? 'Adjustment' : what}${lineNote(line)}</td><td class="amount">${money(earned, currency)}</td>
    <td class="amount">${money(released, currency)}</td><td class="amount">${money(amount, currency)}</td></tr>`;
}

function drawRow({ kind, drawKind, currency, amount, formula, sourcePeriod }: StoredDrawLine): Html {
  const period = sourcePeriod === undefined ? '' : `${sourcePeriod}: `;
  return html`<tr><td colspan="3">${drawNames[kind]} (${drawKind})<small>${period}${formula}</small></td><td class="amount">${money(amount, currency)}</td></tr>`;
}

function lineNote({ kind, late, sourcePeriod }: StoredPayLine): Html | readonly Html[] {
  if (kind === 'correction') return html`<small>Correction of ${sourcePeriod ?? ''}</small>`;
  return late === true ? html`<small>Late: of an earlier period</small>` : [];
}

/** What is paid in the currency of the person, with the rate of each earned currency. */
function payRows({ currency, amount, parts }: StoredPay): Html[] {
  const converted = parts.map(
    (part) =>
      html`<tr class="part"><td colspan="3">${describeRate(part, currency)}</td><td class="amount">${part.amount === null ? '–' : money(part.amount, currency)}</td></tr>`,
  );
  return [
    ...converted,
    html`<tr class="total"><td colspan="3">Paid in ${currency}</td><td class="amount">${amount === null ? '–' : money(amount, currency)}</td></tr>`,
  ];
}

function totalRows(totals: StoredTotals): Html[] {
  const { currency, opening, added, recovered, closing, payable, drawn = '0', repaid = '0' } = totals;
  const balance = (
    [
      ['Owed before', opening],
      ['Taken back', added],
      ['Kept of this statement', recovered],
      ['Paid as a draw', drawn],
      ['Kept to repay draws', repaid],
    ] as const
  )
    .filter(([, amount]) => !Decimal.of(amount).isZero())
    .map(
      ([name, amount]) =>
        html`<tr class="part"><td colspan="3">${name}</td><td class="amount">${money(amount, currency)}</td></tr>`,
    );
  const owed = Decimal.of(closing).isZero()
    ? []
    : [
        html`<tr class="part"><td colspan="3">Owed afterwards</td><td class="amount">${money(closing, currency)}</td></tr>`,
      ];
  return [
    ...balance,
    html`<tr class="total"><td colspan="3">Payable in ${currency}</td><td class="amount">${money(payable, currency)}</td></tr>`,
    ...owed,
  ];
}
