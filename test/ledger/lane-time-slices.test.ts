import { expect } from 'chai';
import { sql } from 'kysely';
import { LaneRunner, TimeSlice } from '#src/ledger/lane-runner.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { createLog } from '#src/platform/log.js';
import { upsertReps } from '#src/reps/commands/upsert-reps.js';
import { duringSuite } from '#test/support/during-suite.js';
import { callerAs, SliceFixture } from '#test/support/slice-fixture.js';

describe('the lanes of one job', () => {
  const slice = duringSuite(() => SliceFixture.create());

  it('yield as soon as a job with priority waits, and the remaining lanes are woken again', async () => {
    const workspaceId = await slice.workspace();
    const people = Array.from({ length: 40 }, (_, index) => ({ email: `rep${index}@x.io`, name: `Rep ${index}` }));
    const { reps } = await slice.run(upsertReps, callerAs('admin', workspaceId), { body: { reps: people } });
    const repIds: string[] = reps.map((rep: { id: string }) => rep.id);
    // With 1,000 deals each, a batch has four of them.
    await sql`
      insert into deals (workspace_id, deal_id, rep_id, name, amount, close_date, is_closed, is_won, fields, given, content_hash)
      select ${workspaceId}, rep_id || '-' || n, rep_id, 'Deal', 1, '2026-02-02', true, true, '{}', '{}', md5(n::text)::uuid
      from reps, generate_series(1, 1000) n where workspace_id = ${workspaceId}`.execute(slice.owner);
    const days = { from: '2026-01-01', to: '2026-12-31' } as const;
    await slice.request(workspaceId, repIds, { days });
    slice.woken.length = 0;
    let requestCount = 0;
    // The slice itself does not end, however slow the machine is.
    const slices = new TimeSlice(async () => {
      requestCount += 1;
      return true;
    }, 60_000);
    await slice.laneRunner().run(workspaceId, repIds, slices);
    const { woken } = slice;
    expect(requestCount).to.equal(1);
    expect(woken).to.have.length.greaterThan(0);
    expect((await slice.requests(workspaceId)).map((one) => one.rep_id)).to.have.members(woken);
    expect(woken).to.deep.equal(repIds.slice(-woken.length));
  });

  it('are calculated again only if a request arrives while they are locked', async () => {
    const workspaceId = await slice.workspace();
    const { reps } = await slice.run(upsertReps, callerAs('admin', workspaceId), {
      body: { reps: [{ email: 'ann@x.io', name: 'Ann' }] },
    });
    const repId = reps[0].id as string;
    const request = () => slice.request(workspaceId, [repId]);
    let calculations = 0;
    /** Writes another request right after the calculation, before the runner checks for requests. */
    const busy = Object.assign(Object.create(slice.unitOfWork) as UnitOfWork, {
      run: async (...[caller, lock, work]: Parameters<UnitOfWork['run']>) => {
        const result = await slice.unitOfWork.run(caller, lock, work);
        if (lock.lock === 'shared' && calculations++ === 0) await request();
        return result;
      },
    });
    await request();
    const runner = new LaneRunner(busy, slice.clock, async () => {}, createLog('silent'));
    await runner.run(workspaceId, [repId]);
    expect(calculations).to.equal(2);
    expect(await slice.requests(workspaceId)).to.deep.equal([]);
  });
});
