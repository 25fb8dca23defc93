import { convertAmount } from '../engine/exchange-rates.js';
import { currencyDigits, roundToCurrency } from '../kernel/currency.js';
import { Decimal, maximum, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { keyOfSource, refundedDeal } from '../pay/payables/pay-groups.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { type BookCalendar } from './book-calendar.js';
import { type ClosedLot, type ClosedTreatment, isSameTreatment, readRate, writeRate } from './closed-lots.js';
import { type Contract } from './contract.js';
import { type JournalLine } from './journal-line.js';
import { type Convert, type Entity, type FindRate, percentOf, percentOn, type Rate } from './keep-books.js';
import { type Lot } from './lot.js';
import { type LotFacts } from './lot-facts.js';
import { listMonths, type Month, previousMonth } from './month.js';
import { type OpeningLot } from './opening-lot.js';
import { entersIn } from './opening-lot-facts.js';
import {
  type Capitalised,
  findTreatment,
  listSpreading,
  type StoredPolicy,
  spreadTermsOf,
  type Treatment,
} from './policy.js';
import { type RowLot } from './row-lot.js';
import { toRowMovement } from './row-movements.js';
import { toSchedule } from './schedule.js';

/** What decides about the lots of a rep. */
export interface LotTermsOfRep {
  readonly firstOpen: Month;
  readonly posted: readonly JournalLine[];
  /** Lots that began in another system. */
  readonly openings: readonly OpeningLot[];
  readonly policies: readonly StoredPolicy[];
  readonly facts: LotFacts;
  readonly calendar: BookCalendar;
  readonly entity: Pick<Entity, 'code' | 'currency' | 'payrollTax'>;
  readonly convert: Convert;
  readonly findRate: FindRate;
}

/** A row with its lot; null if it is no asset. */
export interface TreatedRow extends RowTreatment {
  readonly row: PayableRow;
  readonly lot: RowLot | null;
}

export function treatRows(rows: readonly PayableRow[], terms: LotTermsOfRep): TreatedRow[] {
  const refundsOf = groupRefunds(rows);
  const posted = groupBy(
    terms.posted.filter(({ account }) => account === 'contract_cost'),
    ({ source }) => source,
  );
  return rows.map((row) => {
    const { treatment, closed } = treatmentOf(row, terms);
    const lot = typeof treatment === 'string' ? null : toLot(row, { treatment, closed }, { refundsOf, posted }, terms);
    return { row, treatment, closed, lot };
  });
}

/** The lots of the rows, and those that began in another system. */
export function listLotsOf(treated: readonly TreatedRow[], terms: LotTermsOfRep): RowLot[] {
  const ofRows = treated.flatMap(({ lot }) => lot ?? []);
  return [...ofRows, ...terms.openings.map((opening) => toOpeningLot(opening, terms))];
}

/** What is left of it is spread over what is left of its life. */
function toOpeningLot(opening: OpeningLot, { facts, entity, calendar }: LotTermsOfRep): RowLot {
  const { repId, dealId: dealKey, lotId, cost, amortised, start, length, convention } = opening;
  const first = entersIn(opening, calendar);
  const row = { repId, key: `${dealKey}|${lotId}`, dealKey, planId: null, ruleName: null, day: start, frozen: null };
  return {
    row,
    calendar,
    policy: null,
    tax: Decimal.zero,
    first,
    digits: currencyDigits(entity.currency),
    schedules: [{ from: first, schedule: toSchedule({ length, convention, start }, start, calendar) }],
    cost: roundToCurrency(Decimal.of(cost).minus(Decimal.of(amortised)), entity.currency),
    isOpening: true,
    ends: facts.findEnds(row),
    terminatedOn: facts.contracts.get(dealKey)?.terminatedOn ?? null,
    takenBack: [],
  };
}

/** The rows of refunds by the key of the row from which they take back. */
function groupRefunds(rows: readonly PayableRow[]): ReadonlyMap<string, readonly PayableRow[]> {
  return groupBy(
    rows.filter((row) => refundedDeal(row) !== null),
    keyOfSource,
  );
}

interface RowTreatment {
  readonly treatment: Treatment;
  readonly closed: readonly ClosedLot[];
}

/** Only what rules pay for deals can be an asset. */
function isOfDeal(row: PayableRow): boolean {
  return row.category !== 'adjustment' && row.dealKey !== null && refundedDeal(row) === null;
}

/** The treatment with which its first month was closed stays. */
function treatmentOf(row: PayableRow, { policies, facts, entity, calendar }: LotTermsOfRep): RowTreatment {
  if (!isOfDeal(row)) return { treatment: 'expense', closed: [] };
  const contract = facts.contracts.get(row.dealKey ?? '') ?? null;
  const closed = facts.closedLots(entity.code, row);
  const first = closed[0]?.content;
  if (first === undefined) return { treatment: findTreatment(policies, row, contract, calendar), closed };
  if (first.treatment === 'expense') return { treatment: 'expense', closed };
  const policy = policies.find(({ name, version }) => name === first.policy.name && version === first.policy.version);
  return { treatment: { policy: policy as StoredPolicy, terms: first.terms }, closed };
}

function toLot(
  row: PayableRow,
  { treatment, closed }: { readonly treatment: Capitalised; readonly closed: RowTreatment['closed'] },
  {
    refundsOf,
    posted,
  }: {
    readonly refundsOf: ReadonlyMap<string, readonly PayableRow[]>;
    readonly posted: ReadonlyMap<string, readonly JournalLine[]>;
  },
  terms: LotTermsOfRep,
): RowLot {
  const { facts, entity, firstOpen, calendar } = terms;
  const worth = ({ amount, currency, day }: PayableRow): Decimal => {
    const own = Decimal.of(amount);
    return currency === entity.currency ? own : (terms.convert(own, currency, day) ?? Decimal.zero);
  };
  const earned = maximum(costOf(row, closed, terms), Decimal.zero);
  const tax = percentOf(earned, taxOf(row, treatment, closed, terms), entity.currency);
  const refunds = refundsOf.get(row.key) ?? [];
  const first = calendar.monthOf(row.day);
  return {
    row,
    calendar,
    policy: treatment.policy.name,
    tax,
    first,
    digits: currencyDigits(entity.currency),
    schedules: listSchedules(row, treatment, closed, terms),
    cost: earned.plus(tax),
    ...(treatment.policy.correction === 'prospective'
      ? { kept: listKeptCosts(linesOfCost(row, posted), first, firstOpen) }
      : {}),
    ends: facts.findEnds(row),
    terminatedOn: facts.contracts.get(row.dealKey ?? '')?.terminatedOn ?? null,
    takenBack: refunds.map((refund) => ({ key: refund.key, day: refund.day, amount: worth(refund).negated() })),
  };
}

/** The earned amount in the currency of the entity, permanently at the rate of its day. */
function costOf(row: PayableRow, closed: RowTreatment['closed'], terms: LotTermsOfRep): Decimal {
  const own = Decimal.of(row.amount);
  if (row.currency === terms.entity.currency) return own;
  const rate = rateOf(row, closed, terms);
  return rate === null ? Decimal.zero : roundToCurrency(convertAmount(own, rate), terms.entity.currency);
}

/** A rate that a closing has used is not looked up again, even if it is corrected. */
function rateOf(
  { currency, day }: PayableRow,
  [closed]: RowTreatment['closed'],
  { findRate }: LotTermsOfRep,
): Rate | null {
  const used = closed?.content.treatment === 'capitalise' ? closed.content.rate : null;
  return used?.day === day ? readRate(used) : findRate(currency, day);
}

/** The percentage of payroll tax in the cost, which stays as it was when its first month was closed. */
function taxOf(
  { day }: PayableRow,
  { policy }: Capitalised,
  [closed]: RowTreatment['closed'],
  { entity }: LotTermsOfRep,
): Decimal {
  if (closed?.content.treatment === 'capitalise') return Decimal.of(closed.content.tax);
  return policy.payrollTax ? percentOn(entity, day) : Decimal.zero;
}

/**
 * Closed months keep the terms with which they were closed; those that were closed without the row have its own. A change
 * counts from the first open month on.
 */
function listSchedules(
  row: PayableRow,
  { policy, terms: first }: Capitalised,
  closed: RowTreatment['closed'],
  { policies, facts, firstOpen, calendar }: LotTermsOfRep,
): Lot['schedules'] {
  const contract = facts.contracts.get(row.dealKey ?? '') ?? null;
  const later = listLaterTerms(policies, policy, contract);
  const ofClosings = closed.flatMap(({ month: from, content }) =>
    content.treatment === 'capitalise' ? [{ from, terms: content.terms }] : [],
  );
  const present = termsIn(firstOpen, { policy, terms: first }, contract, later);
  const ofVersion = spreadTermsOf(policy, contract) ?? first;
  const own = [{ from: calendar.monthOf(row.day), terms: ofVersion }, ...later];
  const [closing] = ofClosings;
  const all =
    closing === undefined
      ? own
      : [
          ...own.filter(({ from }) => from < closing.from),
          ...ofClosings,
          { from: firstOpen, terms: present },
          ...later.filter(({ from }) => from > firstOpen),
        ];
  return all.map(({ from, terms }) => ({ from, schedule: toSchedule(terms, row.day, calendar) }));
}

interface LaterTerms {
  readonly from: Month;
  readonly terms: Capitalised['terms'];
}

/** The terms of later versions that spread lots which exist, where the contract has what they need. */
function listLaterTerms(
  policies: readonly StoredPolicy[],
  policy: StoredPolicy,
  contract: Contract | null,
): LaterTerms[] {
  return listSpreading(policies, policy).flatMap((version) => {
    const terms = spreadTermsOf(version, contract);
    return terms === null ? [] : [{ from: version.from, terms }];
  });
}

/** The terms that spread a lot in the month. */
function termsIn(
  month: Month,
  { policy, terms: first }: Capitalised,
  contract: Contract | null,
  later: readonly LaterTerms[],
): Capitalised['terms'] {
  return later.findLast(({ from }) => from <= month)?.terms ?? spreadTermsOf(policy, contract) ?? first;
}

/** What a closing of the month stores of the row; nothing if an earlier one has stored the same. */
export function toClosedLots({ row, treatment, closed }: TreatedRow, terms: LotTermsOfRep, month: Month): ClosedLot[] {
  const { repId, key, day, dealKey, currency } = row;
  const lot = { entity: terms.entity.code, repId, key, month };
  const isLater = terms.calendar.monthOf(day) > month;
  if (!isOfDeal(row) || terms.policies.length === 0 || treatment === 'unassigned' || isLater) return [];
  if (treatment === 'expense') return closed.length > 0 ? [] : [{ ...lot, content: { treatment: 'expense' } }];
  const { policy } = treatment;
  const contract = terms.facts.contracts.get(dealKey ?? '') ?? null;
  const rate = currency === terms.entity.currency ? null : rateOf(row, closed, terms);
  const content: ClosedTreatment = {
    treatment: 'capitalise',
    policy: { name: policy.name, version: policy.version },
    terms: termsIn(month, treatment, contract, listLaterTerms(terms.policies, policy, contract)),
    rate: rate === null ? null : { day, ...writeRate(rate) },
    tax: taxOf(row, treatment, closed, terms).toString(),
  };
  return isSameTreatment(closed.at(-1)?.content, content) ? [] : [{ ...lot, content }];
}

function linesOfCost(row: PayableRow, posted: ReadonlyMap<string, readonly JournalLine[]>): readonly JournalLine[] {
  return [toRowMovement(row).source, `payroll_tax|${row.key}`].flatMap((source) => posted.get(source) ?? []);
}

/** The cost of the lot in the months that are closed, from the one in which it is earned. */
function listKeptCosts(lines: readonly JournalLine[], earnedIn: Month, firstOpen: Month): ReadonlyMap<Month, Decimal> {
  if (earnedIn >= firstOpen) return new Map();
  return new Map(
    listMonths(earnedIn, previousMonth(firstOpen)).map((month) => {
      const until = lines.filter((line) => line.month <= month);
      return [month, maximum(sum(until.map(({ value }) => value)), Decimal.zero)];
    }),
  );
}
