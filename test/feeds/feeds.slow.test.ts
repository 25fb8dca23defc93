import { expect } from 'chai';
import type pg from 'pg';
import { listCommissionEvents } from '#src/commissions/queries/list-commission-events.js';
import { listDealChanges } from '#src/deals/queries/list-deal-changes.js';
import { allDays } from '#src/kernel/day.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { statementWork } from '#test/support/statement-work.js';
import { flatRule } from '#test/support/terms.js';
import { useOwnServer } from '#test/support/test-database.js';
import { connectWriters, expectCompleteCopies } from './feed-worlds.js';

const runs = Number(process.env['FEED_RUNS'] ?? 400);

describe('the feeds of deals and commission events, in many interleavings', () => {
  before(useOwnServer);

  let writers: pg.Client[] = [];

  after(async () => {
    for (const client of writers) await client.end();
  });

  it(`are complete in ${runs} of them`, async function () {
    this.timeout(60_000 + runs * 1000);
    const workspace = await OfflineWorkspace.create();
    writers = await connectWriters(workspace.db.appUrl);
    const first = 1000 + (Date.now() % 1_000_000);
    for (let seed = first; seed < first + runs; seed += 1)
      await expectCompleteCopies(await OfflineWorkspace.in(workspace.db), writers, seed);
  });
});

describe('a page of a feed', () => {
  it('reads no more of a workspace than the rows of the page', async () => {
    const workspace = await OfflineWorkspace.create();
    const [ann = ''] = await workspace.addReps('Ann');
    const { planId } = await workspace.addPlan('AE', [flatRule('New', 0.1)]);
    await workspace.insert.assignment(ann, planId);
    await workspace.insert.deals(ann, 5000);
    await workspace.request([ann], { days: allDays, trigger: 'recalculation' });
    await workspace.calculate([ann]);
    await workspace.db.sql('analyze deals, commission_events, commission_event_history');
    for (const operation of [listCommissionEvents, listDealChanges]) {
      const { nextCursor: cursor } = await workspace.run(operation, { query: { limit: '100' } });
      const work = await statementWork(() => workspace.run(operation, { query: { limit: '100', cursor } }));
      const figures = [...work.values()];
      expect(Math.max(...figures)).to.be.within(100, 2000);
    }
  });
});
