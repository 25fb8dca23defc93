import { sql } from 'kysely';
import { type Decision, type FixedEvent, type RefundInput, type RepResult } from '../engine/model.js';
import { type Deal } from '../engine/slug.js';
import { decodeInputs } from '../engine/trace.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { inParallel } from '../kernel/waiting.js';
import { type CountedRow, loadCountedRows } from '../ledger/input/counted-rows.js';
import { withCutOffs } from '../ledger/input/cut-offs.js';
import { fxInput } from '../ledger/input/exchange-rates.js';
import { type Hierarchy, loadHierarchyBelow, type TeamMember } from '../ledger/input/hierarchy.js';
import {
  hasWithdrawnTerms,
  loadParticipants,
  naturalKey,
  retainedBy,
  retainedRows,
  withPlansOfRows,
} from '../ledger/input/ledger-rows.js';
import {
  type DealEvent,
  findFirstActivity,
  joinTeamDeals,
  type LoadedTeamDeal,
  listCompetitors,
  loadFirstCloseDates,
  loadOwnedDeals,
  loadRankings,
  peerCreditsIn,
  type Rankings,
  widenToPeriods,
} from '../ledger/input/load-window.js';
import { loadRefundInputs } from '../ledger/input/refunds.js';
import {
  assignedPlans,
  calendarOf,
  hasCascades,
  hasPeriodicRules,
  hasRankTiers,
  loadTermsOfReps,
  personInput,
  quotaFinder,
  type RepTerms,
  workingTimeInput,
} from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { asStored } from './overlay.js';
import { type Earnings, noKeys, TeamCalculation, type TeamInputs, type TeamRepInput } from './team-calculation.js';

/**
 * The rows that the rep would have around the days if no period of the rep or of a rep below were frozen: an
 * in-memory calculation of the rep and the reps below, bottom-up, from one read of each table. Nothing is written.
 */
export async function calculateUnfrozenRows(
  tx: Transaction,
  stored: RepTerms,
  days: DayRange,
  asOf: Day,
  overlay = asStored,
): Promise<CountedRow[]> {
  const terms = overlay.terms(stored);
  const dependsOnOthers = hasCascades(terms) || hasRankTiers(terms);
  const hierarchy = await loadHierarchyBelow(tx, terms.repId, dependsOnOthers);
  const below = await loadTermsOfReps(tx, hierarchy.bottomUp, terms.workspace);
  const all = new Map([...below].map(([repId, repTerms]) => [repId, overlay.terms(repTerms)]));
  all.set(terms.repId, { ...terms, frozen: [] });
  const versions = [...all.values()].flatMap((repTerms) => repTerms.versions);
  const window = widenToPeriods({ ...terms, versions }, days);
  const input = await loadTeamInput(tx, terms.repId, all, window);
  const rankings = overlay.rankings(input.rankings);
  const inputs = new UnfrozenInputs(hierarchy, { ...input, rankings }, window, asOf);
  const results = await new TeamCalculation(inputs).run([...all.keys()]);
  return [...(results.get(terms.repId)?.rows ?? [])];
}

/** A retained row, with the event that the engine reads for it. */
interface RetainedRow {
  readonly row: CountedRow;
  readonly fixed: FixedEvent;
}

/** The input of the calculation of all reps. */
interface TeamInput {
  readonly terms: ReadonlyMap<string, RepTerms>;
  readonly deals: ReadonlyMap<string, readonly Deal[]>;
  readonly retained: ReadonlyMap<string, readonly RetainedRow[]>;
  readonly rankings: Rankings;
  readonly firstCloseDates: ReadonlyMap<string, Day>;
  readonly refunds: ReadonlyMap<string, RefundInput>;
}

async function loadTeamInput(
  tx: Transaction,
  repId: string,
  terms: ReadonlyMap<string, RepTerms>,
  window: DayRange,
): Promise<TeamInput> {
  const all = [...terms.values()];
  const periodic = all.filter(hasPeriodicRules);
  const deals = await loadOwnedDeals(
    tx,
    terms.get(repId) as RepTerms,
    [...terms.keys()].map((owner) => ({ repId: owner, days: window })),
    all,
  );
  const dealIds = [...deals.values()].flat().map(({ dealId }) => dealId);
  const [retained, rankings, firstCloseDates, refunds] = await inParallel(
    () => loadRetainedRows(tx, repId, terms, { window, dealIds }),
    () => loadRankings(tx, all, window),
    () =>
      loadFirstCloseDates(
        tx,
        periodic.map((repTerms) => repTerms.repId),
      ),
    () => loadRefundsOfTeam(tx, all, deals, window),
  );
  return { terms, deals, retained, rankings, firstCloseDates, refunds };
}

