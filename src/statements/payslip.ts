import { Decimal, maximum, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { convertPay, listPaid } from '../pay/payables/pay-currency.js';
import { type StatementPayouts } from '../pay/payables/statement-payouts.js';
import {
  type StoredDrawLine,
  type StoredPay,
  type StoredPayable,
  type StoredPayLine,
  type StoredPayPart,
  type StoredTotals,
} from '../pay/payables/stored-payable.js';
import { type CurrencySummary, type StatementLine } from './snapshot.js';

/** The lines of a payslip in their order: those between the first and the last one add up to the last one. */
export const payslipLineKinds = [
  'earned',
  'released',
  'released_earlier',
  'correction',
  'taken_back',
  'draw',
  'balance',
  'payable',
] as const;
export type PayslipLineKind = (typeof payslipLineKinds)[number];

/** What a line contains: of a deal and rule, of a draw, or what the person owes before and after the statement. */
export type PayslipRow =
  | {
      readonly kind: 'deal';
      readonly line: StoredPayLine;
      readonly refundIds: readonly string[];
      readonly amount: Decimal;
    }
  | { readonly kind: 'draw'; readonly draw: StoredDrawLine; readonly amount: Decimal }
  | { readonly kind: 'owed_before' | 'owed_after'; readonly amount: Decimal };

export interface PayslipLine {
  readonly kind: PayslipLineKind;
  readonly amount: Decimal;
  /** In the currency in which the person is paid, if it is another one. The converted lines add up, too. */
  readonly converted: Decimal | null;
  readonly rows: readonly PayslipRow[];
}

/** What a statement pays of what was earned in one currency. */
export interface PayslipPart {
  readonly currency: string;
  readonly lines: readonly PayslipLine[];
  /** How it is converted; null for people who are paid in the currency in which they earn. */
  readonly conversion: StoredPayPart | null;
}

interface CurrencyAmount {
  readonly currency: string;
  readonly amount: Decimal;
}

type PayStatus = 'payable' | 'approved' | 'in_batch' | 'partly_paid' | 'paid';

/** What is paid in one currency, by status. */
interface PaidAmounts {
  readonly currency: string;
  readonly payable: Decimal;
  readonly approved: Decimal;
  readonly inBatch: Decimal;
  readonly paid: Decimal;
  readonly paidOn: string | null;
}

/** What a statement pays, in the currency of the person, and how far that is paid. */
export interface PayHeadline {
  /** The currency of the person. */
  readonly currency: string;
  /** By the currency in which it is paid; the amount is null while an exchange rate is missing. */
  readonly pays: readonly { readonly currency: string; readonly amount: Decimal | null }[];
  readonly earned: readonly CurrencyAmount[];
  readonly owed: readonly CurrencyAmount[];
  readonly status: PayStatus;
  /** The day of the last payment. */
  readonly paidOn: string | null;
  readonly amounts: readonly PaidAmounts[];
}

/** What a statement says about pay, without its lines. */
export interface HeadlineFacts {
  readonly totals: readonly StoredTotals[];
  readonly pay: StoredPay | null;
  readonly summaries: readonly CurrencySummary[];
  readonly isApproved: boolean;
  /** The batches that contain the statement. */
  readonly payouts: StatementPayouts;
  /** The currency of a person about whom the statement has no amount. */
  readonly otherwise: string;
}

export function describePay(facts: HeadlineFacts): PayHeadline {
  const { totals, pay, summaries, payouts, isApproved } = facts;
  const currency = currencyOf(facts);
  const pays = paysOf(totals, pay);
  const amounts = listAmounts(pays, payouts, isApproved);
  const earned = summaries.map((each) => ({ currency: each.currency, amount: Decimal.of(each.summary.netPayout) }));
  return {
    currency,
    pays: pays.length === 0 ? [{ currency, amount: Decimal.zero }] : first(currency, pays),
    earned: first(currency, nonZero(earned)),
    owed: first(
      currency,
      nonZero(totals.map((total) => ({ currency: total.currency, amount: Decimal.of(total.closing) }))),
    ),
    status: statusOf(amounts, isApproved),
    paidOn: amounts.reduce<string | null>((day, { paidOn }) => laterOf(day, paidOn), null),
    amounts: first(currency, amounts),
  };
}

/** What a statement pays, by the currency in which it is paid, without those in which nothing is. */
export function paysOf(totals: readonly StoredTotals[], pay: StoredPay | null): PayHeadline['pays'] {
  return listPaid(totals, pay)
    .map((paid) => ({ currency: paid.currency, amount: pay?.amount === null ? null : paid.payable }))
    .filter(({ amount }) => amount?.isZero() !== true);
}

/** The currency of payment, otherwise the only one with an amount. */
function currencyOf({ totals, pay, summaries, payouts, otherwise }: HeadlineFacts): string {
  if (pay !== null) return pay.currency;
  const known = [
    ...totals.map(({ currency }) => currency),
    ...summaries.filter(({ summary }) => !hasNothing(summary)).map(({ currency }) => currency),
    ...payouts.map(({ currency }) => currency),
  ];
  const [only, ...others] = [...new Set(known)];
  return only === undefined || others.length > 0 ? otherwise : only;
}

export function hasNothing(summary: CurrencySummary['summary']): boolean {
  return Object.values(summary).every((amount) => Decimal.of(amount).isZero());
}

/** What batches contain stays as it is; the rest of what the statement pays waits for its approval or for a batch. */
function listAmounts(pays: PayHeadline['pays'], payouts: StatementPayouts, isApproved: boolean): PaidAmounts[] {
  const currencies = [...new Set([...pays, ...payouts].map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const ofIt = payouts.filter((payout) => payout.currency === currency);
    const inStatus = (status: 'open' | 'paid') => ofIt.filter((payout) => payout.status === status);
    const [inBatch, paid] = [sumOf(inStatus('open')), sumOf(inStatus('paid'))];
    const total = pays.find((each) => each.currency === currency)?.amount ?? Decimal.zero;
    const rest = maximum(total.minus(inBatch).minus(paid), Decimal.zero);
    return {
      currency,
      payable: isApproved ? Decimal.zero : rest,
      approved: isApproved ? rest : Decimal.zero,
      inBatch,
      paid,
      paidOn: inStatus('paid').reduce<string | null>((day, { paidOn }) => laterOf(day, paidOn), null),
    };
  });
}

function statusOf(amounts: readonly PaidAmounts[], isApproved: boolean): PayStatus {
  const has = (...fields: readonly ('payable' | 'approved' | 'inBatch' | 'paid')[]) =>
    amounts.some((amount) => fields.some((field) => !amount[field].isZero()));
  if (has('paid')) return has('payable', 'approved', 'inBatch') ? 'partly_paid' : 'paid';
  if (has('inBatch')) return 'in_batch';
  return isApproved ? 'approved' : 'payable';
}

function sumOf(payouts: StatementPayouts): Decimal {
  return sum(payouts.map(({ amount }) => Decimal.of(String(amount))));
}

function laterOf(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}

function nonZero(amounts: readonly CurrencyAmount[]): CurrencyAmount[] {
  return amounts.filter(({ amount }) => !amount.isZero());
}

function first<T extends { readonly currency: string }>(currency: string, all: readonly T[]): T[] {
  const rank = (each: T) => `${each.currency === currency ? 0 : 1}${each.currency}`;
  return all.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** The content of a statement of which a payslip is made. */
interface PayslipContent {
  readonly payable: StoredPayable;
  readonly summaries: readonly CurrencySummary[];
  readonly lines: readonly StatementLine[];
}

/**
 * How a statement comes from what is earned in its period to what it pays, by earned currency. This is the only place that
 * makes lines and totals of pay: pages, files, messages and answers print them.
 */
export function buildPayslip({ payable, summaries, lines }: PayslipContent, currency: string): PayslipPart[] {
  const own = earnedKeys(lines);
  const refunds = groupBy(
    lines.filter(({ refundId }) => refundId !== undefined),
    keyOfLedger,
  );
  const currencies = [
    ...payable.totals.map((total) => total.currency),
    ...summaries.filter(({ summary }) => !hasNothing(summary)).map((each) => each.currency),
  ];
  const parts = [...new Set(currencies)].map((earnedIn): PayslipPart => {
    const total = payable.totals.find((each) => each.currency === earnedIn);
    const inIt = payable.lines.filter((line) => line.currency === earnedIn);
    const toRow = (line: StoredPayLine): PayslipRow => ({
      kind: 'deal',
      line,
      refundIds: (refunds.get(keyOf(line)) ?? []).flatMap(({ refundId }) => refundId ?? []),
      amount: Decimal.of(line.amount),
    });
    const released = inIt.filter(({ kind }) => kind === 'release');
    const positive = released.filter(({ amount }) => Decimal.of(amount).sign() > 0);
    const isOwn = (line: StoredPayLine) => own.has(keyOf(line));
    const summary = summaries.find((each) => each.currency === earnedIn)?.summary;
    const conversion = payable.pay?.parts.find((each) => each.currency === earnedIn) ?? null;
    const draws = (payable.draws ?? []).filter((draw) => draw.currency === earnedIn);
    const counted = [
      ['released', positive.filter(isOwn).map(toRow)],
      ['released_earlier', positive.filter((line) => !isOwn(line)).map(toRow)],
      ['correction', inIt.filter(({ kind }) => kind === 'correction').map(toRow)],
      ['taken_back', released.filter(({ amount }) => Decimal.of(amount).sign() < 0).map(toRow)],
      ['draw', draws.map((draw): PayslipRow => ({ kind: 'draw', draw, amount: Decimal.of(draw.amount) }))],
      ['balance', total === undefined ? [] : balanceRows(total)],
    ] as const;
    return {
      currency: earnedIn,
      conversion: payable.pay?.currency === earnedIn ? null : conversion,
      lines: addUp(earnedIn, payable.pay?.currency ?? earnedIn, conversion, {
        earned: Decimal.of(summary?.netPayout ?? '0'),
        counted,
        payable: Decimal.of(total?.payable ?? '0'),
      }),
    };
  });
  return first(currency, parts);
}

/** What the person owed before, which is kept, and what they owe afterwards, which later statements keep. */
function balanceRows({ opening, closing }: StoredTotals): PayslipRow[] {
  const rows = [
    { kind: 'owed_before', amount: Decimal.of(opening).negated() },
    { kind: 'owed_after', amount: Decimal.of(closing) },
  ] as const;
  return rows.filter(({ amount }) => !amount.isZero());
}

interface Addends {
  readonly earned: Decimal;
  readonly counted: readonly (readonly [PayslipLineKind, readonly PayslipRow[]])[];
  readonly payable: Decimal;
}

/** The lines. Each converted amount is the difference of two converted sums, so that rounding leaves no remainder. */
function addUp(
  from: string,
  to: string,
  conversion: StoredPayPart | null,
  { earned, counted, payable }: Addends,
): PayslipLine[] {
  const rate = from === to ? null : (conversion?.rate ?? null);
  const convert = (amount: Decimal) =>
    rate === null ? null : Decimal.of(convertPay(String(amount), rate, { from, to }));
  let before = Decimal.zero;
  const lines = counted.map(([kind, rows]): PayslipLine => {
    const amount = sum(rows.map((row) => row.amount));
    const after = before.plus(amount);
    const [was, is] = [convert(before), convert(after)];
    before = after;
    return { kind, amount, converted: was === null || is === null ? null : is.minus(was), rows };
  });
  return [
    { kind: 'earned', amount: earned, converted: convert(earned), rows: [] },
    ...lines.filter(({ rows }) => rows.length > 0),
    { kind: 'payable', amount: payable, converted: convert(payable), rows: [] },
  ];
}

type PayKey = Pick<StoredPayLine, 'dealId' | 'planId' | 'ruleName' | 'currency' | 'category' | 'key'>;

/** Identifies what a line of pay and a line of the ledger have in common: the event, or the adjustment. */
export function keyOf({ dealId, planId, ruleName, currency, category, key }: PayKey): string {
  return category === 'adjustment' ? (key.split('|')[0] as string) : `${planId}|${ruleName}|${dealId}|${currency}`;
}

/** The keys of what is earned in the period. */
export function earnedKeys(lines: readonly StatementLine[]): ReadonlySet<string> {
  return new Set(lines.filter(({ refundId }) => refundId === undefined).map(keyOfLedger));
}

function keyOfLedger({ eventId, dealId, planId, ruleName, currency, kind }: StatementLine): string {
  return kind === 'commission_earned' ? `${planId}|${ruleName}|${dealId}|${currency}` : eventId;
}
