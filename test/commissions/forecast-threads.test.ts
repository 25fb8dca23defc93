import { expect } from 'chai';
import { Forecaster } from '#src/commissions/forecast/forecaster.js';
import { loadPaces } from '#src/commissions/forecast/pace.js';
import { getForecast } from '#src/commissions/queries/get-forecast.js';
import { simulationThreads } from '#src/commissions/simulation-limits.js';
import { newId } from '#src/kernel/ids.js';
import { loadRepTerms } from '#src/ledger/input/rep-terms.js';
import { type ThreadPool } from '#src/platform/threads/thread-pool.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { won } from '#test/support/terms.js';
import { workedTiers } from '#test/support/worked-example.js';

const seconds = 120;

/** Records the keys of the work. */
class RecordingPool implements Pick<ThreadPool, 'hold' | 'hasFreeThread'> {
  readonly keys: string[] = [];

  constructor(private readonly pool: ThreadPool) {}

  get hasFreeThread(): boolean {
    return this.pool.hasFreeThread;
  }

  readonly hold: ThreadPool['hold'] = (key, work) => {
    this.keys.push(key);
    return this.pool.hold(key, work);
  };
}

describe('the forecast of a person', () => {
  let workspace: OfflineWorkspace;
  let ada: string;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-02-13T12:00:00Z' });
    ada = await workspace.insert.rep('Ada');
    const planId = await workspace.insert.plan('AE', {
      dealConditions: [won],
      rules: [{ name: 'New business', measure: 'amount', tierMode: 'full_rate', tiers: workedTiers }],
    });
    await workspace.insert.assignment(ada, planId);
    await workspace.insert.quota(ada, planId, 'New business', '2026-Q1', 100_000);
  });

  describe('with more than six uncertain deals', () => {
    const addDeals = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const deal = { amount: 10_000 + index, stage: 'Proposal', closeDate: '2026-03-10', isClosed: false };
        await workspace.insert.deal(`open-${index}`, ada, deal);
      }
      await workspace.db.sql(
        `update deals set fields = '{"probability": 3}' where workspace_id = $1`,
        workspace.workspaceId,
      );
    };

    for (const count of [8, 20])
      it(`is calculated in two threads if a second one is free, with the same result: ${count} deals`, async () => {
        await addDeals(count);
        const results = [];
        for (const threads of [1, 2]) {
          const pool = simulationThreads({ threads, heapMb: 192, seconds });
          const recorded = new RecordingPool(pool);
          const { unitOfWork, clock } = workspace.db;
          const forecaster = new Forecaster(unitOfWork, recorded, { threads, heapMb: 192, seconds });
          const query = { repId: ada, period: '2026-Q1', seed: 3 };
          results.push(await getForecast.execute({ query } as never, workspace.admin, { forecaster, clock }));
          await pool.close();
          const { workspaceId } = workspace;
          expect(recorded.keys).to.deep.equal(threads === 1 ? [workspaceId] : [workspaceId, `${workspaceId} second`]);
        }
        expect(results[1]).to.deep.equal(results[0]);
      });
  });

  it('has a pace: credit compared with the working days that have passed, without absences and holidays', async () => {
    await workspace.insert.deal('won', ada, { amount: 60_000, stage: 'Won', closeDate: '2026-01-15' });
    await workspace.recalculate();
    const pace = async () => {
      const { unitOfWork } = workspace.db;
      return unitOfWork.read(workspace.admin, async (tx) =>
        loadPaces(tx, await loadRepTerms(tx, ada), '2026-Q1', '2026-02-13'),
      );
    };
    // The first quarter of 2026 has 64 days from Monday to Friday, 32 of them until 13 February: 60 % in half of them.
    expect((await pace())[0]).to.include({
      credit: 60_000,
      target: 100_000,
      workingDays: 64,
      elapsedDays: 32,
      pace: 1.2,
    });
    await workspace.insert.row('absences', {
      absence_id: newId(),
      rep_id: ada,
      from_day: '2026-01-05',
      to_day: '2026-01-11',
      quota_relief: 100,
      variable_relief: 100,
    });
    // 27 of 59 days: 0.6 × 59 ÷ 27.
    expect((await pace())[0]).to.include({ workingDays: 59, elapsedDays: 27, pace: 1.311111 });
    // A holiday before today on a working day, one in the absence, one on a Saturday and one later: 26 of 57 days.
    for (const day of ['2026-02-02', '2026-01-06', '2026-02-07', '2026-03-02'])
      await workspace.insert.row('holidays', { day, name: 'Holiday' });
    expect((await pace())[0]).to.include({ workingDays: 57, elapsedDays: 26, pace: 1.315385 });
  });
});
