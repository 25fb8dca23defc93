import { type RawBuilder, sql } from 'kysely';
import { type Refund } from '../../engine/clawback.js';
import { type CreditLine, withOwner } from '../../engine/credit-lines.js';
import { type DealLine } from '../../engine/deal-line.js';
import { type Fields, type FieldValue, isAbsent } from '../../engine/field-value.js';
import { type RepInput, type TeamDeal, type UpstreamEvent } from '../../engine/model.js';
import { type Deal } from '../../engine/slug.js';
import { type Day, type DayRange, extendRange, hull, isWithin, overlap } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period } from '../../kernel/period.js';
import { maxKinds } from '../../kernel/period-calendar.js';
import { inParallel } from '../../kernel/waiting.js';
import { selectAsText, unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { countedRows, earnedRows } from './counted-rows.js';
import { dealsOfRep, givenRepDays } from './deals-of-rep.js';
import { loadTeams, type TeamMember } from './hierarchy.js';
import { linesOfDeal, linesOfRefundedDeal, readsLines } from './lines-of-deals.js';
import {
  calendarOf,
  hasCascades,
  hasPeriodicRules,
  hasRankTiers,
  type InCalendar,
  type RepTerms,
  type WorkspaceTerms,
} from './rep-terms.js';

/** The days widened to whole attainment periods of every rule that the rep has or had. */
export function computeWindow(terms: Pick<RepTerms, 'versions' | 'frozen'> & InCalendar, days: DayRange): DayRange {
  const window = widenToPeriods(terms, days);
  // A frozen period that overlaps the window is included as a whole, because its rows count for their neighbours.
  return terms.frozen.reduce(
    (wide, { range }) => (overlap(wide, range) ? widenToPeriods(terms, hull(wide, range)) : wide),
    window,
  );
}

/** The days widened to whole attainment periods, without regard to approved ones. */
export function widenToPeriods(terms: Pick<RepTerms, 'versions'> & InCalendar, days: DayRange): DayRange {
  return calendarOf(terms).widened(days, maxKinds(terms.versions.flatMap(({ rules }) => rules)));
}

const storedDealNames =
  'deal_id close_date fields amount stage name owner_id currency created_date rep_id credits'.split(' ');
const storedDealColumns = storedDealNames.map((name) => sql.ref(`d.${name}`));
const ownerColumn = storedDealNames.indexOf('rep_id');

/** The columns of the deals `d`, in the order in which {@link toDeal} reads them. Refunds and lines are optional. */
function dealColumns(
  tx: Transaction,
  { workspace: { hasRefunds, hasLines } }: DealTerms,
  withLines: boolean,
): RawBuilder<unknown>[] {
  const refunds = hasRefunds ? [refundsOfDeal(tx.workspaceId)] : [];
  if (!hasLines || !(withLines || hasRefunds)) return [...storedDealColumns, ...refunds];
  const lines = withLines ? linesOfDeal(tx.workspaceId) : linesOfRefundedDeal(tx.workspaceId);
  return [...storedDealColumns, ...(hasRefunds ? refunds : [sql`null`]), lines];
}

/** A rep whose rules may read lines. */
type LineReader = Pick<RepTerms, 'versions'>;

function mayReadLines(readers: readonly LineReader[]): boolean {
  return readers.some(({ versions }) => versions.some(readsLines));
}

/** The refunds of the deal `d`, as the engine reads them. */
function refundsOfDeal(workspaceId: string): RawBuilder<unknown> {
  return sql`(
    select jsonb_agg(jsonb_build_object('refundId', r.refund_id, 'day', r.day, 'cause', r.cause,
      'amount', r.amount::text, 'waivers', r.waivers)
      || case when r.lines is null then '{}' else jsonb_build_object('lines', r.lines) end)
    from deal_refunds r where r.workspace_id = ${workspaceId} and r.deal_id = d.deal_id)`;
}

/** What the reading of deals depends on. */
interface DealTerms {
  readonly workspace: Pick<WorkspaceTerms, 'amountSlug' | 'hasLines' | 'hasRefunds'>;
}

/** A rep and the days for which the rep's input is loaded. */
export interface RepWindow {
  readonly terms: RepTerms;
  readonly window: DayRange;
  /** The first of the days before the window whose events are read as sums. */
  readonly carriedFrom?: Day;
}

/** The existing deals of each rep that closed in the rep's window. Deals without a close date lie in no period. */
export async function loadDeals(tx: Transaction, windows: readonly RepWindow[]): Promise<Deal[][]> {
  const [first] = windows;
  if (first === undefined) return [];
  const spans = windows.map(({ terms, window }) => ({ repId: terms.repId, days: window }));
  const readers = windows.map(({ terms }) => terms);
  const deals = await loadOwnedDeals(tx, first.terms, spans, readers);
  return windows.map(({ terms }) => deals.get(terms.repId) ?? []);
}

function toDeal(cells: (string | null)[], amountSlug: string | null): Deal {
  const [dealId, closeDate, storedFields, amount = null, stage = null, name = null, ownerId = null, ...rest] = cells;
  const [currency = null, createdDate = null, repId = null, credits = null, refunds = null, lines = null] = rest;
  const fields = JSON.parse(storedFields as string) as Fields;
  return {
    dealId: dealId as string,
    closeDate: closeDate as Day,
    fields,
    standard: {
      dealAmount: amount ?? unreadAmount(fields, amountSlug),
      dealStage: stage,
      closeDate: closeDate as Day,
      dealName: name,
      ownerId,
      currency,
      createdDate,
    },
    ...(credits === null ? {} : { credits: withOwner((JSON.parse(credits) as { lines: CreditLine[] }).lines, repId) }),
    ...(refunds === null ? {} : { refunds: JSON.parse(refunds) as Refund[] }),
    ...(lines === null ? {} : { lines: JSON.parse(lines) as DealLine[] }),
  };
}

/** The deals with the ids, deleted ones too: their approved rows stay. */
export async function loadDealsById(
  tx: Transaction,
  terms: DealTerms,
  dealIds: readonly string[],
  readers: readonly LineReader[],
): Promise<Deal[]> {
  if (dealIds.length === 0) return [];
  const rows = await selectAsText(
    tx,
    dealColumns(tx, terms, mayReadLines(readers)),
    sql`deals d where d.workspace_id = ${tx.workspaceId} and d.deal_id = any(${dealIds}::text[])`,
  );
  return rows.map((cells) => toDeal(cells, terms.workspace.amountSlug));
}

/** A deal with its owner. */
export interface OwnedDeal {
  readonly deal: Deal;
  readonly repId: string | null;
}

/** The deals `d` that the condition selects, which may end with an order and a limit, with their lines and owners. */
export async function loadDealsWithLines(
  tx: Transaction,
  terms: DealTerms,
  condition: RawBuilder<unknown>,
): Promise<OwnedDeal[]> {
  const rows = await selectAsText(
    tx,
    dealColumns(tx, terms, true),
    sql`(select * from deals d where d.workspace_id = ${tx.workspaceId} and ${condition}) d`,
  );
  return rows.map((cells) => ({
    deal: toDeal(cells, terms.workspace.amountSlug),
    repId: cells[ownerColumn] ?? null,
  }));
}

/** The raw amount that could not be stored, so that the engine can give the reason. */
function unreadAmount(fields: Fields, amountSlug: string | null): FieldValue {
  if (amountSlug !== null) return (Object.hasOwn(fields, amountSlug) ? fields[amountSlug] : null) ?? null;
  return isAbsent(fields['amount']) ? (fields['value'] ?? null) : (fields['amount'] as FieldValue);
}

/** Loads, for each rep, the deals of the reps below with the events that they earned: the input of cascade rules. */
export async function loadTeamDeals(tx: Transaction, windows: readonly RepWindow[]): Promise<LoadedTeamDeal[][]> {
  const [first] = windows;
  const managers = windows.filter(({ terms }) => hasCascades(terms));
  if (first === undefined || managers.length === 0) return windows.map(() => []);
  const teams = await loadTeams(
    tx,
    managers.map(({ terms }) => terms.repId),
  );
  const members = computeMemberDays(managers, teams);
  if (members.length === 0) return windows.map(() => []);
  const [owned, isTruedUp] = await inParallel(
    () =>
      loadOwnedDeals(
        tx,
        first.terms,
        members,
        managers.map(({ terms }) => terms),
      ),
    () => hasTruedUpPeriods(tx),
  );
  const source = isTruedUp ? countedRows(tx.workspaceId) : earnedRows(tx.workspaceId);
  const events = groupBy(await loadUpstreamEvents(tx, source, members, owned), (event) => event.dealKey);
  return windows.map(({ terms, window }) => {
    const team = hasCascades(terms) ? (teams.get(terms.repId) ?? []) : [];
    const spans = groupBy(team, (member) => member.repId);
    return joinTeamDeals(spans, window, owned, events);
  });
}

/** Each rep below one of the managers, with the days of all windows of these managers. */
function computeMemberDays(
  managers: readonly RepWindow[],
  teams: ReadonlyMap<string, readonly TeamMember[]>,
): { readonly repId: string; readonly days: DayRange }[] {
  const days = new Map<string, DayRange>();
  for (const { terms, window } of managers)
    for (const { repId } of teams.get(terms.repId) ?? []) extendRange(days, repId, window);
  return [...days].map(([repId, range]) => ({ repId, days: range }));
}

/**
 * The deals that closed in the window on a day on which their owner, or a person with a credit line on them, was below the
 * manager; each with the events of the people who were below on that day. `spans` are the days on which each rep is below,
 * `events` the events of each deal.
 */
export function joinTeamDeals<Event extends UpstreamEvent>(
  spans: ReadonlyMap<string, readonly DayRange[]>,
  window: DayRange,
  deals: ReadonlyMap<string, readonly Deal[]>,
  events: ReadonlyMap<string, readonly Event[]>,
): { readonly deal: Deal; readonly upstream: Event[] }[] {
  const isBelow = (repId: string, day: Day) => spans.get(repId)?.some((span) => isWithin(day, span)) ?? false;
  const ofTeam = [...spans.keys()].flatMap((repId) =>
    (deals.get(repId) ?? []).filter(
      (deal) => isWithin(deal.closeDate, window) && isBelow(repId, deal.closeDate) && participates(deal, repId),
    ),
  );
  return withoutRepeatedDeals(ofTeam).map((deal) => ({
    deal,
    upstream: (events.get(deal.dealId) ?? []).filter((event) => isBelow(event.repId, deal.closeDate)),
  }));
}

/** The owner of a deal with credit lines has no part of it if the splits of other people add up to 100 %. */
function participates({ credits }: Deal, repId: string): boolean {
  return credits === undefined || credits.some((line) => line.repId === repId);
}

/** A deal with lines of several people is read for each of them. */
function withoutRepeatedDeals(deals: readonly Deal[]): readonly Deal[] {
  if (!deals.some(({ credits }) => credits !== undefined)) return deals;
  return [...new Map(deals.map((deal) => [deal.dealId, deal])).values()];
}

/**
 * The deals that each of the reps owns or has a line on, on the rep's days, in one statement that reads the indexes for
 * each rep.
 */
export async function loadOwnedDeals(
  tx: Transaction,
  terms: DealTerms,
  reps: readonly { readonly repId: string; readonly days: DayRange }[],
  readers: readonly LineReader[],
): Promise<Map<string, Deal[]>> {
  if (reps.length === 0) return new Map();
  const rows = await selectAsText(
    tx,
    [sql`input.index`, ...dealColumns(tx, terms, mayReadLines(readers))],
    sql`${unnestRows(
      reps.map((rep, index) => ({ ...rep, index })),
      [
        ['index', 'integer', ({ index }) => index],
        ['rep_id', 'uuid', ({ repId }) => repId],
        ['from_day', 'date', ({ days }) => days.from],
        ['to_day', 'date', ({ days }) => days.to],
      ],
    )} cross join lateral (${dealsOfRep(givenRepDays(tx.workspaceId))}) d`,
  );
  const byIndex = groupBy(rows, ([index]) => Number(index));
  return new Map(
    [...byIndex].map(([index, ofRep]) => [
      (reps[index] as { repId: string }).repId,
      ofRep.map(([, ...cells]) => toDeal(cells, terms.workspace.amountSlug)),
    ]),
  );
}

/** Whether any period of the workspace is trued up. If not, events are read without checking their period. */
async function hasTruedUpPeriods(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from statement_periods where workspace_id = ${tx.workspaceId} and trued_up) as found`.execute(
    tx.db,
  );
  return rows[0]?.found ?? false;
}

export interface DealEvent extends UpstreamEvent {
  readonly dealKey: string;
}

/** A deal of a rep below, with the stored events. */
export interface LoadedTeamDeal extends TeamDeal {
  readonly upstream: readonly DealEvent[];
}

/**
 * The earned events of the reps on the deals. Joined in memory: without table statistics the server is slow
 * at this join.
 */
async function loadUpstreamEvents(
  tx: Transaction,
  source: RawBuilder<unknown>,
  reps: readonly { readonly repId: string }[],
  deals: ReadonlyMap<string, readonly Deal[]>,
): Promise<DealEvent[]> {
  return selectDealEvents(
    tx,
    source,
    sql`c.deal_key = any(${[...deals.values()].flat().map(({ dealId }) => dealId)}::text[])
      and c.rep_id = any(${reps.map(({ repId }) => repId)}::uuid[]) and c.phase <> 'periodic'`,
  );
}

/** A counted row of a deal or of a refund. */
export interface DatedEvent extends DealEvent {
  readonly earnedOn: Day;
}

/** The counted rows with the keys. */
export async function loadCountedEvents(tx: Transaction, dealKeys: readonly string[]): Promise<DatedEvent[]> {
  if (dealKeys.length === 0) return [];
  return selectDealEvents(
    tx,
    countedRows(tx.workspaceId),
    sql`c.deal_key = any(${dealKeys}::text[]) and c.phase <> 'periodic'`,
  );
}

async function selectDealEvents(
  tx: Transaction,
  source: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
): Promise<DatedEvent[]> {
  const { rows } = await sql<{
    deal_key: string;
    rep_id: string;
    plan_id: string;
    rule_name: string;
    phase: UpstreamEvent['phase'];
    currency: string;
    amount: string;
    share: string | null;
    earned_on: Day;
  }>`
    select c.deal_key, c.rep_id, c.plan_id, c.rule_name, c.phase, c.currency, c.amount, c.share, c.earned_on
    from ${source}
    where ${condition}
    order by c.deal_key, c.rep_id, c.plan_id, c.rule_name`.execute(tx.db);
  return rows.map((row) => ({
    dealKey: row.deal_key,
    repId: row.rep_id,
    planId: row.plan_id,
    ruleName: row.rule_name,
    phase: row.phase,
    currency: row.currency,
    amount: Decimal.of(row.amount),
    share: row.share,
    earnedOn: row.earned_on,
  }));
}

/** Loads, for each rep, the credits of the other reps under every rank rule of the rep's plans, as the ledger counts them. */
export async function loadPeerCredits(
  tx: Transaction,
  windows: readonly RepWindow[],
): Promise<RepInput['peerCredits'][]> {
  const ranked = windows.filter(({ terms }) => hasRankTiers(terms));
  if (ranked.length === 0) return windows.map(() => () => []);
  const days = ranked.map(({ window }) => window).reduce(hull);
  const rankings = await loadRankings(
    tx,
    ranked.map(({ terms }) => terms),
    days,
  );
  return windows.map(({ terms }) => peerCreditsIn(rankings, terms.repId));
}

/** The credits of everyone but the rep. */
export function peerCreditsIn(rankings: Rankings, repId: string): RepInput['peerCredits'] {
  return (planId, key, period) =>
    rankings(planId, key, period)
      .filter((peer) => peer.repId !== repId)
      .map(({ credit }) => credit);
}

/** Larger than every credit, so that the peer is ahead whatever the rep's own credit is. */
const aheadOfEveryone = Decimal.of('1e300');

/**
 * The peers who are ahead of the rep in the stored ranking, each with a credit larger than every other. A rank that is
 * computed from these does not depend on simulated deals, so that a series of simulations cannot determine the credit
 * of a peer. Null if the ledger has no credit under the key.
 */
export async function loadStoredRank(
  tx: Transaction,
  terms: RepTerms,
  window: DayRange,
): Promise<(planId: string, key: string, period: Period) => readonly Decimal[] | null> {
  const rankings = await loadRankings(tx, [terms], window);
  return (planId, key, period) => {
    const ranking = rankings(planId, key, period);
    if (ranking.every(({ credit }) => credit.isZero())) return null;
    const own = ranking.find(({ repId }) => repId === terms.repId)?.credit ?? Decimal.zero;
    return ranking.filter(({ credit }) => own.isLessThan(credit)).map(() => aheadOfEveryone);
  };
}

/** The plans of the reps that have a rule with rank tiers. */
export function listRankedPlans(terms: readonly Pick<RepTerms, 'versions'>[]): string[] {
  const ranked = terms.flatMap(({ versions }) => versions.filter(hasRankRule));
  return [...new Set(ranked.map(({ planId }) => planId))];
}

/** The reps whom a ranking of the plan compares. */
export function listCompetitors(terms: readonly RepTerms[], planId: string): string[] {
  return terms
    .filter(({ versions }) => versions.some((version) => version.planId === planId && hasRankRule(version)))
    .map(({ repId }) => repId);
}

function hasRankRule({ rules }: RepTerms['versions'][number]): boolean {
  return rules.some(({ tierBy }) => tierBy === 'rank');
}

/** The reps on the plan in the period, each with the credit under the key. */
export type Rankings = (
  planId: string,
  key: string,
  period: string,
) => readonly { readonly repId: string; readonly credit: Decimal }[];

/** The rankings of every plan of the reps that has a rule with rank tiers. */
export async function loadRankings(tx: Transaction, terms: readonly RepTerms[], window: DayRange): Promise<Rankings> {
  const planIds = listRankedPlans(terms);
  const [first] = terms;
  if (planIds.length === 0 || first === undefined) return () => [];
  const calendar = calendarOf(first);
  const { rows: credits } = await sql<{
    plan_id: string;
    attainment_key: string;
    period: string;
    rep_id: string;
    credit: string;
  }>`
    select c.plan_id, c.attainment_key, c.period, c.rep_id, sum(c.credit)::text as credit
    from ${countedRows(tx.workspaceId)}
    where c.plan_id in (${sql.join(planIds)}) and c.earned_on between ${window.from}::date and ${window.to}::date
    group by c.plan_id, c.attainment_key, c.period, c.rep_id`.execute(tx.db);
  const spans = await tx.db
    .selectFrom('assignments')
    .select(['plan_id', 'rep_id', 'effective_start', 'effective_end'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_id', 'in', planIds)
    .where('deleted_at', 'is', null)
    .execute();
  const byKey = new Map(
    credits.map((row) => [`${row.plan_id}|${row.attainment_key}|${row.period}|${row.rep_id}`, row.credit]),
  );
  return memoized((planId, key, period) => {
    const { from, to } = calendar.range(period);
    const peers = new Set(
      spans
        .filter(
          (span) =>
            span.plan_id === planId && (span.effective_start ?? from) <= to && (span.effective_end ?? to) >= from,
        )
        .map((span) => span.rep_id),
    );
    return [...peers].map((repId) => ({
      repId,
      credit: Decimal.of(byKey.get(`${planId}|${key}|${period}|${repId}`) ?? '0'),
    }));
  });
}

/** All reps of a plan read the same rankings. */
function memoized(rankings: Rankings): Rankings {
  const known = new Map<string, ReturnType<Rankings>>();
  return (planId, key, period) => getOrInsert(known, `${planId}|${key}|${period}`, () => rankings(planId, key, period));
}

/** Loads, for each rep, the day of the first deal or quota: periodic rules count periods from then on. */
export async function loadFirstActivities(tx: Transaction, reps: readonly RepTerms[]): Promise<(Day | null)[]> {
  const periodic = new Set(reps.filter(hasPeriodicRules));
  const [first] = periodic;
  if (first === undefined) return reps.map(() => null);
  const repIds = [...periodic].map(({ repId }) => repId);
  const firstCloseDates = await loadFirstCloseDates(tx, repIds);
  return reps.map((terms) =>
    periodic.has(terms) ? findFirstActivity(terms, [firstCloseDates.get(terms.repId)]) : null,
  );
}

/** The first day of the quotas and the close dates of a rep. */
export function findFirstActivity(
  terms: InCalendar & { readonly quotas: readonly { readonly period: Period }[] },
  closeDates: readonly (Day | undefined)[],
): Day | null {
  const calendar = calendarOf(terms);
  const days = [...terms.quotas.map(({ period }) => calendar.findRange(period)?.from), ...closeDates];
  return days.filter((day) => day !== undefined).sort()[0] ?? null;
}

/** The first close date of the rep's own deals, and that of the deals with a line of the rep. */
function firstDays(workspaceId: string): RawBuilder<unknown> {
  return sql`
    (select close_date from deals
      where workspace_id = ${workspaceId} and rep_id = input.rep_id and deleted_at is null and close_date is not null
      order by close_date limit 1)
    union all
    (select close_date from deal_participations
      where workspace_id = ${workspaceId} and rep_id = input.rep_id
      order by close_date limit 1)`;
}

export async function loadFirstCloseDates(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, Day>> {
  if (repIds.length === 0) return new Map();
  const { rows } = await sql<{ repId: string; day: Day }>`
    select input.rep_id as "repId", d.close_date as day
    from ${unnestRows(repIds, [['rep_id', 'uuid', (repId) => repId]])} cross join lateral (
      select min(close_date) as close_date from (
        ${firstDays(tx.workspaceId)}
      ) first
    ) d
    where d.close_date is not null`.execute(tx.db);
  return new Map(rows.map(({ repId, day }) => [repId, day]));
}
