import { sql } from 'kysely';
import { type Decision } from '../engine/model.js';
import { type Day, type DayRange, hull, intersection, overlap } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { Failure } from '../kernel/failure.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { groupBy } from '../kernel/group-by.js';
import { EventLoopSlice, inParallel } from '../kernel/waiting.js';
import { calculateInSlices } from '../ledger/calculate-in-slices.js';
import { repsOfPlan } from '../ledger/calculation-requests.js';
import { pairsOf } from '../ledger/difference.js';
import { cascadeManagersAbove, loadTeams, type TeamMember } from '../ledger/hierarchy.js';
import { repBatches } from '../ledger/lane-batches.js';
import { type LedgerRow, naturalKey } from '../ledger/ledger-rows.js';
import {
  calculationWindow,
  type DealEvent,
  type LoadedTeamDeal,
  loadRankings,
  peerCreditsIn,
  type Rankings,
  rankedPlans,
} from '../ledger/load-window.js';
import { type LoadedRepInput, loadRepInputs } from '../ledger/rep-input.js';
import { hasCascades, loadTerms, type RepTerms } from '../ledger/rep-terms.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type Assumption } from './unfrozen-rows.js';

/** One side of a row that moves. */
export type RowState = Pick<
  LedgerRow,
  'phase' | 'amount' | 'credit' | 'attainmentKey' | 'currency' | 'period' | 'earnedOn'
>;

/** A row of the ledger that a change would insert, alter or reverse. */
export interface MovedRow {
  readonly repId: string;
  readonly planId: string;
  readonly ruleName: string;
  readonly dealKey: string;
  readonly before: RowState | null;
  readonly after: RowState | null;
}

/** A change of the terms of a plan that is not stored. */
interface AssumedChange {
  readonly planId: string;
  terms(stored: RepTerms): RepTerms;
  /** The days on which the change applies. */
  readonly days: DayRange;
}

export interface Forecast {
  readonly moved: readonly MovedRow[];
  /** The stored terms of every rep whom the change may affect. */
  readonly terms: ReadonlyMap<string, RepTerms>;
  /** The days that were calculated; null if the change has no effect on the requested days. */
  readonly window: DayRange | null;
  readonly assumed: Assumption;
  /** Why a rule no longer pays, by {@link rowKey}, for moved rows without an amount after the change. */
  readonly reasons: ReadonlyMap<string, string>;
}

export function rowKey(row: Pick<MovedRow, 'repId' | 'planId' | 'ruleName' | 'dealKey'>): string {
  return `${row.repId}|${naturalKey(row)}`;
}

/** A rep whose calculation does not become stable after this many runs. Real hierarchies need one run for each level. */
const maxRunsOfRep = 60;

/**
 * The rows of open periods that would move if the change were stored: the same calculation as that of the lanes, with
 * the differences in memory. Managers and peers of reps with moved rows are calculated again until nothing moves.
 */
export async function forecastChange(
  trx: Work,
  workspaceId: string,
  change: AssumedChange,
  requested: { readonly days: DayRange; readonly asOf: Day },
): Promise<Forecast> {
  const onPlan = await repsOfPlan(trx, workspaceId, change.planId);
  const terms = await affectedTerms(trx, workspaceId, onPlan, change);
  const assumed = new Map([...terms].map(([repId, stored]) => [repId, change.terms(stored)]));
  const ofRange = commonWindow([...assumed.values()], requested.days);
  const ofChange = commonWindow([...assumed.values()], change.days);
  if (!overlap(ofRange, ofChange)) {
    const unchanged: Assumption = { terms: change.terms, rankings: (stored) => stored };
    return { moved: [], terms, window: null, assumed: unchanged, reasons: new Map() };
  }
  const window = intersection(ofRange, ofChange);
  const calculation = await ForecastCalculation.prepare(trx, workspaceId, assumed, window, requested.asOf);
  await calculation.run(onPlan.filter((repId) => assumed.has(repId)));
  return {
    moved: calculation.movedRows(),
    terms,
    window,
    assumed: { terms: change.terms, rankings: (stored) => calculation.movedRankings(stored) },
    reasons: await calculation.reasons(),
  };
}

