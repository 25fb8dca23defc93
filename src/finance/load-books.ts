import { sql } from 'kysely';
import { convertAmount, defaultRateTable } from '../engine/exchange-rates.js';
import { chunk } from '../kernel/chunk.js';
import { roundToCurrency } from '../kernel/currency.js';
import { type Day } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type PeriodCalendar } from '../kernel/period-calendar.js';
import { EventLoopSlice } from '../kernel/waiting.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { exchangeRatesOf, loadFxTerms } from '../ledger/input/exchange-rates.js';
import { loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type BookCalendar, loadBookCalendar } from './book-calendar.js';
import { assertBookMonth, loadBookMonths } from './book-months.js';
import { type ClosedLot } from './closed-lots.js';
import { type Closing, type StoredStates } from './closing.js';
import { loadClosingContent, loadPostedLines } from './closing-views.js';
import { divideBonuses } from './divide-bonuses.js';
import { estimateOf, type StoredEstimate, sourceOfEstimate } from './estimate.js';
import { loadEstimates } from './estimate-views.js';
import { type JournalLine } from './journal-line.js';
import { type Convert, type Estimate, type FindRate, keepBooks } from './keep-books.js';
import { type Future } from './lot.js';
import { loadLotFacts, noLotFacts } from './lot-facts.js';
import { addFuture, moveRows, readFuture } from './lots-of-rep.js';
import { listMonths, type Month, previousMonth } from './month.js';
import { noOrigin } from './movement.js';
import { openingLotFacts } from './opening-lot-facts.js';
import { findPolicy, findTreatment, type StoredPolicy } from './policy.js';
import { listPolicies } from './policy-views.js';
import { entityOn, loadRepEntities } from './rep-entities.js';
import { type EntityFacts, loadRepFacts, loadRepRows, noFacts } from './rep-facts.js';
import { changesLiability } from './roll-forward.js';
import { listEntities, requireEntity, type StoredEntity } from './settings-views.js';
import { divideByState, type States } from './states.js';
import { type LotTermsOfRep, listLotsOf, treatRows } from './treat-rows.js';
import { loadApprovedWriteOffs } from './write-off-views.js';
import { type EntityLot, loadWrittenDown } from './written-down.js';

/** The books of a month: the lines of all months until it, and what people are owed at its end by state. */
export interface MonthBooks {
  readonly month: Month;
  readonly calendar: BookCalendar;
  /** The closing of the month; null while it is open. */
  readonly closing: Closing | null;
  readonly firstOpen: Month;
  /** Those whose books they are, by code. */
  readonly entities: readonly StoredEntity[];
  readonly lines: readonly JournalLine[];
  readonly states: readonly RepStates[];
  readonly missingRates: readonly MissingRate[];
  /** What is amortised after the month by entity and month, of lots that are alive at its end. */
  readonly future: FutureByEntity;
  /** How rows are treated of which no closing has stored the same. */
  readonly treatments: readonly ClosedLot[];
}

/** A day and a currency without a rate into that of the entity. */
export interface MissingRate {
  readonly entity: string;
  readonly currency: string;
  readonly day: Day;
}

export interface RepStates extends States {
  readonly entity: string;
  readonly repId: string;
  readonly currency: string;
}

/** The facts of these reps are in memory together. */
const loadedReps = 100;

