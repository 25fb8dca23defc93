import { type Payable, type PayableTotals } from '../../api/payout-queries.js';
import { type OwnStatement } from '../../api/queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { sumAmounts } from '../../shared/format/exact.js';
import { formatCount } from '../../shared/format/numbers.js';
import { reasonWords } from '../payables/hold-words.js';
import { type Sum, sumByCurrency } from '../statements/pay-sums.js';
import { type PayHeadline } from './words.js';

/** The parts of what is earned and expected, in the order in which money passes them, from the bank backwards. */
export const moneyParts = ['paid', 'coming', 'waiting', 'held', 'expected'] as const;
export type MoneyPart = (typeof moneyParts)[number];

/** The widths of the parts as shares of what is earned, and expected if it is. What takes back has no width. */
export function shareMoney(total: PayableTotals, expected = 0): Readonly<Partial<Record<MoneyPart, number>>> {
  const amounts = { ...total, coming: total.approved + total.payable, expected };
  const parts = moneyParts.filter((part) => part !== 'expected' || expected !== 0);
  const positive = parts.map((part) => [part, Math.max(0, amounts[part])] as const);
  const all = positive.reduce((sum, [, amount]) => sum + amount, 0);
  return Object.fromEntries(positive.map(([part, amount]) => [part, all === 0 ? 0 : amount / all]));
}

/** A statement of a person with what it pays, in the currency of the bank. */
export interface PaidStatement {
  readonly period: string;
  readonly payslip: PayHeadline;
  readonly sums: readonly Sum[];
}

type Listed = Pick<OwnStatement, 'period'> & { readonly payslip?: PayHeadline | undefined };

/** The statements that have paid something, as they are listed. */
export function listPaid(statements: readonly Listed[]): readonly PaidStatement[] {
  return withSums(statements, ({ paid }) => paid);
}

/** The statements that pay something that is not in the bank yet. */
export function listComing(statements: readonly Listed[]): readonly PaidStatement[] {
  return withSums(statements, ({ payable, approved, inBatch }) => sumAmounts([payable, approved, inBatch]));
}

function withSums(
  statements: readonly Listed[],
  amountOf: (amounts: PayHeadline['amounts'][number]) => number | string,
): readonly PaidStatement[] {
  return statements.flatMap(({ period, payslip }) => {
    if (payslip === undefined) return [];
    const sums = payslip.amounts
      .map((amounts) => ({ currency: amounts.currency, amount: String(amountOf(amounts)) }))
      .filter(({ amount }) => Number(amount) !== 0);
    return sums.length === 0 ? [] : [{ period, payslip, sums }];
  });
}

/** The sums of statements by currency. */
export function sumStatements(statements: readonly PaidStatement[], first: string): readonly Sum[] {
  return sumByCurrency(
    statements.flatMap(({ sums }) => sums),
    first,
  );
}

/** What parts wait for, such as "3 deals for the customer's payment, 2 until 31 Jan 2027". */
export function waitWords(payables: readonly Payable[]): string {
  const ofCustomers = payables.filter(({ waitsFor = [] }) =>
    waitsFor.some(({ because }) => because === 'customer_not_paid'),
  );
  const days = payables.flatMap(({ waitsFor = [] }) =>
    waitsFor.flatMap(({ because, expectedOn }) =>
      because === 'customer_not_paid' || expectedOn === null ? [] : expectedOn,
    ),
  );
  const deals = new Set(ofCustomers.map(({ dealId }) => dealId)).size;
  const [first] = days.toSorted();
  return [
    ...(deals === 0 ? [] : [`for the customers of ${formatCount(deals, 'deal')}`]),
    ...(first === undefined ? [] : [`for days from ${formatDay(first, 'year')} on`]),
  ].join(', ');
}

/** Why parts are held, each reason once. */
export function holdWords(payables: readonly Payable[]): string {
  return [...new Set(payables.flatMap(({ heldBy = [] }) => heldBy.map(({ reason }) => reasonWords(reason))))].join(
    '; ',
  );
}
