import { sql } from 'kysely';
import { type Decision, type FixedEvent, type TeamDeal, type UpstreamEvent } from '../engine/model.js';
import { type Deal } from '../engine/slug.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { groupBy } from '../kernel/group-by.js';
import { widened } from '../kernel/period.js';
import { inParallel, yieldToOthers } from '../kernel/waiting.js';
import { calculateInSlices } from '../ledger/calculate-in-slices.js';
import { type CountedRow, loadCountedRows } from '../ledger/counted-rows.js';
import { type Hierarchy, loadHierarchyBelow } from '../ledger/hierarchy.js';
import { hasWithdrawnTerms, naturalKey, ownersOfDeals, retainedBy, retainedRows } from '../ledger/ledger-rows.js';
import {
  firstActivityOf,
  loadFirstCloseDates,
  loadOwnedDeals,
  loadRankings,
  maxPeriodKind,
  peerCreditsIn,
  type Rankings,
  rankedPlans,
  teamDealsOf,
} from '../ledger/load-window.js';
import {
  assignedPlans,
  hasCascades,
  hasPeriodicRules,
  hasRankTiers,
  loadTermsOfReps,
  quotaFinder,
  type RepTerms,
} from '../ledger/rep-terms.js';
import { type Work } from '../platform/database/unit-of-work.js';

/** What a calculation that writes nothing assumes in place of what is stored. */
export interface Assumption {
  terms(stored: RepTerms): RepTerms;
  rankings(stored: Rankings): Rankings;
}

const asStored: Assumption = { terms: (stored) => stored, rankings: (stored) => stored };

/**
 * The rows that the rep would have around the days if no period of the rep or of a rep below were frozen: an
 * in-memory calculation of the rep and the reps below, bottom-up, from one read of each table. Nothing is written.
 */
export async function unfrozenRows(
  trx: Work,
  stored: RepTerms,
  days: DayRange,
  asOf: Day,
  assumed = asStored,
): Promise<CountedRow[]> {
  const terms = assumed.terms(stored);
  const dependsOnOthers = hasCascades(terms) || hasRankTiers(terms);
  const hierarchy = await loadHierarchyBelow(trx, terms.workspaceId, terms.repId, dependsOnOthers);
  const below = await loadTermsOfReps(trx, terms.workspaceId, hierarchy.bottomUp, terms.workspace);
  const all = new Map([...below].map(([repId, one]) => [repId, assumed.terms(one)]));
  all.set(terms.repId, { ...terms, frozen: [] });
  const window = widened(days, maxPeriodKind([...all.values()]));
  const input = await loadTeamInput(trx, terms.repId, all, window);
  const rankings = assumed.rankings(input.rankings);
  return new UnfrozenTeam(hierarchy, { ...input, rankings }, { window, asOf }).rowsOf(terms.repId);
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
}

async function loadTeamInput(
  trx: Work,
  repId: string,
  terms: ReadonlyMap<string, RepTerms>,
  window: DayRange,
): Promise<TeamInput> {
  const all = [...terms.values()];
  const { workspaceId } = terms.get(repId) as RepTerms;
  const ranked = [...new Set(all.flatMap(({ versions }) => rankedPlans(versions)))];
  const periodic = all.filter(hasPeriodicRules);
  const deals = await loadOwnedDeals(
    trx,
    terms.get(repId) as RepTerms,
    [...terms.keys()].map((owner) => ({ repId: owner, days: window })),
  );
  const dealIds = [...deals.values()].flat().map(({ dealId }) => dealId);
  const [retained, rankings, firstCloseDates] = await inParallel(
    () => loadRetainedRows(trx, repId, terms, { window, dealIds }),
    () => loadRankings(trx, workspaceId, ranked, window),
    () =>
      loadFirstCloseDates(
        trx,
        workspaceId,
        periodic.map((one) => one.repId),
      ),
  );
  return { terms, deals, retained, rankings, firstCloseDates };
}

/** Rows that stay because their terms were withdrawn: dated in the window, or of a deal that closes in it. */
async function loadRetainedRows(
  trx: Work,
  repId: string,
  terms: ReadonlyMap<string, RepTerms>,
  { window: { from, to }, dealIds }: { readonly window: DayRange; readonly dealIds: readonly string[] },
): Promise<ReadonlyMap<string, readonly RetainedRow[]>> {
  const { workspaceId } = terms.get(repId) as RepTerms;
  const mayKeep = [...terms.values()].filter((one) => one.repId === repId || hasWithdrawnTerms(one));
  const ofReps = sql`c.rep_id = any(${mayKeep.map((one) => one.repId)}::uuid[])`;
  const [within, moved] = await inParallel(
    () => loadCountedRows(trx, workspaceId, sql`${ofReps} and c.earned_on between ${from}::date and ${to}::date`),
    () =>
      loadCountedRows(
        trx,
        workspaceId,
        sql`${ofReps} and c.earned_on not between ${from}::date and ${to}::date and c.deal_key = any(${dealIds}::text[])`,
      ),
  );
  const holds = new Map([...terms].map(([of, one]) => [of, retainedBy(one)]));
  const retained = [...within, ...moved].filter((row) => (holds.get(row.repId)?.(row) ?? null) !== null);
  const owners = await ownersOfDeals(trx, workspaceId, retained);
  const byRep = groupBy(retained, (row) => row.repId);
  return new Map([...byRep].map(([id, rows]) => [id, retainedRows(terms.get(id) as RepTerms, rows, owners)]));
}