/** The books until the month, of these reps, or of everyone, in one entity, or in all. */
export async function loadBooks(
  tx: Transaction,
  {
    month: requested,
    repIds,
    entity,
    today,
    isAlone = false,
    onKept,
  }: {
    /** Null for the present one. */
    readonly month: Month | null;
    readonly repIds: readonly string[] | null;
    readonly entity: string | null;
    readonly today: Day;
    /** Whether the lines of earlier months may be absent. */
    readonly isAlone?: boolean | undefined;
    /** Called each time after the books of so many more people are computed. */
    readonly onKept?: ((people: number) => Promise<unknown>) | undefined;
  },
): Promise<MonthBooks> {
  const months = await loadBookMonths(tx, today);
  const month = requested ?? months.current;
  assertBookMonth(months, month);
  const entities = entity === null ? await listEntities(tx) : [await requireEntity(tx, entity)];
  const isOwn = (each: { readonly entity: string }) => entity === null || each.entity === entity;
  const closing = months.closed.find((each) => each.month === month) ?? null;
  const { calendar, firstOpen } = months;
  const shared = { month, calendar, closing, firstOpen, entities };
  if (closing !== null) {
    const { states, future } = await loadClosingContent(tx, closing);
    const own = states.filter((state) => isOwn(state) && (repIds === null || repIds.includes(state.repId)));
    return {
      ...shared,
      lines: (await loadPostedLines(tx, month, { repIds, isAlone })).filter(isOwn),
      states: own.map(readStates),
      missingRates: [],
      future: new Map(Object.entries(future).map(([code, ofEntity]) => [code, readFuture(ofEntity)])),
      treatments: [],
    };
  }
  const open = listMonths(firstOpen, month);
  const terms = {
    months: open,
    calendar,
    periods: await loadCalendar(tx),
    entities,
    ratesTo: await loadRates(tx, today),
    policies: await listApprovedPolicies(tx),
    estimates: await loadEstimates(tx, open),
  };
  const parts = [];
  for (const some of chunk(await listRepIds(tx, repIds), loadedReps)) {
    parts.push(await keepOpen(tx, some, terms));
    await onKept?.(some.length);
  }
  return {
    ...shared,
    lines: parts.flatMap(({ lines }) => lines),
    states: parts.flatMap(({ states }) => states),
    missingRates: parts.flatMap(({ missingRates }) => missingRates),
    future: addByEntity(parts.map(({ future }) => future)),
    treatments: parts.flatMap(({ treatments }) => treatments),
  };
}

/** The lots of everyone as they are known now, before tests of impairment. */
export async function loadLots(tx: Transaction, today: Day): Promise<EntityLot[]> {
  const { calendar, firstOpen } = await loadBookMonths(tx, today);
  const terms = {
    months: [firstOpen],
    calendar,
    periods: await loadCalendar(tx),
    entities: await listEntities(tx),
    ratesTo: await loadRates(tx, today),
    policies: await listApprovedPolicies(tx),
    estimates: [],
  };
  const lots: EntityLot[] = [];
  for (const some of chunk(await listRepIds(tx, null), loadedReps))
    for (const lot of listLots(await loadOpenBooks(tx, some, terms, loadRepRows))) lots.push(lot);
  return lots;
}

/** The balances before the first month: all that is known of the days before it, as one entry for each subject. */
export async function loadOpening(tx: Transaction, from: Month, today: Day): Promise<JournalLine[]> {
  const terms = {
    months: [previousMonth(from)],
    calendar: await loadBookCalendar(tx, from),
    periods: await loadCalendar(tx),
    entities: await listEntities(tx),
    ratesTo: await loadRates(tx, today),
    policies: [],
    estimates: [],
    isOpening: true,
  } as const;
  const lines: JournalLine[] = [];
  for (const some of chunk(await listRepIds(tx, null), loadedReps)) {
    const books = await keepOpen(tx, some, terms);
    for (const line of books.lines) lines.push(line);
  }
  return lines;
}

async function listApprovedPolicies(tx: Transaction): Promise<StoredPolicy[]> {
  return (await listPolicies(tx, null)).filter(({ status }) => status === 'approved');
}

/** The rates into one currency. */
interface Rates {
  readonly convert: Convert;
  readonly findRate: FindRate;
}

interface OpenTerms {
  readonly months: readonly Month[];
  readonly calendar: BookCalendar;
  /** The periods of plans, of which estimates and bonuses are. */
  readonly periods: PeriodCalendar;
  readonly entities: readonly StoredEntity[];
  readonly ratesTo: (currency: string) => Rates;
  /** Those that are approved. */
  readonly policies: readonly StoredPolicy[];
  /** Those of the months. */
  readonly estimates: readonly (StoredEstimate & { readonly month: Month })[];
  readonly isOpening?: true;
}

