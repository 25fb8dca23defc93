import { type OwnStatement, type Statement } from '../../api/queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatMoney, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

/** What a statement pays and how far it is paid, as lists have it. */
export type PayHeadline = NonNullable<OwnStatement['payslip']>;
export type Payslip = NonNullable<Statement['payslip']>;
export type PayslipPart = Payslip['parts'][number];
export type PayslipLine = PayslipPart['lines'][number];
export type PayslipRow = PayslipLine['rows'][number];

/** The name of a line, such as "Released of earlier periods". */
export function lineWords({ kind, amount, rows }: PayslipLine, period: string): string {
  switch (kind) {
    case 'earned':
      return `Earned in ${formatPeriod(period)}`;
    case 'released':
      return 'Released of it';
    case 'released_earlier':
      return 'Released of earlier periods';
    case 'correction':
      return 'Corrections of approved periods';
    case 'taken_back':
      return 'Taken back';
    case 'draw':
      return amount < 0 ? 'Kept to repay draws' : 'Paid by draws';
    case 'balance':
      if (rows.some(isPaidBack)) return 'Paid back of what was kept';
      return amount < 0 ? 'Kept of it, for what is owed' : 'Carried to later statements';
    default:
      return 'Payable';
  }
}

const owedWords = { owed_before: 'Owed before this statement', owed_after: 'Still owed after it' } as const;
const drawWords = { guarantee: 'Guarantee', advance: 'Advance' } as const;

/** True-ups recovered more than the person owes. */
function isPaidBack({ kind, amount }: PayslipRow): boolean {
  return kind === 'owed_before' && amount > 0;
}

/** What a row of a line is about, beside the deal. */
export function rowWords(row: PayslipRow, currency: string): string {
  if (row.kind === 'draw') return `${drawWords[row.drawKind ?? 'advance']}: ${row.formula ?? ''}`;
  if (isPaidBack(row)) return 'Kept too much before this statement';
  if (row.kind !== 'deal') return owedWords[row.kind];
  const { ruleName, sourcePeriod, refundIds = [], earned, released, amount } = row;
  const isPart = earned !== undefined && released !== undefined && amount !== earned;
  return [
    ruleName ?? 'adjustment',
    ...(sourcePeriod === undefined ? [] : [`correction of ${formatPeriod(sourcePeriod)}`]),
    ...refundIds.map((refundId) => `refund ${refundId}`),
    ...(isPart ? [`${formatMoney(released, currency)} of ${formatMoney(earned, currency)} released`] : []),
  ].join(', ');
}

type Pay = NonNullable<NonNullable<Statement['payable']>['pay']>;

/** How a part is converted, such as "USD × 0.7901 of 31 Jan 2026"; null if it is not. */
export function rateWords(
  { currency, rate }: Pick<PayslipPart, 'currency' | 'rate'>,
  pay: Pay | undefined,
): string | null {
  if (rate === undefined) return null;
  if (rate === null) return 'An exchange rate is missing, so it cannot be approved.';
  const legs = pay?.parts.find((part) => part.currency === currency)?.legs ?? [];
  const days = [...new Set(legs.map(({ day }) => formatDay(day, 'year')))];
  return `${currency} × ${formatNumber(rate, 10)}${days.length === 0 ? '' : ` of ${days.join(' and ')}`}`;
}

/** How far a statement is paid, such as "Paid on 6 Oct 2026"; null while its own status says all. */
export function paidWords({ status, paidOn }: Pick<PayHeadline, 'status' | 'paidOn'>): string | null {
  if (status === 'in_batch') return 'Being paid';
  if (paidOn === null) return null;
  const words = `Paid on ${formatDay(paidOn, 'year')}`;
  return status === 'partly_paid' ? `${words}, more follows` : words;
}