/** Approved rows outside of the calculated period count for the refunds of their deals as they are. */
async function loadRefundsOfTeam(
  tx: Transaction,
  terms: readonly RepTerms[],
  deals: ReadonlyMap<string, readonly Deal[]>,
  window: DayRange,
): Promise<ReadonlyMap<string, RefundInput>> {
  const calculated = new Set(terms.map(({ repId }) => repId));
  const ofTeam = [...deals.values()].flat();
  const inputs = await loadRefundInputs(
    tx,
    terms.map((ofRep) => ({
      terms: ofRep,
      window,
      deals: hasCascades(ofRep) ? ofTeam : (deals.get(ofRep.repId) ?? []),
      refundedDealIds: [],
    })),
    ({ repId, earnedOn }) => calculated.has(repId) && isWithin(earnedOn, window),
  );
  return new Map(
    terms.flatMap(({ repId }, index) => {
      const input = inputs[index];
      return input === undefined ? [] : [[repId, input] as const];
    }),
  );
}

/** Rows that stay because their terms were withdrawn: dated in the window, or of a deal that closes in it. */
async function loadRetainedRows(
  tx: Transaction,
  repId: string,
  terms: ReadonlyMap<string, RepTerms>,
  { window: { from, to }, dealIds }: { readonly window: DayRange; readonly dealIds: readonly string[] },
): Promise<ReadonlyMap<string, readonly RetainedRow[]>> {
  const mayKeep = [...terms.values()].filter((repTerms) => repTerms.repId === repId || hasWithdrawnTerms(repTerms));
  const isOfReps = sql`c.rep_id = any(${mayKeep.map((repTerms) => repTerms.repId)}::uuid[])`;
  const [within, moved] = await inParallel(
    () => loadCountedRows(tx, sql`${isOfReps} and c.earned_on between ${from}::date and ${to}::date`),
    () =>
      loadCountedRows(
        tx,
        sql`${isOfReps} and c.earned_on not between ${from}::date and ${to}::date and c.deal_key = any(${dealIds}::text[])`,
      ),
  );
  const stored = groupBy([...within, ...moved], (row) => row.repId);
  const complete = await withPlansOfRows(
    tx,
    mayKeep.map((repTerms) => ({ terms: repTerms, rows: stored.get(repTerms.repId) ?? [] })),
  );
  const holding = new Map(complete.map((repTerms) => [repTerms.repId, repTerms]));
  const holds = new Map(complete.map((repTerms) => [repTerms.repId, retainedBy(repTerms)]));
  const retained = [...within, ...moved].filter((row) => (holds.get(row.repId)?.(row) ?? null) !== null);
  const participants = await loadParticipants(tx, retained);
  const byRep = groupBy(retained, (row) => row.repId);
  const ofReps = [...byRep].map(([id, rows]) => {
    const repTerms = holding.get(id) as RepTerms;
    return { terms: repTerms, rows: retainedRows(repTerms, rows, participants) };
  });
  const fixed = await withCutOffs(
    tx,
    ofReps.map(({ terms: repTerms, rows }) => ({ terms: repTerms, fixed: rows.map((row) => row.fixed) })),
  );
  return new Map(
    ofReps.map(({ terms: { repId: id }, rows }, index) => [
      id,
      rows.map(({ row, fixed: whole }, position) => withCutOff(row, fixed[index]?.[position] ?? whole)),
    ]),
  );
}

function withCutOff(row: CountedRow, fixed: FixedEvent): RetainedRow {
  return { row: fixed.cutOff === undefined ? row : { ...row, cutOff: fixed.cutOff.toString() }, fixed };
}

/** The rows of a rep without frozen periods. */
interface UnfrozenRows extends Earnings {
  readonly rows: readonly CountedRow[];
}