/** What decides about the books of a person in an entity. */
interface OpenBooks {
  readonly repId: string;
  readonly entity: StoredEntity;
  readonly own: EntityFacts;
  readonly estimates: readonly Estimate[];
  readonly lotTerms: LotTermsOfRep;
}

async function loadOpenBooks(
  tx: Transaction,
  repIds: readonly string[],
  terms: OpenTerms,
  load: LoadFacts = loadRepFacts,
): Promise<OpenBooks[]> {
  const { months, calendar, entities, ratesTo, policies, isOpening } = terms;
  const last = months.at(-1) as Month;
  const facts = await loadDivided(tx, repIds, terms, load);
  const rows = [...facts.values()].flatMap((ofRep) => [...ofRep.values()].flatMap((each) => each.rows));
  const openings = isOpening ? [] : await openingLotFacts.list(tx, { repId: repIds });
  const dealIds = [...rows.flatMap(({ dealKey }) => dealKey ?? []), ...openings.map(({ dealId }) => dealId)];
  const hasLots = policies.length > 0 || openings.length > 0;
  const lotFacts = hasLots ? await loadLotFacts(tx, repIds, [...new Set(dealIds)]) : noLotFacts;
  const openingsOf = groupBy(openings, keyOf);
  const posted = groupBy(isOpening ? [] : await loadPostedLines(tx, last, { repIds, isAlone: false }), keyOf);
  const estimates = groupBy(await describeExpected(tx, facts, terms), keyOf);
  const pairs = repIds.flatMap((repId) => entities.map((entity) => ({ repId, entity })));
  return pairs.flatMap(({ repId, entity }) => {
    const found = facts.get(repId)?.get(entity.code);
    const key = keyOf({ repId, entity: entity.code });
    const before = posted.get(key) ?? [];
    const begun = openingsOf.get(key) ?? [];
    const expected = estimates.get(key) ?? [];
    if (found === undefined && [before, begun, expected].every(({ length }) => length === 0)) return [];
    const rates = ratesTo(entity.currency);
    const firstOpen = months[0] as Month;
    const known = { posted: before, openings: begun };
    const lotTerms = { policies, facts: lotFacts, calendar, entity, ...rates, firstOpen, ...known };
    return [{ repId, entity, own: found ?? noFacts, estimates: expected, lotTerms }];
  });
}

/** All facts of reps at the end of a day, or their rows alone. */
type LoadFacts = (tx: Transaction, repIds: readonly string[], day: Day) => ReturnType<typeof loadRepFacts>;

/** The facts of the reps, with bonuses by deal where a policy divides them. */
async function loadDivided(
  tx: Transaction,
  repIds: readonly string[],
  { months, calendar, periods, policies }: OpenTerms,
  load: LoadFacts,
): ReturnType<typeof loadRepFacts> {
  const facts = await load(tx, repIds, calendar.range(months.at(-1) as Month).to);
  if (policies.every(({ allocate }) => allocate === undefined)) return facts;
  const terms = { policies, months: calendar, calendar: periods };
  return new Map(
    [...facts].map(([repId, ofRep]) => {
      const all = [...ofRep.values()].flatMap(({ rows }) => rows);
      const divided = [...ofRep].map(
        ([entity, own]) => [entity, { ...own, rows: divideBonuses(own.rows, all, terms) }] as const,
      );
      return [repId, new Map(divided)];
    }),
  );
}

const keyOf = (each: { readonly repId: string; readonly entity: string }) => `${each.repId}|${each.entity}`;

/** The lots of the people, before tests of impairment. */
function listLots(books: readonly OpenBooks[]): EntityLot[] {
  return books.flatMap(({ entity, own, lotTerms }) =>
    listLotsOf(treatRows(own.rows, lotTerms), lotTerms).map((lot) => ({ entity, lot })),
  );
}

