import type pg from 'pg';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { useOwnServer } from '#test/support/test-database.js';
import { connectWriters, expectCompleteCopies } from './feed-worlds.js';

const runs = Number(process.env['FEED_RUNS'] ?? 1000);

describe('the feeds of deals and commission events, in many interleavings', () => {
  before(useOwnServer);

  let writers: pg.Client[] = [];

  after(async () => {
    for (const client of writers) await client.end();
  });

  it(`are complete in ${runs} of them`, async function () {
    this.timeout(60_000 + runs * 500);
    const workspace = await OfflineWorkspace.create();
    writers = await connectWriters(workspace.db.appUrl);
    const first = 1000 + (Date.now() % 1_000_000);
    for (let seed = first; seed < first + runs; seed += 1)
      await expectCompleteCopies(await OfflineWorkspace.in(workspace.db), writers, seed);
  });
});
