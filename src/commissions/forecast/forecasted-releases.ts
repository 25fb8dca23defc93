import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Day, type DayRange, isWithin } from '../../kernel/day.js';
import { sum } from '../../kernel/decimal.js';
import { type Period } from '../../kernel/period.js';
import { groupRows } from '../../pay/payables/load-groups.js';
import { type PayPeriods } from '../../pay/payables/pay-periods.js';
import { loadPayableRows, type PayableRow } from '../../pay/payables/payable-rows.js';
import { type ReleasedSum, sumReleases } from '../../pay/payables/releases-by-period.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type ForecastResult } from './forecast-task.js';

/** What is released in one currency. */
export const forecastedAmount = {
  currency: fields.currency,
  sure: z.number().describe('What is paid if no open deal is won'),
  expected: z.number().describe('What is expected to be paid'),
};
type ForecastedAmount = Readonly<{ currency: string; sure: number; expected: number }>;

/** What a pay period releases in one currency; the period is null for what waits for a day that is not known. */
export interface ForecastedRelease extends ForecastedAmount {
  readonly period: Period | null;
}

interface ReleasedPay {
  readonly repId: string;
  readonly range: DayRange;
  readonly payPeriods: PayPeriods;
  readonly today: Day;
  readonly rows: NonNullable<ForecastResult['rows']>;
}

/**
 * When the pay of the days is released. The sums of all periods are the pay that was earned in the pay periods. What is not
 * in the ledger is released in the present pay period at the earliest.
 */
export async function releaseForecast(
  tx: Transaction,
  { repId, range, payPeriods, today, rows }: ReleasedPay,
): Promise<ForecastedRelease[]> {
  const { firstDay } = payPeriods;
  const all = await loadPayableRows(tx, { repIds: [repId], firstDay });
  const stored = all.filter(({ day }) => isWithin(day, range));
  const groups = (await groupRows(tx, stored, firstDay)).get(repId) ?? [];
  const earned = sumReleases({ groups }, payPeriods, today);
  const release = async (added: readonly PayableRow[]) => {
    const ofAdded = (await groupWith(tx, [], added, firstDay)).get(repId) ?? [];
    return [...earned, ...sumReleases({ groups: ofAdded }, payPeriods, today, ({ range: days }) => days.to >= today)];
  };
  const [sure, expected] = [await release(rows.sure), await release(rows.expected)];
  const periods = [...new Set([...sure, ...expected].map(({ period }) => period))];
  return payPeriods.inOrder(periods).flatMap((period) => {
    const ofPeriod = (sums: readonly ReleasedSum[]) => sums.filter((each) => each.period === period);
    return compareSums(ofPeriod(sure), ofPeriod(expected)).map((amount) => ({ period, ...amount }));
  });
}

/** The groups of the stored rows and of those that are not stored, which cascades of their deals follow too. */
export function groupWith(
  tx: Transaction,
  stored: readonly PayableRow[],
  added: readonly PayableRow[],
  firstDay: Day,
): ReturnType<typeof groupRows> {
  return groupRows(tx, [...stored, ...added], firstDay, {
    replace: (inputs, isSelected) => [...inputs, ...added.filter(isSelected)],
    rules: new Map(),
  });
}

/** The sums of both by currency, without those that are zero. */
export function compareSums(sure: readonly ReleasedSum[], expected: readonly ReleasedSum[]): ForecastedAmount[] {
  const currencies = [...new Set([...sure, ...expected].map(({ currency }) => currency))].sort();
  const sumIn = (sums: readonly ReleasedSum[], currency: string) =>
    sum(sums.filter((each) => each.currency === currency).map(({ amount }) => amount)).toNumber();
  return currencies
    .map((currency) => ({ currency, sure: sumIn(sure, currency), expected: sumIn(expected, currency) }))
    .filter((amount) => amount.sure !== 0 || amount.expected !== 0);
}
