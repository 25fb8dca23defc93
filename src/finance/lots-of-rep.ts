import { sql } from 'kysely';
import { toFact } from '../deals/refunds/refund.js';
import { listRefunds } from '../deals/refunds/refund-views.js';
import { resolveLineRefunds } from '../deals/refunds/refunded-lines.js';
import { parseRefundKey } from '../engine/clawback.js';
import { measureRefunds } from '../engine/refund-chain.js';
import { addTo } from '../kernel/add-to.js';
import { currencyDigits } from '../kernel/currency.js';
import { Decimal, maximum, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { periodRange, previousPeriod } from '../kernel/period.js';
import { frozenKey, loadFrozenAmounts } from '../pay/payables/pay-facts.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type JournalLine } from './journal-line.js';
import { type Convert, type Entity } from './keep-books.js';
import { type EndedPart, futureOf, type Lot, replayLot } from './lot.js';
import { listMonths, type Month, monthOf } from './month.js';
import { type Movement, noOrigin } from './movement.js';
import { findTreatment, type StoredPolicy, type Treatment } from './policy.js';
import { toRowMovement } from './row-movements.js';

/** A lot with the row that it was made from. */
export interface RowLot extends Lot {
  readonly row: PayableRow;
}

/** When parts of the deal of a row end. */
export type FindEnds = (row: PayableRow) => readonly EndedPart[];

/** The refunds of the deals of the rows, which end their share of a lot. */
export async function loadEnds(tx: Transaction, rows: readonly PayableRow[]): Promise<FindEnds> {
  const dealIds = [...new Set(rows.flatMap(({ dealKey }) => dealKey ?? []))];
  const refunds = groupBy(await listRefunds(tx, dealIds), ({ dealId }) => dealId);
  if (refunds.size === 0) return () => [];
  const facts = await resolveLineRefunds(
    tx,
    new Map([...refunds].map(([dealId, ofDeal]) => [dealId, ofDeal.map(toFact)])),
  );
  const amounts = await sql<{ dealId: string; amount: string | null }>`
    select deal_id as "dealId", amount::text as amount from deals
    where workspace_id = ${tx.workspaceId} and deal_id = any(${[...refunds.keys()]}::text[])`.execute(tx.db);
  const present = new Map(amounts.rows.map(({ dealId, amount }) => [dealId, amount]));
  const frozen = await loadFrozenAmounts(tx, [...refunds.keys()]);
  return ({ repId, dealKey, frozen: period }) => {
    const dealId = dealKey ?? '';
    const approved = period === null ? undefined : frozen.get(frozenKey(repId, period.period, dealId));
    const amount = approved === undefined ? (present.get(dealId) ?? null) : approved;
    return measureRefunds(facts.get(dealId) ?? [], amount === null ? null : Decimal.of(amount)).map(
      ({ refund, refunded, of }) => ({ day: refund.day, ended: refunded, of }),
    );
  };
}

/** The months that are closed, and what they have posted. */
interface ClosedMonths {
  readonly firstOpen: Month;
  readonly posted: readonly JournalLine[];
}

interface LotTermsOfRep extends ClosedMonths {
  readonly policies: readonly StoredPolicy[];
  readonly findEnds: FindEnds;
  readonly entity: Pick<Entity, 'currency'>;
  readonly convert: Convert;
}

/** The movements of the rows, those of their lots until the month, and the lots. */
export function moveRows(
  rows: readonly PayableRow[],
  terms: LotTermsOfRep,
  until: Month,
): { readonly movements: readonly Movement[]; readonly lots: readonly RowLot[] } {
  const refundsOf = groupRefunds(rows);
  const posted = groupBy(
    terms.posted.filter(({ account }) => account === 'contract_cost'),
    ({ source }) => source,
  );
  const treated = rows.map((row) => ({ row, treatment: treatmentOf(row, terms) }));
  const lots = treated.flatMap(({ row, treatment }) =>
    typeof treatment === 'string' ? [] : [toLot(row, treatment, { refundsOf, posted }, terms)],
  );
  const clawedBack = new Map<string, Decimal>();
  const ofLots = lots.flatMap((lot) => {
    const months = replayLot(lot, until);
    for (const month of months) for (const [key, amount] of month.clawedBack) addTo(clawedBack, key, amount);
    return months.flatMap(({ month, amortised, impaired }) => [
      ...lotMovement(lot.row, terms.entity.currency, 'amortisation', month, amortised),
      ...lotMovement(lot.row, terms.entity.currency, 'contract_end', month, impaired),
    ]);
  });
  const costs = new Map(lots.map(({ row, cost }) => [row.key, cost]));
  const ofRows = treated.map(({ row, treatment }) => ({
    ...toRowMovement(row),
    asset: costs.get(row.key) ?? (clawedBack.get(row.key) ?? Decimal.zero).negated(),
    ...(treatment === 'unassigned' ? { isUnassigned: true as const } : {}),
  }));
  return { movements: [...ofRows, ...ofLots], lots };
}

/** The rows of refunds by the key of the row from which they take back. */
function groupRefunds(rows: readonly PayableRow[]): ReadonlyMap<string, readonly PayableRow[]> {
  const refunds = rows.flatMap((row) => {
    const refund = row.dealKey === null ? null : parseRefundKey(row.dealKey);
    return refund === null ? [] : [{ row, source: `${row.planId}|${row.ruleName}|${refund.dealId}` }];
  });
  const bySource = groupBy(refunds, ({ source }) => source);
  return new Map([...bySource].map(([source, ofSource]) => [source, ofSource.map(({ row }) => row)]));
}

function treatmentOf(row: PayableRow, { policies }: LotTermsOfRep): Treatment {
  if (row.category === 'adjustment' || (row.dealKey !== null && parseRefundKey(row.dealKey) !== null)) return 'expense';
  return findTreatment(policies, row, monthOf(row.day));
}

function toLot(
  row: PayableRow,
  { months, convention, correction }: Exclude<Treatment, string>,
  {
    refundsOf,
    posted,
  }: {
    readonly refundsOf: ReadonlyMap<string, readonly PayableRow[]>;
    readonly posted: ReadonlyMap<string, readonly JournalLine[]>;
  },
  { findEnds, entity, convert, firstOpen }: LotTermsOfRep,
): RowLot {
  const worth = ({ amount, currency, day }: PayableRow): Decimal => {
    const own = Decimal.of(amount);
    return currency === entity.currency ? own : (convert(own, currency, day) ?? Decimal.zero);
  };
  const cost = worth(row);
  const refunds = refundsOf.get(`${row.planId}|${row.ruleName}|${row.dealKey}`) ?? [];
  return {
    row,
    terms: { earnedOn: row.day, months, convention, digits: currencyDigits(entity.currency) },
    cost: maximum(cost, Decimal.zero),
    ...(correction === 'prospective'
      ? { kept: listKeptCosts(posted.get(toRowMovement(row).source) ?? [], monthOf(row.day), firstOpen) }
      : {}),
    ends: findEnds(row),
    takenBack: refunds.map((refund) => ({ key: refund.key, day: refund.day, amount: worth(refund).negated() })),
  };
}

/** The cost of the lot in the months that are closed, from the one in which it is earned. */
function listKeptCosts(lines: readonly JournalLine[], earnedIn: Month, firstOpen: Month): ReadonlyMap<Month, Decimal> {
  if (earnedIn >= firstOpen) return new Map();
  return new Map(
    listMonths(earnedIn, previousPeriod(firstOpen)).map((month) => {
      const until = lines.filter((line) => line.month <= month);
      return [month, maximum(sum(until.map(({ value }) => value)), Decimal.zero)];
    }),
  );
}

function lotMovement(
  { key, dealKey, planId, ruleName }: PayableRow,
  currency: string,
  kind: 'amortisation' | 'contract_end',
  month: Month,
  amount: Decimal,
): Movement[] {
  if (amount.isZero()) return [];
  return [
    {
      kind,
      source: `${kind}|${key}`,
      day: periodRange(month).to,
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