/**
 * The rows of open periods that would move if the deals stayed that the transaction has written and will roll back.
 * `affected` has the reps whose deals it has written, with their days.
 */
export async function forecastDeals(
  trx: Work,
  workspaceId: string,
  affected: ReadonlyMap<string, DayRange>,
  asOf: Day,
): Promise<Pick<Forecast, 'moved' | 'terms' | 'window'>> {
  if (affected.size === 0) return { moved: [], terms: new Map(), window: null };
  const repIds = [...affected.keys()];
  const days = [...affected.values()].reduce(hull);
  const terms = await affectedTerms(trx, workspaceId, repIds, { terms: (stored) => stored, days });
  const window = commonWindow([...terms.values()], days);
  const calculation = await ForecastCalculation.prepare(trx, workspaceId, terms, window, asOf);
  // A changed deal may change what managers earn on it without changing what its owner earns.
  const changed = [...affected].map(([repId, range]) => ({ repId, days: range }));
  const above = await cascadeManagersAbove(trx, workspaceId, changed);
  const due = new Set([...repIds, ...[...above.values()].flat()]);
  await calculation.run([...due].filter((repId) => terms.has(repId)));
  return { moved: calculation.movedRows(), terms, window };
}

/** The terms of the reps, of managers whose cascades may read their events, and of peers of ranked plans. */
async function affectedTerms(
  trx: Work,
  workspaceId: string,
  repIds: readonly string[],
  { terms: changed, days }: Pick<AssumedChange, 'terms' | 'days'>,
): Promise<Map<string, RepTerms>> {
  const all = new Map<string, RepTerms>();
  const rankedBefore = new Set<string>();
  let added = [...repIds];
  while (added.length > 0) {
    const terms = await loadTerms(trx, workspaceId, added);
    for (const one of terms) all.set(one.repId, one);
    const above = await cascadeManagersAbove(
      trx,
      workspaceId,
      added.map((repId) => ({ repId, days })),
    );
    const ranked = [...new Set(terms.flatMap((one) => rankedPlans(changed(one).versions)))];
    const peers: string[] = [];
    for (const plan of ranked.filter((one) => !rankedBefore.has(one))) {
      rankedBefore.add(plan);
      peers.push(...(await repsOfPlan(trx, workspaceId, plan)));
    }
    added = [...new Set([...[...above.values()].flat(), ...peers])].filter((repId) => !all.has(repId));
  }
  return all;
}

/** The days widened to whole attainment periods and whole approved periods of all reps. */
function commonWindow(terms: readonly RepTerms[], days: DayRange): DayRange {
  for (let window = days; ; ) {
    const wider = terms.map((one) => calculationWindow(one, window)).reduce(hull, window);
    if (wider.from === window.from && wider.to === window.to) return window;
    window = wider;
  }
}

/** What a rep's calculation would change. */
interface RepMoves {
  readonly rows: readonly MovedRow[];
  /** The change of credit, by plan, attainment key and period. */
  readonly credits: ReadonlyMap<string, Decimal>;
}

const noMoves: RepMoves = { rows: [], credits: new Map() };

function isSameMoves(a: RepMoves, b: RepMoves): boolean {
  return a.rows.length === b.rows.length && JSON.stringify(a.rows) === JSON.stringify(b.rows);
}

class ForecastCalculation {
  private readonly moves = new Map<string, RepMoves>();
  private readonly runs = new Map<string, number>();
  private readonly slice = new EventLoopSlice();
  private movedByDeal: ReadonlyMap<string, readonly MovedRow[]> | null = null;

  private constructor(
    private readonly trx: Work,
    private readonly workspaceId: string,
    private readonly terms: ReadonlyMap<string, RepTerms>,
    private readonly window: DayRange,
    private readonly asOf: Day,
    /** The reps below each manager with cascade rules. */
    private readonly teams: ReadonlyMap<string, readonly TeamMember[]>,
    private readonly rankings: Rankings,
  ) {}

