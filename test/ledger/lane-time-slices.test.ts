import { expect } from 'chai';
import { sql } from 'kysely';
import { LaneRunner, TimeSlice } from '#src/ledger/lanes/lane-runner.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { createLog } from '#src/platform/log.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

describe('the lanes of one job', () => {
  it('yield as soon as a job with priority waits, and the remaining lanes are woken again', async () => {
    const workspace = await OfflineWorkspace.create();
    const repIds = await workspace.addReps(...Array.from({ length: 40 }, (_, index) => `Rep${index}`));
    // With 1,000 deals each, a batch has four of them.
    await sql`
      insert into deals (workspace_id, deal_id, rep_id, name, amount, close_date, is_closed, is_won, fields, given, content_hash)
      select ${workspace.workspaceId}, rep_id || '-' || n, rep_id, 'Deal', 1, '2026-02-02', true, true, '{}', '{}', md5(n::text)::uuid
      from reps, generate_series(1, 1000) n where workspace_id = ${workspace.workspaceId}`.execute(workspace.db.owner);
    const days = { from: '2026-01-01', to: '2026-12-31' } as const;
    await workspace.request(repIds, { days });
    workspace.db.woken.length = 0;
    let requestCount = 0;
    // The slice itself does not end, however slow the machine is.
    const slices = new TimeSlice(async () => {
      requestCount += 1;
      return true;
    }, 60_000);
    await workspace.laneRunner().run(workspace.workspaceId, repIds, slices);
    const { woken } = workspace.db;
    expect(requestCount).to.equal(1);
    expect(woken).to.have.length.greaterThan(0);
    expect((await workspace.requests()).map((one) => one.rep_id)).to.have.members(woken);
    expect(woken).to.deep.equal(repIds.slice(-woken.length));
  });

  it('are calculated again only if a request arrives while they are locked', async () => {
    const workspace = await OfflineWorkspace.create();
    const [repId] = await workspace.addReps('Ann');
    const request = () => workspace.request([repId]);
    let calculations = 0;
    /** Writes another request right after the calculation, before the runner checks for requests. */
    const busy = Object.assign(Object.create(workspace.db.unitOfWork) as UnitOfWork, {
      run: async (...[caller, lock, work]: Parameters<UnitOfWork['run']>) => {
        const result = await workspace.db.unitOfWork.run(caller, lock, work);
        if (lock.lock === 'shared' && calculations++ === 0) await request();
        return result;
      },
    });
    await request();
    const runner = new LaneRunner(busy, workspace.db.clock, async () => {}, createLog('silent'));
    await runner.run(workspace.workspaceId, [repId]);
    expect(calculations).to.equal(2);
    expect(await workspace.requests()).to.deep.equal([]);
  });
});
