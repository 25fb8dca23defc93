import { expect } from 'chai';
import pg from 'pg';
import { OfflineDatabase } from '#test/support/offline-database.js';
import { addWaitingLanes } from './waiting-lanes.js';

/** The time of the fastest of ten sweeps that take 200 lanes. */
async function fastestSweep(db: OfflineDatabase): Promise<number> {
  const [fastest] = await db.sql<{ ms: number }>(`
    with runs as materialized (
      select clock_timestamp() as began, (select count(*) from due_lanes('5 seconds', 200 + n * 0)) as found,
        clock_timestamp() as ended
      from generate_series(1, 10) n
    )
    select min(extract(epoch from ended - began) * 1000)::float as ms from runs where found = 200`);
  return fastest?.ms ?? expect.fail('no sweep has found 200 lanes');
}

describe('the lanes that a sweep takes, while 50,000 reps wait', () => {
  for (const { where, lanes, most } of [
    { where: 'in one workspace', lanes: [50_000], most: 10 },
    { where: 'in 500 workspaces', lanes: Array.from({ length: 500 }, () => 100), most: 30 },
  ])
    it(`are found within ${most} ms ${where}`, async () => {
      const db = await OfflineDatabase.emptied();
      await addWaitingLanes(db, lanes, 1);
      expect(await fastestSweep(db)).to.be.below(most);
    });

  it('are found within 50 ms after a vacuum that ran while they were inserted, which counts no rows', async () => {
    const db = await OfflineDatabase.emptied();
    const inserting = new pg.Client({ connectionString: db.ownerUrl });
    await inserting.connect();
    await inserting.query('begin');
    await addWaitingLanes(
      { sql: async (text, ...values) => (await inserting.query(text, values)).rows as never },
      [50_000],
      1,
    );
    await db.sql('vacuum calculation_requests');
    await inserting.query('commit');
    await inserting.end();
    expect(await fastestSweep(db)).to.be.below(50);
  });
});