/** The result of one rep, in the form that managers and peers read. */
interface Calculated {
  readonly rows: readonly CountedRow[];
  readonly credits: ReadonlyMap<string, Decimal>;
}

/** Calculates the rep and the reps below in memory, bottom-up. */
class UnfrozenTeam {
  private readonly calculated = new Map<string, Calculated>();
  /** The stored rankings with the credits that are calculated here. */
  private readonly rankings: Rankings = (planId, key, period) =>
    this.input.rankings(planId, key, period).map(({ repId, credit }) => {
      const known = this.calculated.get(repId);
      return {
        repId,
        credit: known === undefined ? credit : (known.credits.get(`${planId}|${key}|${period}`) ?? Decimal.zero),
      };
    });

  constructor(
    private readonly hierarchy: Hierarchy,
    private readonly input: TeamInput,
    private readonly time: { readonly window: DayRange; readonly asOf: Day },
  ) {}

  /**
   * One pass is enough for cascades, since the reps below are calculated first. Ranks depend on peers, and reps may
   * have managed each other at different times: passes then repeat until nothing changes.
   */
  async rowsOf(repId: string): Promise<CountedRow[]> {
    const order = [...this.hierarchy.bottomUp, repId];
    const ranked = [...this.input.terms.values()].some(hasRankTiers);
    const repeats = order.length > 1 && (ranked || this.hierarchy.isCyclic);
    for (let pass = 0; pass < order.length + minPasses; pass += 1) {
      const before = repeats ? this.fingerprint() : '';
      for (const one of order) {
        this.calculated.set(one, await this.calculate(one));
        await yieldToOthers();
      }
      if (!repeats || this.fingerprint() === before) break;
    }
    return [...(this.calculated.get(repId)?.rows ?? [])];
  }

  private fingerprint(): string {
    return JSON.stringify(
      [...this.calculated].map(([repId, { rows }]) => [
        repId,
        rows.map((row) => [naturalKey(row), row.amount, row.credit]),
      ]),
    );
  }

  private async calculate(repId: string): Promise<Calculated> {
    const terms = this.input.terms.get(repId) as RepTerms;
    const retained = this.input.retained.get(repId) ?? [];
    const { decisions, credits } = await calculateInSlices({
      repId,
      ...this.time,
      plans: assignedPlans(terms),
      deals: this.input.deals.get(repId) ?? [],
      teamDeals: hasCascades(terms) ? this.teamDeals(repId) : [],
      fixed: retained.map(({ fixed }) => fixed),
      frozen: [],
      quota: quotaFinder(terms.quotas),
      peerCredits: peerCreditsIn(this.rankings, repId),
      firstActivity: firstActivityOf(terms, this.input.firstCloseDates),
      explain: false,
    });
    const decided = decisions.map((decision) => rowOf(repId, decision));
    const keys = new Set(decided.map(naturalKey));
    return {
      rows: [...decided, ...retained.map(({ row }) => row).filter((row) => !keys.has(naturalKey(row)))],
      credits,
    };
  }

  private teamDeals(managerId: string): TeamDeal[] {
    const spans = this.hierarchy.below(managerId);
    const events = new Map<string, UpstreamEvent[]>();
    for (const repId of spans.keys()) {
      for (const row of this.calculated.get(repId)?.rows ?? [])
        if (row.phase !== 'periodic') getOrInsert(events, row.dealKey, () => []).push(upstreamEvent(row));
    }
    return teamDealsOf(spans, this.time.window, this.input.deals, events);
  }
}

const minPasses = 3;

function upstreamEvent({ repId, ruleName, phase, currency, amount }: CountedRow): UpstreamEvent {
  return { repId, ruleName, phase, currency, amount: Decimal.of(amount) };
}

function rowOf(repId: string, decision: Decision): CountedRow {
  const { trace: _, amount, base, credit, ...same } = decision;
  return { ...same, repId, amount: amount.toString(), base: base.toString(), credit: credit.toString() };
}
