import { expect } from 'chai';
import {
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RootOperationNode,
  type UnknownRow,
} from 'kysely';
import { DealExplainer } from '#src/commissions/deal-explainer.js';
import { type DealOutcome, loadOutcomes } from '#src/commissions/deal-outcomes.js';
import { ExceptionReports } from '#src/commissions/exception-reports.js';
import { listCommissionExceptions } from '#src/commissions/queries/list-commission-exceptions.js';
import { calculateExceptions } from '#src/commissions/rep-exceptions.js';
import { simulationThreads } from '#src/commissions/simulation-limits.js';
import { findDeal } from '#src/deals/deal-views.js';
import { loadTermsOfReps, loadWorkspaceTerms } from '#src/ledger/input/rep-terms.js';
import { Transaction } from '#src/platform/database/transaction.js';
import { type ThreadPool } from '#src/platform/threads/thread-pool.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';
import { workedTiers } from '#test/support/worked-example.js';

const limits = { threads: 1, heapMb: 192, seconds: 120 };

/** Counts how often the pool is used. */
class CountingPool implements Pick<ThreadPool, 'hold'> {
  tasks = 0;

  constructor(private readonly pool: ThreadPool) {}

  readonly hold: ThreadPool['hold'] = (key, work) => {
    this.tasks += 1;
    return this.pool.hold(key, work);
  };
}

class QueryCounter implements KyselyPlugin {
  queries = 0;

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    this.queries += 1;
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result;
  }
}

