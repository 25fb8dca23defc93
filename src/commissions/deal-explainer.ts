import { sql } from 'kysely';
import { type DayRange } from '../kernel/day.js';
import { groupBy } from '../kernel/group-by.js';
import { loadTeam } from '../ledger/input/hierarchy.js';
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
    caller: TenantCaller,
    options: Parameters<UnitOfWork['run']>[1],
    work: (tx: Transaction, explain: ExplainDeal) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.unitOfWork.run(caller, options, (tx) => work(tx, this.explainHere));
    } catch (error) {
      if (!(error instanceof NeedsThread)) throw error;
    }
    return this.threads.hold(caller.workspaceId, (run) =>
      this.unitOfWork.run(caller, options, (tx) =>
        work(tx, (_, explainedDeal) => this.explainIn<DealOutcome[]>(run, tx, { explainedDeal })),
      ),
    );
  }

  /** Whether explaining the deals of the days takes too long for the process. */
  async needsThread(tx: Transaction, terms: RepTerms, days: DayRange): Promise<boolean> {
    const maxDeals = Math.floor(this.maxResultsHere / Math.max(4, countRules(terms)));
    return hasMoreDeals(tx, terms, computeWindow(terms, days), maxDeals);
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
    if (await this.needsThread(tx, terms, { from: closeDate, to: closeDate })) throw new NeedsThread();
    return calculateOutcomes(tx, terms, deal);
  };

  private async explainIn<Result>(run: RunInThread, tx: Transaction, explanation: Explanation): Promise<Result> {
    try {
      const task: ThreadTask = { ...explanation, workspaceId: tx.workspaceId };
      const json = await run([task], (statement) => executeForwarded(tx, statement));
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

/** Whether the window has more deals of the rep, or of the rep and everyone below if the rep has cascades. */
async function hasMoreDeals(tx: Transaction, terms: RepTerms, { from, to }: DayRange, max: number): Promise<boolean> {
  const { repId } = terms;
  const team = hasCascades(terms) ? await loadTeam(tx, repId) : [];
  const repIds = [repId, ...new Set(team.map((member) => member.repId))];
  const { rows } = await sql<{ deals: number }>`
    select count(*)::integer as deals from (
      select from deals
      where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[]) and deleted_at is null
        and close_date between ${from}::date and ${to}::date
      limit ${max + 1}
    ) d`.execute(tx.db);
  return (rows[0]?.deals ?? 0) > max;
}
