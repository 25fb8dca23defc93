import { sql } from 'kysely';
import { type PayFx } from '../../access/workspaces/workspace.js';
import { convertAmount, defaultRateTable, type ExchangeRates } from '../../engine/exchange-rates.js';
import { roundToCurrency } from '../../kernel/currency.js';
import { type Day, type DayRange } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { fxInput } from '../../ledger/input/exchange-rates.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { latestRows } from '../../platform/database/latest-rows.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import {
  type StoredPay,
  type StoredPayable,
  type StoredPayPart,
  type StoredPayRate,
  type StoredTotals,
} from './stored-payable.js';

/** The currency in which a person is paid from the day on; null for the one in which they earn. */
interface DatedCurrency {
  readonly from: Day;
  readonly currency: string | null;
}

/** In which currencies people are paid, and at which rates. */
export interface PayTerms {
  /** By rep, the latest day first. */
  readonly currencies: ReadonlyMap<string, readonly DatedCurrency[]>;
  readonly rates: ExchangeRates | undefined;
  readonly payFx: PayFx;
  readonly today: Day;
}

/** Null if each of the reps is paid in the currency in which they earn. */
export async function loadPayTerms(tx: Transaction, repIds: readonly string[]): Promise<PayTerms | null> {
  const stored =
    tx.asOf === null
      ? sql`rep_pay_currencies`
      : latestRows(tx, 'rep_pay_currency_history', ['rep_id', 'from_day'], [sql`rep_id = any(${repIds}::uuid[])`]);
  const { rows } = await sql<DatedCurrency & { readonly repId: string }>`
    select rep_id as "repId", from_day as "from", currency from ${stored}
    where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])
    order by from_day desc`.execute(tx.db);
  if (rows.length === 0) return null;
  const workspace = await loadWorkspaceTerms(tx);
  const terms = await sql<{ payFx: PayFx | null; today: Day }>`
    select pay_fx as "payFx", case when test_day is not null and ${tx.asOf}::timestamptz is null then test_day
      else (coalesce(${tx.asOf}::timestamptz, now()) at time zone known_zone(timezone))::date end as today
    from workspaces where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  const { payFx, today } = terms.rows[0] as (typeof terms.rows)[number];
  const { fx } = fxInput({ workspace });
  return {
    currencies: groupBy(rows, ({ repId }) => repId),
    rates: fx?.rates,
    payFx: payFx ?? { date: 'period_end' },
    today,
  };
}

/** The statement of the days with what it pays in the currency that is in force on its last day. */
export function addPay(
  terms: PayTerms | null,
  repId: string,
  range: DayRange,
  { pay: _, ...payable }: StoredPayable,
): StoredPayable {
  const dated = terms?.currencies.get(repId)?.find(({ from }) => from <= range.to);
  if (terms === null || dated === undefined || dated.currency === null) return payable;
  return { ...payable, pay: computePay(dated.currency, payable.totals, rateFinder(terms, dated.currency, range)) };
}

/** The corrected totals at the rates that the approval has stored. */
export function correctPay(
  terms: PayTerms | null,
  approved: StoredPay,
  range: DayRange,
  totals: readonly StoredTotals[],
): StoredPay {
  const stored = new Map(approved.parts.map(({ currency, rate }) => [currency, rate]));
  const find = terms === null ? () => null : rateFinder(terms, approved.currency, range);
  return computePay(approved.currency, totals, (currency) => stored.get(currency) ?? find(currency));
}

type FindRate = (currency: string) => StoredPayRate | null;

function rateFinder({ rates, payFx, today }: PayTerms, payCurrency: string, { to }: DayRange): FindRate {
  const on =
    payFx.date === 'approved_on'
      ? { day: today, isProvisional: false }
      : // The period ends after its last day.
        { day: to, isProvisional: to >= today };
  return (currency) => {
    if (currency === payCurrency) return { numerator: '1', denominator: '1', legs: [] };
    const rate = rates?.find(payFx.table ?? defaultRateTable, currency, payCurrency, on);
    if (rate === undefined || rate === null) return null;
    return {
      numerator: rate.numerator.toString(),
      denominator: rate.denominator.toString(),
      legs: rate.legs.map((leg) => ({ ...leg, rate: leg.rate.toString() })),
    };
  };
}

function computePay(payCurrency: string, totals: readonly StoredTotals[], findRate: FindRate): StoredPay {
  const parts = totals.map((total): StoredPayPart => {
    const { currency, payable } = total;
    const rate = findRate(currency);
    if (rate === null) return { currency, payable, rate, commission: null, bonus: null, amount: null };
    const convert = (amount: string) => convertPay(amount, rate, { from: currency, to: payCurrency });
    const [commission, bonus, amount] = [total.commission, total.bonus, payable].map(convert) as [
      string,
      string,
      string,
    ];
    return { currency, payable, rate, commission, bonus, amount };
  });
  const isMissing = parts.some(lacksRate);
  const amount = isMissing ? null : sum(parts.map((part) => Decimal.of(part.amount ?? '0'))).toString();
  return { currency: payCurrency, amount, parts };
}

/** Rounded once for each earned currency. */
export function convertPay(
  amount: string,
  { numerator, denominator }: StoredPayRate,
  pair: { readonly from: string; readonly to: string },
): string {
  const rate = { ...pair, numerator: Decimal.of(numerator), denominator: Decimal.of(denominator), legs: [] };
  return roundToCurrency(convertAmount(Decimal.of(amount), rate), pair.to).toString();
}

/** What a statement pays in one currency. */
interface PaidTotal {
  readonly currency: string;
  readonly commission: Decimal;
  readonly bonus: Decimal;
  readonly payable: Decimal;
}

/** What a statement pays: in each currency that the person earns, or all of it in the one in which they are paid. */
export function listPaid(totals: readonly StoredTotals[], pay: StoredPay | null): PaidTotal[] {
  if (pay === null)
    return totals.map(({ currency, commission, bonus, payable }) => ({
      currency,
      commission: Decimal.of(commission),
      bonus: Decimal.of(bonus),
      payable: Decimal.of(payable),
    }));
  const total = (name: 'commission' | 'bonus' | 'amount') =>
    sum(pay.parts.map((part) => Decimal.of(part[name] ?? '0')));
  return [{ currency: pay.currency, commission: total('commission'), bonus: total('bonus'), payable: total('amount') }];
}

function lacksRate({ rate, payable }: StoredPayPart): boolean {
  return rate === null && !Decimal.of(payable).isZero();
}

/** Rejects the approval of an amount without a rate into the currency in which it is paid. */
export function assertPayRates({ payable }: { readonly payable?: StoredPayable }): void {
  const missing = payable?.pay?.parts.find(lacksRate);
  if (missing === undefined) return;
  const to = payable?.pay?.currency ?? '';
  throw new Failure(
    'fx_rate_missing',
    `There is no exchange rate from ${missing.currency} to ${to}, in which the person is paid. Enter one first.`,
    { from: missing.currency, to },
  );
}