async function keepOpen(
  tx: Transaction,
  repIds: readonly string[],
  terms: OpenTerms,
): Promise<Pick<MonthBooks, 'lines' | 'states' | 'missingRates' | 'future' | 'treatments'>> {
  const { months, calendar, isOpening } = terms;
  const last = months.at(-1) as Month;
  const { to } = calendar.range(last);
  const open = await loadOpenBooks(tx, repIds, terms);
  const withLots = open.filter(({ lotTerms }) => lotTerms.policies.length > 0 || lotTerms.openings.length > 0);
  const dealIds = withLots.flatMap(({ own, lotTerms }) => [
    ...own.rows.flatMap(({ dealKey }) => dealKey ?? []),
    ...lotTerms.openings.map(({ dealId }) => dealId),
  ]);
  const writtenDown = await loadWrittenDown(tx, { dealIds: [...new Set(dealIds)], until: last }, async (together) => {
    const known = open.filter(({ repId }) => together.includes(repId));
    const others = together.filter((repId) => !repIds.includes(repId));
    return listLots(others.length === 0 ? known : [...known, ...(await loadOpenBooks(tx, others, terms, loadRepRows))]);
  });
  const writeOffs = groupBy(await loadApprovedWriteOffs(tx, repIds), keyOf);
  const slice = new EventLoopSlice();
  const all = [];
  for (const { repId, entity, own, estimates, lotTerms } of open) {
    await slice.pause();
    const { posted: before, convert } = lotTerms;
    const moved = moveRows(own.rows, lotTerms, { until: last, writtenDown });
    const movements = [...own.movements, ...moved.movements];
    const books = keepBooks({
      workspaceId: tx.workspaceId,
      repId,
      entity,
      movements,
      writeOffs: writeOffs.get(keyOf({ repId, entity: entity.code })) ?? [],
      estimates,
      posted: before,
      months,
      calendar,
      convert,
      ...(isOpening ? { isOpening } : {}),
    });
    const lines = [...before, ...books.lines];
    all.push({
      lines,
      states: listStates({ repId, entity: entity.code }, own, lines, to),
      missingRates: books.missingRates.map((missing) => ({ entity: entity.code, ...missing })),
      future: new Map([[entity.code, moved.future]]),
      treatments: moved.treatments,
    });
  }
  return {
    lines: all.flatMap(({ lines }) => lines),
    states: all.flatMap(({ states }) => states),
    missingRates: all.flatMap(({ missingRates }) => missingRates),
    future: addByEntity(all.map(({ future }) => future)),
    treatments: all.flatMap(({ treatments }) => treatments),
  };
}

/** What is expected of the reps at the end of the months, in the entity of the last day. */
async function describeExpected(
  tx: Transaction,
  facts: Awaited<ReturnType<typeof loadRepFacts>>,
  { estimates, policies, periods, calendar: months }: OpenTerms,
): Promise<(Estimate & { readonly repId: string; readonly entity: string })[]> {
  const stored = estimates.filter(({ repId }) => facts.has(repId));
  if (stored.length === 0) return [];
  const entities = await loadRepEntities(tx, [...facts.keys()]);
  return stored.map((estimate) => {
    const { repId, planId, ruleName, period, currency, month, toDate } = estimate;
    const rows = [...(facts.get(repId)?.values() ?? [])].flatMap((each) => each.rows);
    const { to } = months.range(month);
    const row = { dealKey: '', planId, ruleName, phase: 'per_deal' as const, day: to };
    const isExpense = findTreatment(policies, row, null, months) === 'expense';
    const policy = findPolicy(policies, row, months);
    const isOfDeals = toDate !== null || policy?.allocate === 'by_credit';
    return {
      repId,
      entity: entityOn(entities.get(repId) ?? [], to),
      month,
      source: sourceOfEstimate(estimate),
      currency,
      amount: estimateOf(estimate, rows, { range: periods.range(period), month, calendar: months }),
      // Rows of a period are expense unless they are divided; what deals earn at a higher tier is of their lots.
      isAsset: isOfDeals && !isExpense && policy?.treatment === 'capitalise',
      origin: { ...noOrigin, planId, ruleName, period },
    };
  });
}

