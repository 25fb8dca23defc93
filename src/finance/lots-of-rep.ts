import { addTo } from '../kernel/add-to.js';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { type ClosedLot } from './closed-lots.js';
import { type Future, foreseeLot } from './lot.js';
import { type Month } from './month.js';
import { type Movement, noOrigin } from './movement.js';
import { type LotRow, type WrittenDownOf } from './row-lot.js';
import { toRowMovement } from './row-movements.js';
import { type LotTermsOfRep, listLotsOf, toClosedLots, treatRows } from './treat-rows.js';

interface MovedRows {
  readonly movements: readonly Movement[];
  /** What is amortised after the last month. */
  readonly future: Future;
  /** What a closing of the month stores of the treatment of rows, unless an earlier one has stored the same. */
  readonly treatments: readonly ClosedLot[];
}

/** The movements of the rows, and those of their lots until the month and after it. */
export function moveRows(
  rows: readonly PayableRow[],
  terms: LotTermsOfRep,
  { until, writtenDown }: { readonly until: Month; readonly writtenDown: WrittenDownOf },
): MovedRows {
  const treated = treatRows(rows, terms);
  const { calendar } = terms;
  const { code, currency } = terms.entity;
  const lots = listLotsOf(treated, terms).map((lot) => ({ ...lot, writtenDown: writtenDown(code, lot.row) }));
  const clawedBack = new Map<string, Decimal>();
  const future = new Map<Month, Decimal>();
  const ofLots = lots.flatMap((lot) => {
    const { months, future: ofLot } = foreseeLot(lot, until);
    for (const [month, amount] of ofLot) addTo(future, month, amount);
    for (const month of months) for (const [key, amount] of month.clawedBack) addTo(clawedBack, key, amount);
    return [
      ...(lot.isOpening
        ? lotMovement(lot.row, currency, 'opening', calendar.range(lot.first).to, lot.cost.negated())
        : []),
      ...lotMovement(lot.row, currency, 'payroll_tax', lot.row.day, lot.tax.negated()),
      ...months.flatMap(({ month, amortised, ended, impaired }) => {
        const { to } = calendar.range(month);
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
    future,
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

export const readFuture = (stored: Readonly<Record<Month, string>>): Future =>
  new Map(Object.entries(stored).map(([month, amount]) => [month, Decimal.of(amount)]));

export const toStoredFuture = (future: Future): Readonly<Record<Month, string>> =>
  Object.fromEntries([...future].map(([month, amount]) => [month, amount.toString()]));

/** The sums by month, in the order of the months. */
export function addFuture(parts: readonly Future[]): Future {
  const future = new Map<Month, Decimal>();
  for (const part of parts) for (const [month, amount] of part) addTo(future, month, amount);
  return new Map([...future].sort(([a], [b]) => (a < b ? -1 : 1)));
}