interface UnfrozenInput extends TeamRepInput {
  readonly retained: readonly RetainedRow[];
}

/** The inputs of the rep and the reps below. None of their stored events and credits count. */
class UnfrozenInputs implements TeamInputs<UnfrozenInput, UnfrozenRows> {
  readonly teams: ReadonlyMap<string, readonly TeamMember[]>;

  constructor(
    hierarchy: Hierarchy,
    private readonly input: TeamInput,
    readonly window: DayRange,
    private readonly asOf: Day,
  ) {
    const managers = [...input.terms.values()].filter(hasCascades).map(({ repId }) => repId);
    this.teams = new Map(managers.map((repId) => [repId, toMembers(hierarchy.below(repId))]));
  }

  readonly rankings: Rankings = (planId, key, period) =>
    this.input
      .rankings(planId, key, period)
      .map((peer) => (this.input.terms.has(peer.repId) ? { ...peer, credit: Decimal.zero } : peer));

  /** Yields the inputs in the order of the terms, in which the reps below come first. */
  async *load(repIds: readonly string[]): AsyncGenerator<UnfrozenInput[]> {
    const due = new Set(repIds);
    for (const terms of this.input.terms.values()) if (due.has(terms.repId)) yield [this.toInput(terms)];
  }

  peerCredits({ repId }: UnfrozenInput, rankings: Rankings): UnfrozenInput['peerCredits'] {
    return peerCreditsIn(rankings, repId);
  }

  competitors(planId: string): string[] {
    return listCompetitors([...this.input.terms.values()], planId);
  }

  async toEarnings({ repId, retained }: UnfrozenInput, { decisions, credits }: RepResult): Promise<UnfrozenRows> {
    const decided = decisions.map((decision) => toRow(repId, decision));
    const keys = new Set(decided.map(naturalKey));
    const rows = [...decided, ...retained.map(({ row }) => row).filter((row) => !keys.has(naturalKey(row)))];
    const events = rows.filter(({ phase }) => phase !== 'periodic').map(toEvent);
    return { rows, events, withdrawn: noKeys, credits };
  }

  private toInput(terms: RepTerms): UnfrozenInput {
    const { repId } = terms;
    const { deals, firstCloseDates, retained } = this.input;
    const ofRep = retained.get(repId) ?? [];
    const refunds = this.input.refunds.get(repId);
    return {
      repId,
      asOf: this.asOf,
      window: this.window,
      plans: assignedPlans(terms),
      ...workingTimeInput(terms),
      ...personInput(terms),
      ...fxInput(terms),
      ...(refunds === undefined ? {} : { refunds }),
      calendar: calendarOf(terms),
      deals: deals.get(repId) ?? [],
      teamDeals: this.teamDeals(repId),
      retained: ofRep,
      fixed: ofRep.map(({ fixed }) => fixed),
      frozen: [],
      quota: quotaFinder(terms.quotas),
      peerCredits: () => [],
      firstActivity: findFirstActivity(terms, [firstCloseDates.get(repId)]),
      explain: false,
    };
  }

  private teamDeals(managerId: string): LoadedTeamDeal[] {
    const team = this.teams.get(managerId);
    if (team === undefined) return [];
    const spans = groupBy(team, ({ repId }) => repId);
    return joinTeamDeals(spans, this.window, this.input.deals, new Map<string, DealEvent[]>());
  }
}

function toMembers(spans: ReadonlyMap<string, readonly DayRange[]>): TeamMember[] {
  return [...spans].flatMap(([repId, ofRep]) => ofRep.map((span) => ({ repId, ...span })));
}

function toEvent({ amount, ...row }: CountedRow): DealEvent {
  const { repId, planId, ruleName, dealKey, phase, currency, share } = row;
  return { repId, planId, ruleName, dealKey, phase, currency, amount: Decimal.of(amount), share };
}

function toRow(repId: string, decision: Decision): CountedRow {
  const { trace, amount, base, credit, cutOff, ...same } = decision;
  const inputs = decision.phase === 'cascade' ? { inputs: decodeInputs(trace) } : {};
  const amounts = { amount: amount.toString(), base: base.toString(), credit: credit.toString() };
  return { ...same, repId, ...amounts, ...(cutOff.isZero() ? {} : { cutOff: cutOff.toString() }), ...inputs };
}
