import { type z } from 'zod';
import { addMonths, type Day, type DayRange } from '../../kernel/day.js';
import { Decimal, maximum, sum } from '../../kernel/decimal.js';
import { type Period } from '../../kernel/period.js';
import { forecastPayables, loadRepPayables, type RepPayables } from '../../pay/payables/build-payables.js';
import { addPay, listPaid, loadPayTerms } from '../../pay/payables/pay-currency.js';
import { type NamedPeriod, type PayPeriods } from '../../pay/payables/pay-periods.js';
import { loadPayableRows, type PayableRow } from '../../pay/payables/payable-rows.js';
import { type ReleasedSum, sumReleases } from '../../pay/payables/releases-by-period.js';
import { type payTotals, toTotalsResponse } from '../../pay/payables/statement-payable.js';
import { loadPayoutsOfRep, type StatementPayouts } from '../../pay/payables/statement-payouts.js';
import { type StoredPayable } from '../../pay/payables/stored-payable.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { compareSums, groupWith } from './forecasted-releases.js';

/** The pay periods of so many months are shown, the present one included. */
const shownMonths = 3;

export function shownPeriods(payPeriods: PayPeriods, today: Day): NamedPeriod[] {
  return payPeriods.until(addMonths(today, shownMonths - 1));
}

type Amounts = ReturnType<typeof compareSums>;

interface CalendarPeriod {
  readonly period: Period;
  readonly from: Day;
  readonly to: Day;
  readonly status: 'open' | 'approved';
  readonly amounts: Amounts;
  readonly totals: z.input<typeof payTotals>[];
}

export interface PayCalendar {
  readonly periods: CalendarPeriod[];
  readonly later: Amounts;
  readonly undated: Amounts;
}

interface CalendarInput {
  readonly repId: string;
  readonly payPeriods: PayPeriods;
  readonly today: Day;
  /** What open deals are expected to add to the ledger. */
  readonly added: readonly PayableRow[];
}

/**
 * What the statements of the next pay periods pay: by what is earned and known today, and with what open deals add. Draws and
 * what the person owes follow the amounts of each.
 */
export async function loadPayCalendar(tx: Transaction, input: CalendarInput): Promise<PayCalendar> {
  const { repId, payPeriods, today } = input;
  const sure = (await loadRepPayables(tx, [repId], payPeriods.firstDay))(repId);
  const expected = input.added.length === 0 ? sure : { ...sure, groups: await addRows(tx, input) };
  const periods = shownPeriods(payPeriods, today);
  const terms = await loadPayTerms(tx, [repId]);
  const payouts = await loadPayoutsOfRep(tx, repId);
  const approved = listApproved(sure, periods, payouts);
  const listAll = (payables: RepPayables) => [
    ...approved,
    ...listOpen(payables, periods, (range, payable) => addPay(terms, repId, range, payable)),
  ];
  const [known, withDeals] = [listAll(sure), listAll(expected)];
  const [released, releasedThen] = [sure, expected].map((payables) => sumReleases(payables, payPeriods, today));
  const compareReleases = (isOf: (sum: ReleasedSum) => boolean) =>
    compareSums((released ?? []).filter(isOf), (releasedThen ?? []).filter(isOf));
  return {
    periods: known
      .toSorted((a, b) => (a.from < b.from ? -1 : 1))
      .map(({ pays, ...statement }) => ({
        ...statement,
        amounts: compareSums(pays, withDeals.find(({ period }) => period === statement.period)?.pays ?? []),
      }))
      .filter(({ to, amounts }) => to >= today || amounts.length > 0),
    later: compareReleases(({ period }) => period !== null && periods.every((named) => named.period !== period)),
    undated: compareReleases(({ period }) => period === null),
  };
}

/** The groups of what is earned, and of what open deals add. */
async function addRows(tx: Transaction, { repId, payPeriods, added }: CalendarInput) {
  const { firstDay } = payPeriods;
  const stored = await loadPayableRows(tx, { repIds: [repId], firstDay });
  return (await groupWith(tx, stored, added, firstDay)).get(repId) ?? [];
}

interface Statement extends Omit<CalendarPeriod, 'amounts'> {
  readonly pays: readonly ReleasedSum[];
}

/** What open statements would pay if each was approved in turn. */
function listOpen(
  payables: RepPayables,
  periods: readonly NamedPeriod[],
  withPay: (range: DayRange, payable: StoredPayable) => StoredPayable,
): Statement[] {
  return forecastPayables(payables, periods).map(({ period, range, payable }) => {
    const { totals, pay } = withPay(range, payable);
    // Without a rate, the amounts stay in the currencies in which they are earned.
    const paid = listPaid(totals, pay === undefined || pay.amount === null ? null : pay);
    return {
      period,
      ...range,
      status: 'open',
      totals: totals.map(toTotalsResponse),
      pays: paid.map(({ currency, payable: amount }) => ({ period, currency, amount })),
    };
  });
}

/** What approved statements pay and no paid batch contains. */
function listApproved(
  { history }: RepPayables,
  periods: readonly NamedPeriod[],
  payouts: ReadonlyMap<Period, StatementPayouts>,
): Statement[] {
  return periods.flatMap(({ period, range }) => {
    const approved = history.findApproved(period);
    if (approved === null) return [];
    const paid = (payouts.get(period) ?? []).filter(({ status }) => status === 'paid');
    const pays = listPaid(approved.totals, approved.pay ?? null).map(({ currency, payable }) => {
      const before = paid.filter((batch) => batch.currency === currency).map(({ amount }) => Decimal.of(amount));
      return { period, currency, amount: maximum(payable.minus(sum(before)), Decimal.zero) };
    });
    return [{ period, ...range, status: 'approved', totals: approved.totals.map(toTotalsResponse), pays }];
  });
}