  static async prepare(
    trx: Work,
    workspaceId: string,
    terms: ReadonlyMap<string, RepTerms>,
    window: DayRange,
    asOf: Day,
  ): Promise<ForecastCalculation> {
    const all = [...terms.values()];
    const managers = all.filter(hasCascades).map(({ repId }) => repId);
    const ranked = [...new Set(all.flatMap(({ versions }) => rankedPlans(versions)))];
    const [teams, rankings] = await inParallel(
      () => loadTeams(trx, workspaceId, managers),
      () => loadRankings(trx, workspaceId, ranked, window),
    );
    return new ForecastCalculation(trx, workspaceId, terms, window, asOf, teams, rankings);
  }

  /** Calculates the reps and, until nothing moves, those that depend on moved rows. */
  async run(repIds: readonly string[]): Promise<void> {
    const due = new Set(repIds);
    while (due.size > 0) {
      const batches = await this.batchesOf([...due]);
      for await (const inputs of this.loaded(batches, false)) {
        for (const { repId } of inputs) due.delete(repId);
        for (const dependent of await this.calculateBatch(inputs)) due.add(dependent);
      }
    }
  }

  private batchesOf(repIds: readonly string[]): Promise<string[][]> {
    return repBatches(this.trx, this.workspaceId, repIds, [...this.teams.keys()], this.window);
  }

  /** The stored inputs of each batch. The database reads the next batch during the calculation of this one. */
  private async *loaded(batches: readonly (readonly string[])[], explain: boolean): AsyncGenerator<LoadedRepInput[]> {
    const load = (batch: readonly string[]) => {
      const windows = batch.map((repId) => ({ terms: this.terms.get(repId) as RepTerms, window: this.window }));
      const inputs = loadRepInputs(this.trx, windows, this.asOf, { explain });
      // The error is thrown where the inputs are awaited.
      inputs.catch(() => undefined);
      return inputs;
    };
    let next = batches[0] === undefined ? null : load(batches[0]);
    for (const [index] of batches.entries()) {
      const inputs = (await next) ?? [];
      const following = batches[index + 1];
      next = following === undefined ? null : load(following);
      yield inputs;
    }
  }

  movedRows(): MovedRow[] {
    return [...this.moves.values()].flatMap(({ rows }) => rows);
  }

  /** The rankings with the moved credits. */
  movedRankings(stored: Rankings): Rankings {
    return (planId, key, period) =>
      stored(planId, key, period).map(({ repId, credit }) => {
        const moved = this.moves.get(repId)?.credits.get(`${planId}|${key}|${period}`);
        return { repId, credit: moved === undefined ? credit : credit.plus(moved) };
      });
  }

  /** Calculates the reps with moved rows without an amount again, with the reasons. */
  async reasons(): Promise<Map<string, string>> {
    const lost = this.movedRows().filter(({ after }) => after === null || Number(after.amount) === 0);
    const keys = new Set(lost.map(rowKey));
    const repIds = [...new Set(lost.map(({ repId }) => repId))];
    const reasons = new Map<string, string>();
    for await (const inputs of this.loaded(await this.batchesOf(repIds), true))
      for (const input of this.withMoves(inputs)) {
        const { outcomes } = await calculateInSlices(input, this.slice);
        for (const { planId, ruleName, dealKey, reason } of outcomes) {
          if (planId === null || ruleName === null || reason === null) continue;
          const key = rowKey({ repId: input.repId, planId, ruleName, dealKey });
          if (keys.has(key)) reasons.set(key, reason);
        }
      }
    return reasons;
  }

  /** The inputs with the moved rows of other reps. */
  private withMoves(inputs: readonly LoadedRepInput[]): LoadedRepInput[] {
    const rankings = this.movedRankings(this.rankings);
    const movedByDeal = this.rowsByDeal();
    return inputs.map((input) => ({
      ...input,
      teamDeals: this.movedTeamDeals(input.repId, input.teamDeals, movedByDeal),
      peerCredits: peerCreditsIn(rankings, input.repId),
    }));
  }

