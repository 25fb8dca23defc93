import { addTo } from '../kernel/add-to.js';
import { type Day } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { periodRange } from '../kernel/period.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { type ClosedLot } from './closed-lots.js';
import { futureOf, replayLot } from './lot.js';
import { type Month } from './month.js';
import { type Movement, noOrigin } from './movement.js';
import { type LotRow, type RowLot, type WrittenDownOf } from './row-lot.js';
import { toRowMovement } from './row-movements.js';
import { type LotTermsOfRep, listLotsOf, toClosedLots, treatRows } from './treat-rows.js';

interface MovedRows {
  readonly movements: readonly Movement[];
  readonly lots: readonly RowLot[];
  /** What a closing of the month stores of the treatment of rows, unless an earlier one has stored the same. */
  readonly treatments: readonly ClosedLot[];
}

/** The movements of the rows, those of their lots until the month, and the lots. */
export function moveRows(
  rows: readonly PayableRow[],
  terms: LotTermsOfRep,
  { until, writtenDown }: { readonly until: Month; readonly writtenDown: WrittenDownOf },
): MovedRows {
  const treated = treatRows(rows, terms);
  const { code, currency } = terms.entity;
  const lots = listLotsOf(treated, terms).map((lot) => ({ ...lot, writtenDown: writtenDown(code, lot.row) }));
  const clawedBack = new Map<string, Decimal>();
  const ofLots = lots.flatMap((lot) => {
    const months = replayLot(lot, until);
    for (const month of months) for (const [key, amount] of month.clawedBack) addTo(clawedBack, key, amount);
    return [
      ...(lot.isOpening
        ? lotMovement(lot.row, currency, 'opening', periodRange(lot.first).to, lot.cost.negated())
        : []),
      ...lotMovement(lot.row, currency, 'payroll_tax', lot.row.day, lot.tax.negated()),
      ...months.flatMap(({ month, amortised, ended, impaired }) => {
        const { to } = periodRange(month);
        return [
          ...lotMovement(lot.row, currency, 'amortisation', to, amortised),
          ...lotMovement(lot.row, currency, 'contract_end', to, ended),
          ...lotMovement(lot.row, currency, 'impairment', to, impaired),
        ];
      }),
    ];
  });
  const ofRows = treated.map(({ row, treatment, lot }) => ({
    ...toRowMovement(row),
    asset: lot === null ? (clawedBack.get(row.key) ?? Decimal.zero).negated() : lot.cost.minus(lot.tax),
    ...(treatment === 'unassigned' ? { isUnassigned: true as const } : {}),
  }));
  return {
    movements: [...ofRows, ...ofLots],
    lots,
    treatments: treated.flatMap((each) => toClosedLots(each, terms, until)),
  };
}

function lotMovement(
  { key, dealKey, planId, ruleName }: LotRow,
  currency: string,
  kind: 'amortisation' | 'contract_end' | 'impairment' | 'opening' | 'payroll_tax',
  day: Day,
  amount: Decimal,
): Movement[] {
  if (amount.isZero()) return [];
  return [
    {
      kind,
      source: `${kind}|${key}`,
      day,
      currency,
      amount: Decimal.zero,
      draws: Decimal.zero,
      asset: amount.negated(),
      origin: { ...noOrigin, dealId: dealKey, planId, ruleName },
    },
  ];
}

export const toFuture = (lot: RowLot, month: Month): Future =>
  new Map(futureOf(lot, month).map((part) => [part.month, part.amount]));
export const readFuture = (stored: Readonly<Record<Month, string>>): Future =>
  new Map(Object.entries(stored).map(([month, amount]) => [month, Decimal.of(amount)]));

export const toStoredFuture = (future: Future): Readonly<Record<Month, string>> =>
  Object.fromEntries([...future].map(([month, amount]) => [month, amount.toString()]));

/** What is amortised after the month, by month. */
export type Future = ReadonlyMap<Month, Decimal>;
export const addFuture = (parts: readonly Future[]): Future => {
  const byMonth = groupBy(
    parts.flatMap((part) => [...part]),
    ([month]) => month,
  );
  return new Map([...byMonth].sort().map(([month, amounts]) => [month, sum(amounts.map(([, amount]) => amount))]));
};