describe('explanations of deals of large reps', () => {
  const pool = simulationThreads(limits);
  let threads: CountingPool;
  let workspace: OfflineWorkspace;
  let ada: string;
  let max: string;

  after(() => pool.close());

  beforeEach(async () => {
    threads = new CountingPool(pool);
    workspace = await OfflineWorkspace.create({ now: '2026-03-20T12:00:00Z' });
    ada = await workspace.insert.rep('Ada');
    max = await workspace.insert.rep('Max');
    await workspace.insert.reportingLines(max, ada);
    const planId = await workspace.insert.plan('AE', {
      dealConditions: [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Closed Won' }],
      rules: [
        { name: 'New business', measure: 'amount', tierMode: 'marginal', tiers: workedTiers },
        flatRule('Large', 0.01, {
          conditions: [{ field: 'amount', fieldType: 'currency', operator: 'gte', value: 50_000 }],
          cap: 700,
        }),
        flatRule('Rank', 0.02, { tierBy: 'rank', tiers: [{ tierIndex: 0, minThreshold: 1, rate: 0.02 }] }),
      ],
    });
    for (const repId of [ada, await workspace.insert.rep('Ben')]) {
      await workspace.insert.assignment(repId, planId);
      await workspace.insert.quota(repId, planId, 'New business', '2026-Q1', 100_000);
    }
    await workspace.insert.assignment(max, await workspace.insert.overridePlan(0.1));
    await workspace.insert.deal('D1', ada, { amount: 60_000, closeDate: '2026-01-15' });
    await workspace.insert.deal('D2', ada, { amount: 60_000, closeDate: '2026-02-10' });
    await workspace.insert.deal('D3', ada, { amount: 30_000, closeDate: '2026-03-05' });
    await workspace.insert.deal('Lost', ada, { amount: 10_000, closeDate: '2026-03-06', stage: 'Closed Lost' });
    await workspace.recalculate();
    await workspace.insert.statement(ada, '2026-01', 'approved');
  });

  /** Explains the deal for the rep. Deals beyond `maxResults` results are explained in a thread. */
  function explain(dealId: string, repId: string, maxResults?: number): Promise<DealOutcome[]> {
    const { db, admin } = workspace;
    const explainer = new DealExplainer(db.unitOfWork, threads, limits, maxResults);
    return explainer.run(admin, { lock: 'none', access: 'read' }, async (tx, explainDeal) => {
      const deal = await findDeal(tx, dealId);
      if (deal === null) throw new Error('no such deal');
      const workspace = await loadWorkspaceTerms(tx);
      return loadOutcomes(tx, repId, deal, workspace, '2026-03-20', explainDeal);
    });
  }

  it('are calculated in a thread as in the process', async () => {
    const explained = [];
    for (const dealId of ['D1', 'D2', 'D3', 'Lost'])
      for (const repId of [ada, max]) {
        const here = await explain(dealId, repId, 1_000_000);
        expect(await explain(dealId, repId, 0), `${dealId} for ${repId}`).to.deep.equal(here);
        explained.push(...here);
      }
    expect(threads.tasks).to.equal(8);
    const reasons = new Set(explained.map(({ reason }) => reason));
    expect([...reasons]).to.include.members([
      null,
      'no_downstream_commission',
      'rule_condition_failed',
      'deal_condition_failed',
    ]);
    expect(explained.find(({ ruleName, paid }) => ruleName === 'Team' && paid)?.amount).to.be.greaterThan(0);
  });

  it('use a thread only if the attainment period has more than 500 deals of the rep or of the team', async () => {
    await explain('D2', ada);
    expect(threads.tasks).to.equal(0);
    await workspace.insert.deals(ada, 500, { amount: 10, spacing: 1, days: 80 });
    const [outcome] = await explain('D2', ada);
    expect([threads.tasks, outcome?.ruleName]).to.deep.equal([1, 'New business']);
    await explain('D2', max);
    expect(threads.tasks).to.equal(2);
  });

  describe('that list exceptions', () => {
    const exceptions = async (maxResults?: number) => {
      const { db, admin } = workspace;
      const explainer = new DealExplainer(db.unitOfWork, threads, limits, maxResults);
      const uses = { reports: new ExceptionReports(db.unitOfWork, explainer, { add: async () => {} }, db.clock) };
      const input = { params: {}, query: { period: '2026-Q1', limit: 100, skip: 0, accepted: false }, body: {} };
      const response = await listCommissionExceptions.execute(input, admin, uses);
      return response as Extract<typeof response, { exceptions: unknown }>;
    };

    beforeEach(async () => {
      await workspace.insert.deal('Foreign', ada, { amount: 70_000, closeDate: '2026-03-07', currency: 'EUR' });
      await workspace.insert.deal('Late', ada, { amount: 80_000, closeDate: '2026-01-16' });
      await workspace.insert.deal('Unassigned', await workspace.insert.rep('Cy'), { closeDate: '2026-02-01' });
    });

    it('are calculated in a thread as in the process', async () => {
      const here = await exceptions(1_000_000);
      expect(threads.tasks).to.equal(0);
      expect(await exceptions(0)).to.deep.equal(here);
      expect(threads.tasks).to.equal(3);
      expect(here.exceptions.map(({ reason }) => reason)).to.include.members([
        'no_assignment',
        'statement_locked',
        'currency_mismatch',
      ]);
    });

    it('find the large reps with two queries, however many reps there are', async () => {
      const { db, admin, insert } = workspace;
      const explainer = new DealExplainer(db.unitOfWork, threads, limits, 3);
      const count = (repIds: readonly string[]) =>
        db.unitOfWork.read(admin, async (tx) => {
          const terms = await loadTermsOfReps(tx, repIds, await loadWorkspaceTerms(tx));
          const counter = new QueryCounter();
          const counted = new Transaction(tx.db.withPlugin(counter) as typeof tx.db, tx.workspaceId);
          const days = { from: '2026-01-01', to: '2026-03-31' };
          const { large } = await explainer.measureReps(counted, [...terms.values()], days);
          return { queries: counter.queries, large: [...large].sort() };
        });
      const dee = await insert.rep('Dee');
      expect(await count([max])).to.deep.equal({ queries: 2, large: [max] });
      expect(await count([max, ada, dee])).to.deep.equal({ queries: 2, large: [ada, max].sort() });
    });

    it('read the input of many reps with as many queries as that of one', async () => {
      const { db, admin, insert } = workspace;
      const days = { from: '2026-01-01', to: '2026-03-31' };
      const count = (repIds: readonly string[]) =>
        db.unitOfWork.read(admin, async (tx) => {
          const terms = await loadTermsOfReps(tx, repIds, await loadWorkspaceTerms(tx));
          const counter = new QueryCounter();
          const counted = new Transaction(tx.db.withPlugin(counter) as typeof tx.db, tx.workspaceId);
          await calculateExceptions(counted, [...terms.values()], { days, today: '2026-04-01' }, new Set());
          return counter.queries;
        });
      expect(await count([ada, await insert.rep('Eve'), await insert.rep('Fay')])).to.equal(await count([ada]));
    });

    it('use a thread only for the reps whose attainment period has more than 500 deals', async () => {
      await workspace.insert.deals(ada, 501, { amount: 10, spacing: 1, days: 80 });
      await exceptions();
      expect(threads.tasks).to.equal(2);
    });
  });

  it('begin no transaction before a thread is free', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const occupied = pool.hold(workspace.workspaceId, () => released);
    const explained = explain('D2', ada, 0);
    // The first attempt has found that the explanation needs a thread.
    while (threads.tasks === 0) await new Promise((resolve) => setImmediate(resolve));
    const open = await workspace.db.sql(
      `select from pg_stat_activity where datname = current_database() and usename <> current_user and xact_start is not null`,
    );
    expect(open).to.have.length(0);
    release();
    await occupied;
    expect((await explained).length).to.be.greaterThan(0);
  });
});