  /** Returns the reps that depend on rows that this calculation moves. */
  private async calculateBatch(inputs: readonly LoadedRepInput[]): Promise<Set<string>> {
    const dependents = new Set<string>();
    const creditors = new Map<string, Set<string>>();
    for (const input of this.withMoves(inputs)) {
      const { repId } = input;
      this.countRun(repId);
      const result = await calculateInSlices(input, this.slice);
      const before = this.moves.get(repId) ?? noMoves;
      const after = movesOf(repId, await pairsOf(repId, input, result, this.slice));
      if (isSameMoves(before, after)) continue;
      this.moves.set(repId, after);
      this.movedByDeal = null;
      for (const manager of this.managersOf(repId, [...before.rows, ...after.rows])) dependents.add(manager);
      for (const planId of plansWithMovedCredit(before, after))
        getOrInsert(creditors, planId, () => new Set()).add(repId);
    }
    for (const [planId, ofPlan] of creditors) for (const peer of this.peersOn(planId, ofPlan)) dependents.add(peer);
    return dependents;
  }

  private countRun(repId: string): void {
    const runs = (this.runs.get(repId) ?? 0) + 1;
    this.runs.set(repId, runs);
    if (runs > maxRunsOfRep)
      throw new Failure('plan_too_complex', 'The plan has cascades that change each other without end.', { repId });
  }

  private rowsByDeal(): ReadonlyMap<string, readonly MovedRow[]> {
    this.movedByDeal ??= groupBy(
      this.movedRows().filter(({ before, after }) => (before ?? after)?.phase !== 'periodic'),
      (row) => row.dealKey,
    );
    return this.movedByDeal;
  }

  /** The deals of the team with the moved rows in place of the stored events. */
  private movedTeamDeals(
    managerId: string,
    teamDeals: readonly LoadedTeamDeal[],
    movedByDeal: ReadonlyMap<string, readonly MovedRow[]>,
  ): readonly LoadedTeamDeal[] {
    const team = groupBy(this.teams.get(managerId) ?? [], ({ repId }) => repId);
    return teamDeals.map(({ deal, upstream }) => {
      const moved = (movedByDeal.get(deal.dealId) ?? []).filter(({ repId }) =>
        team.get(repId)?.some(({ from, to }) => deal.closeDate >= from && deal.closeDate <= to),
      );
      if (moved.length === 0) return { deal, upstream };
      const keys = new Set(moved.map(rowKey));
      const events = [
        ...upstream.filter((event) => !keys.has(rowKey(event))),
        ...moved.flatMap((row) => (row.after === null ? [] : [eventOf(row, row.after)])),
      ];
      return { deal, upstream: events.sort(byRepPlanAndRule) };
    });
  }

  private managersOf(repId: string, rows: readonly MovedRow[]): string[] {
    const states = rows.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
    if (states.length === 0) return [];
    const range = states.map(({ earnedOn }) => ({ from: earnedOn, to: earnedOn })).reduce(hull);
    return [...this.teams].flatMap(([managerId, team]) =>
      team.some((member) => member.repId === repId && overlap(member, range)) ? [managerId] : [],
    );
  }

  /** The reps with rank tiers on the plan. Of several reps whose credit moved, each is a peer of the others. */
  private peersOn(planId: string, moved: ReadonlySet<string>): string[] {
    const [only] = moved.size === 1 ? moved : [];
    return [...this.terms.values()]
      .filter(({ repId, versions }) => repId !== only && rankedPlans(versions).includes(planId))
      .map(({ repId }) => repId);
  }
}