/** What is amortised after a month, by entity. */
type FutureByEntity = ReadonlyMap<string, Future>;

function addByEntity(parts: readonly FutureByEntity[]): FutureByEntity {
  const byEntity = groupBy(
    parts.flatMap((part) => [...part]),
    ([entity]) => entity,
  );
  return new Map([...byEntity].map(([entity, own]) => [entity, addFuture(own.map(([, future]) => future))]));
}

function listStates(
  owner: { readonly repId: string; readonly entity: string },
  facts: EntityFacts,
  lines: readonly JournalLine[],
  day: Day,
): RepStates[] {
  const { waiting, held } = facts.unreleased(day);
  const batched = facts.batches.map(({ period, currency, createdOn, decidedOn, paidOn, status, commission }) => ({
    period,
    currency,
    createdOn,
    endedOn: status === 'paid' ? paidOn : decidedOn,
    isPaid: status === 'paid',
    amount: commission,
  }));
  return [...groupBy(lines.filter(changesLiability), ({ currency }) => currency)].map(([currency, ofCurrency]) => ({
    ...owner,
    currency,
    ...divideByState({
      currency,
      day,
      owed: sum(ofCurrency.map(({ amount }) => amount)).negated(),
      waiting: waiting.get(currency) ?? Decimal.zero,
      held: held.get(currency) ?? Decimal.zero,
      approved: facts.approved,
      batched,
    }),
  }));
}

function readStates({ entity, repId, currency, ...states }: StoredStates): RepStates {
  const read = Object.entries(states).map(([state, amount]) => [state, Decimal.of(amount)]);
  return { entity, repId, currency, ...(Object.fromEntries(read) as unknown as States) };
}

export function toStoredStates({ entity, repId, currency, ...states }: RepStates): StoredStates {
  const text = Object.entries(states).map(([state, amount]) => [state, amount.toString()]);
  return { entity, repId, currency, ...Object.fromEntries(text) } as StoredStates;
}

async function loadRates(tx: Transaction, today: Day): Promise<OpenTerms['ratesTo']> {
  const { revision, currency: workspaceCurrency } = await loadWorkspaceTerms(tx);
  const rates = exchangeRatesOf(await loadFxTerms(tx, revision), workspaceCurrency);
  return (to) => {
    const findRate: FindRate = (from, day) =>
      rates.find(defaultRateTable, from, to, { day, isProvisional: day >= today });
    const convert: Convert = (amount, from, day) => {
      const rate = findRate(from, day);
      return rate === null ? null : roundToCurrency(convertAmount(amount, rate), to);
    };
    return { convert, findRate };
  };
}

/** People with something in the ledger, in the books or expected, or with a draw, by id. */
export async function listRepIds(tx: Transaction, repIds: readonly string[] | null): Promise<string[]> {
  const { rows } = await sql<{ repId: string }>`
    select r.rep_id as "repId" from reps r
    where r.workspace_id = ${tx.workspaceId} ${repIds === null ? sql`` : sql`and r.rep_id = any(${repIds}::uuid[])`}
      and (exists (select from commission_events e where e.workspace_id = r.workspace_id and e.rep_id = r.rep_id)
        or exists (select from draws d where d.workspace_id = r.workspace_id and d.rep_id = r.rep_id)
        or exists (select from accounting_lines l where l.workspace_id = r.workspace_id and l.rep_id = r.rep_id)
        or r.rep_id in (
          select (x ->> 'repId')::uuid from accounting_estimates s cross join jsonb_array_elements(s.estimates) x
          where s.workspace_id = ${tx.workspaceId})
        or r.rep_id in (
          select (f.content ->> 'repId')::uuid from accounting_facts f
          where f.workspace_id = ${tx.workspaceId} and f.kind = 'opening_lot' and f.content is not null)
        or exists (
          select from commission_event_history h where h.workspace_id = r.workspace_id and h.rep_id = r.rep_id))
    order by r.rep_id`.execute(tx.db);
  return rows.map(({ repId }) => repId);
}
