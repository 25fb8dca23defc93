import { sql } from 'kysely';
import { type Caller } from '../kernel/caller.js';
import { type DayRange } from '../kernel/day.js';
import { groupBy } from '../kernel/group-by.js';
import { loadTeams } from '../ledger/input/hierarchy.js';
import { computeWindow } from '../ledger/input/load-window.js';
import { hasCascades, loadRepTerms, type RepTerms } from '../ledger/input/rep-terms.js';
import { type TenantCaller, type Transaction, type UnitOfWork } from '../platform/database/unit-of-work.js';
import { executeForwarded } from '../platform/threads/forwarded-database.js';
import { type RunInThread, ThreadLimitExceeded, type ThreadPool } from '../platform/threads/thread-pool.js';
import { calculateOutcomes, type DealOutcome, type ExplainDeal } from './deal-outcomes.js';
import { type Exception } from './exceptions.js';
import { type ExplainedRep } from './rep-exceptions.js';
import { type SimulationLimits, tooComplex } from './simulation-limits.js';
import { type Explanation, type ThreadTask } from './simulation-task.js';

/** Results of rules on deals that are calculated in the process: about 20 ms. */
const maxResults = 2000;

/** The calculation is too large for the process. */
class NeedsThread extends Error {
  override readonly name = 'NeedsThread';
}

/**
 * Explains deals. What a deal pays can depend on every deal of its attainment period, so explaining deals of a rep with
 * thousands of them takes long: this is done in a worker thread, one at a time for each workspace.
 */
export class DealExplainer {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly threads: Pick<ThreadPool, 'hold'>,
    private readonly limits: SimulationLimits,
    private readonly maxResultsHere = maxResults,
  ) {}

  /**
   * Runs the work in a transaction. If it explains a deal of a large rep, the transaction is rolled back, and the work
   * runs again when a thread is free: no transaction waits for a thread.
   */
  async run<T>(
    caller: Caller,
    options: Parameters<UnitOfWork['run']>[1],
    work: (tx: Transaction, explain: ExplainDeal) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.unitOfWork.run(caller, options, (tx) => work(tx, this.explainHere));
    } catch (error) {
      if (!(error instanceof NeedsThread)) throw error;
    }
    const explain = (run: RunInThread) =>
      this.unitOfWork.run(caller, options, (tx) =>
        work(tx, (_, explainedDeal) => this.explainIn<DealOutcome[]>(run, tx, { explainedDeal })),
      );
    return this.threads.hold(caller.workspaceId, explain, caller.actor);
  }

  /** How many deals are calculated to explain those of the days, and for which reps that takes too long for the process. */
  async measureReps(tx: Transaction, reps: readonly RepTerms[], days: DayRange): Promise<RepSizes> {
    const managers = reps.filter(hasCascades).map(({ repId }) => repId);
    const teams = await loadTeams(tx, managers);
    const limits = reps.map((terms) => {
      const { repId } = terms;
      const team = teams.get(repId)?.map((member) => member.repId) ?? [];
      const maxDeals = Math.floor(this.maxResultsHere / Math.max(4, countRules(terms)));
      return { repId, ownerIds: [...new Set([repId, ...team])], ...computeWindow(terms, days), maxDeals };
    });
    return countDeals(tx, limits);
  }

  /** Finds the exceptions of a rep in a thread. */
  findExceptions(
    caller: TenantCaller,
    options: Parameters<UnitOfWork['run']>[1],
    explainedRep: ExplainedRep,
  ): Promise<Exception[]> {
    return this.threads.hold(caller.workspaceId, (run) =>
      this.unitOfWork.run(caller, options, (tx) => this.explainIn<Exception[]>(run, tx, { explainedRep })),
    );
  }

  private readonly explainHere: ExplainDeal = async (tx, deal) => {
    const { repId, closeDate, workspace } = deal;
    const terms = await loadRepTerms(tx, repId, workspace);
    const { large } = await this.measureReps(tx, [terms], { from: closeDate, to: closeDate });
    if (large.has(repId)) throw new NeedsThread();
    return calculateOutcomes(tx, terms, deal);
  };

  private async explainIn<Result>(run: RunInThread, tx: Transaction, explanation: Explanation): Promise<Result> {
    try {
      const task: ThreadTask = { ...explanation, workspaceId: tx.workspaceId };
      const json = await run([task], { reply: (statement) => executeForwarded(tx, statement) });
      return JSON.parse(new TextDecoder().decode(json)) as Result;
    } catch (error) {
      if (error instanceof ThreadLimitExceeded) throw tooComplex(this.limits, error.limit, 'The explanation');
      throw error;
    }
  }
}

/** The most rules that apply to a deal. */
function countRules({ versions }: RepTerms): number {
  const ofPlans = [...groupBy(versions, ({ planId }) => planId).values()];
  return ofPlans.reduce((sum, ofPlan) => sum + Math.max(...ofPlan.map(({ rules }) => rules.length)), 0);
}

/** How many deals of the owners may be explained in the process: those of the rep, and of the team if it counts. */
interface DealLimit extends DayRange {
  readonly repId: string;
  readonly ownerIds: readonly string[];
  readonly maxDeals: number;
}

export interface RepSizes {
  /** The number of deals of each rep, of which no more are counted than the limit and one. */
  readonly deals: ReadonlyMap<string, number>;
  /** The reps with more deals than the limit. */
  readonly large: ReadonlySet<string>;
}

async function countDeals(tx: Transaction, limits: readonly DealLimit[]): Promise<RepSizes> {
  const { rows } = await sql<{ repId: string; deals: number; isLarge: boolean }>`
    select v."repId", counted.deals, counted.deals > v."maxDeals" as "isLarge"
    from jsonb_to_recordset(${JSON.stringify(limits)}::jsonb)
      v ("repId" uuid, "ownerIds" uuid[], "from" date, "to" date, "maxDeals" integer)
    cross join lateral (
      select count(*)::int as deals from (
        select from deals d
        where d.workspace_id = ${tx.workspaceId} and d.rep_id = any(v."ownerIds") and d.deleted_at is null
          and d.close_date between v."from" and v."to"
        limit v."maxDeals" + 1
      ) owned
    ) counted`.execute(tx.db);
  return {
    deals: new Map(rows.map(({ repId, deals }) => [repId, deals])),
    large: new Set(rows.filter(({ isLarge }) => isLarge).map(({ repId }) => repId)),
  };
}