/** Without the event ids and hashes of the rows, which only writes need. */
function movesOf(repId: string, { pairs, reversals }: Awaited<ReturnType<typeof pairsOf>>): RepMoves {
  const rows: MovedRow[] = [];
  for (const { decision, before } of pairs) {
    const stored = before === null || before.status === 'reversed' ? null : stateOf(before);
    const after = decidedState(decision);
    if (stored !== null && isSameState(stored, after)) continue;
    const { planId, ruleName, dealKey } = decision;
    rows.push({ repId, planId, ruleName, dealKey, before: stored, after });
  }
  for (const row of reversals) {
    const { planId, ruleName, dealKey } = row;
    rows.push({ repId, planId, ruleName, dealKey, before: stateOf(row), after: null });
  }
  return rows.length === 0 ? noMoves : { rows, credits: movedCredits(rows) };
}

function stateOf({ phase, amount, credit, attainmentKey, currency, period, earnedOn }: LedgerRow): RowState {
  // The database may write the same number with more digits.
  return { phase, amount: plain(amount), credit: plain(credit), attainmentKey, currency, period, earnedOn };
}

function plain(number: string): string {
  return number.includes('.') && number.endsWith('0') ? Decimal.of(number).toString() : number;
}

function decidedState(decision: Decision): RowState {
  const { phase, amount, credit, attainmentKey, currency, period, earnedOn } = decision;
  return { phase, amount: amount.toString(), credit: credit.toString(), attainmentKey, currency, period, earnedOn };
}

function isSameState(a: RowState, b: RowState): boolean {
  return (
    a.amount === b.amount &&
    isSameCredit(a, b) &&
    a.currency === b.currency &&
    a.earnedOn === b.earnedOn &&
    a.phase === b.phase
  );
}

function isSameCredit(a: RowState, b: RowState): boolean {
  return a.credit === b.credit && a.attainmentKey === b.attainmentKey && a.period === b.period;
}

function movedCredits(rows: readonly MovedRow[]): Map<string, Decimal> {
  const credits = new Map<string, Decimal>();
  const add = (planId: string, { attainmentKey, period }: RowState, credit: Decimal) => {
    const key = `${planId}|${attainmentKey}|${period}`;
    credits.set(key, (credits.get(key) ?? Decimal.zero).plus(credit));
  };
  for (const { planId, before, after } of rows) {
    if (before !== null && after !== null && isSameCredit(before, after)) continue;
    if (before !== null) add(planId, before, Decimal.of(before.credit).negated());
    if (after !== null) add(planId, after, Decimal.of(after.credit));
  }
  return credits;
}

function plansWithMovedCredit(before: RepMoves, after: RepMoves): Set<string> {
  const keys = [...before.credits.keys(), ...after.credits.keys()];
  const moved = keys.filter((key) => {
    const [was, is] = [before, after].map(({ credits }) => credits.get(key) ?? Decimal.zero) as [Decimal, Decimal];
    return !was.equals(is);
  });
  return new Set(moved.map((key) => key.slice(0, key.indexOf('|'))));
}

function eventOf(row: MovedRow, after: RowState): DealEvent {
  const { repId, planId, ruleName, dealKey } = row;
  const { phase, currency, amount } = after;
  return { repId, planId, ruleName, dealKey, phase, currency, amount: Decimal.of(amount) };
}

function byRepPlanAndRule(a: DealEvent, b: DealEvent): number {
  const keyOf = ({ repId, planId, ruleName }: DealEvent) => `${repId}|${planId}|${ruleName}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

/** Commission of the plan in open periods, by rep and currency. */
export async function openTotals(
  trx: Work,
  workspaceId: string,
  planId: string,
  { from, to }: DayRange,
): Promise<{ readonly repId: string; readonly currency: string; readonly amount: Decimal }[]> {
  const { rows } = await sql<{ repId: string; currency: string; amount: string }>`
    select e.rep_id as "repId", e.currency, sum(e.amount)::text as amount
    from commission_events e
    where e.workspace_id = ${workspaceId} and e.plan_id = ${planId} and e.kind = 'commission_earned'
      and e.status = 'earned' and e.earned_on between ${from}::date and ${to}::date and not exists (
        select from statement_periods s
        where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.status = 'approved'
          and e.earned_on between s.from_day and s.to_day)
    group by e.rep_id, e.currency`.execute(trx);
  return rows.map((row) => ({ ...row, amount: Decimal.of(row.amount) }));
}
