import { expect } from 'chai';
import { Forecaster } from '#src/commissions/forecast/forecaster.js';
import { getForecast } from '#src/commissions/queries/get-forecast.js';
import { simulationThreads } from '#src/commissions/simulation-limits.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { won } from '#test/support/terms.js';
import { workedTiers } from '#test/support/worked-example.js';
import { slownessOfMachine } from './machine-speed.js';

const limits = { threads: 2, heapMb: 192, seconds: 60 };
const maxMs = 2000;
/** With payouts, half of each commission waits for the customer, so the forecast says when each part is paid. */
const payPeriods = [{ from: '2026-01-01', period: 'monthly', calendar: 'calendar' }];
const halves = ['close', 'paid'].map((on) => ({ on, percent: 50 }));

describe('the forecast of a person with 200 open deals', () => {
  const pool = simulationThreads(limits);
  after(() => pool.close());

  for (const payouts of [null, payPeriods])
    it(`is calculated within ${maxMs / 1000} s on two cores${payouts === null ? '' : ' with payouts'}, and does not block the process`, async function () {
      this.timeout(300_000);
      const workspace = await OfflineWorkspace.create({ now: '2026-02-13T12:00:00Z' });
      const { db, workspaceId, admin } = workspace;
      const ada = await workspace.insert.rep('Ada');
      const rule = { name: 'New business', measure: 'amount', tierMode: 'full_rate', tiers: workedTiers };
      const rules = [payouts === null ? rule : { ...rule, payout: { schedule: halves } }];
      await workspace.insert.assignment(ada, await workspace.insert.plan('AE', { dealConditions: [won], rules }));
      if (payouts !== null)
        await db.sql(
          'update workspaces set payouts = $2 where workspace_id = $1',
          workspaceId,
          JSON.stringify(payouts),
        );
      for (let index = 0; index < 200; index += 1) {
        const deal = { amount: 1000 + index, stage: 'Proposal', closeDate: '2026-03-10', isClosed: false };
        await workspace.insert.deal(`open-${index}`, ada, deal);
      }
      await db.sql(`update deals set fields = '{"probability": 45}' where workspace_id = $1`, workspaceId);
      const forecaster = new Forecaster(db.unitOfWork, pool, limits);
      const query = { repId: ada, period: '2026-Q1', seed: 1 };
      const forecast = () => getForecast.execute({ query } as never, admin, { forecaster, clock: db.clock });
      const found = await forecast();
      expect(found).to.deep.include({ method: 'draws' });
      expect('byPayPeriod' in found).to.equal(payouts !== null);
      const budget = maxMs * slownessOfMachine();
      const times: number[] = [];
      const busy: number[] = [];
      for (let run = 0; run < 3; run += 1) {
        const startedAt = performance.now();
        const before = performance.eventLoopUtilization();
        await forecast();
        times.push(performance.now() - startedAt);
        busy.push(performance.eventLoopUtilization(before).active);
      }
      expect(Math.min(...times), `${times} ms`).to.be.below(budget);
      expect(Math.min(...busy), `${busy} ms of the event loop`).to.be.below(budget / 4);
    });
});
