import { expect } from 'chai';
import { OfflineDatabase } from '#test/support/offline-database.js';
import { addWaitingLanes } from './waiting-lanes.js';

describe('the lanes that a sweep takes, while 50,000 reps wait', () => {
  for (const { where, lanes, most } of [
    { where: 'in one workspace', lanes: [50_000], most: 10 },
    { where: 'in 500 workspaces', lanes: Array.from({ length: 500 }, () => 100), most: 30 },
  ])
    it(`are found within ${most} ms ${where}`, async () => {
      const db = await OfflineDatabase.emptied();
      await addWaitingLanes(db, lanes, 1);
      const [fastest] = await db.sql<{ ms: number }>(`
        with runs as materialized (
          select clock_timestamp() as began, (select count(*) from due_lanes('5 seconds', 200 + n * 0)) as found,
            clock_timestamp() as ended
          from generate_series(1, 10) n
        )
        select min(extract(epoch from ended - began) * 1000)::float as ms from runs where found = 200`);
      expect(fastest?.ms).to.be.below(most);
    });
});
