import { expect } from 'chai';
import { sql } from 'kysely';
import { listFailedCalculations } from '#src/commissions/queries/list-failed-calculations.js';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import {
  type TenantCaller,
  type Transaction,
  type TransactionOptions,
  type UnitOfWork,
} from '#src/platform/database/unit-of-work.js';
import { createLog } from '#src/platform/log.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { until } from '#test/support/until.js';

describe('a lane whose calculation fails', () => {
  let workspace: OfflineWorkspace;
  let repId: string;

  before(async () => {
    const { owner } = (await OfflineWorkspace.create()).db;
    await sql`create table fault (state text not null)`.execute(owner);
    await sql`grant select on fault to public`.execute(owner);
    await sql`
      create function fail_run() returns trigger language plpgsql as $$
      declare given text;
      begin
        for given in select state from fault loop raise exception 'injected fault' using errcode = given; end loop;
        return new;
      end $$`.execute(owner);
    await sql`create trigger fail_run before insert on audit_runs for each row
      when (new.outcome <> 'failed') execute function fail_run()`.execute(owner);
  });

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
    [repId] = await workspace.addReps('Ben');
    await workspace.request([repId]);
  });

  const failWith = (state: string) => sql`insert into fault values (${state})`.execute(workspace.db.owner);
  const run = () =>
    workspace
      .laneRunner()
      .run(workspace.workspaceId, [repId])
      .catch(() => undefined);
  const lane = async () =>
    (await workspace.db.sql('select attempts, parked_at from lanes where rep_id = $1', repId))[0];

  it('is parked after eight failures, keeps its requests, and is listed', async () => {
    await failWith('22012');
    for (let time = 1; time <= 7; time += 1) await run();
    expect(await lane()).to.deep.equal({ attempts: 7, parked_at: null });
    await run();
    expect(await lane()).to.deep.equal({ attempts: 8, parked_at: workspace.db.now });
    expect(await workspace.requests()).not.to.deep.equal([]);
    const { failed } = await workspace.run(listFailedCalculations);
    expect(failed).to.have.length(1);
    expect(failed[0]).to.include({
      repId,
      repName: 'Ben',
      attempts: 8,
      error: 'injected fault',
      nextAttemptAt: null,
      parkedAt: workspace.db.now.toISOString(),
    });
  });

  for (const [state, what] of [
    ['25P03', 'a lane that computes for too long between two statements'],
    ['57014', 'a statement that takes too long'],
    ['57P01', 'only this connection'],
  ] as const)
    it(`is parked if PostgreSQL ends ${what}, eight times in a row`, async () => {
      await failWith(state);
      for (let time = 1; time <= 8; time += 1) await run();
      expect(await lane()).to.deep.equal({ attempts: 8, parked_at: workspace.db.now });
      const audited = await workspace.db.sql("select rep_id, outcome, error from audit_runs where outcome = 'failed'");
      expect(audited).to.deep.equal(
        Array.from({ length: 8 }, () => ({ rep_id: repId, outcome: 'failed', error: 'injected fault' })),
      );
    });

  it('counts a real time-out, and is listed no longer after a calculation', async () => {
    const { unitOfWork } = workspace.db;
    const limited: UnitOfWork = Object.create(unitOfWork, {
      run: {
        value: (caller: TenantCaller, options: TransactionOptions, work: (tx: Transaction) => Promise<unknown>) =>
          unitOfWork.run(caller, options, async (tx) => {
            if (options.lock === 'none') return work(tx);
            const { rows } = await sql<{ pid: number }>`
              select pg_backend_pid() as pid, set_config('idle_in_transaction_session_timeout', '20', true)`.execute(
              tx.db,
            );
            const running = sql`select from pg_stat_activity where pid = ${rows[0]?.pid}`;
            await until(async () => (await running.execute(workspace.db.owner)).rows.length === 0);
            return work(tx);
          }),
      },
    });
    const { clock, wake } = workspace.db;
    const failing = new LaneRunner(limited, clock, wake, createLog('silent'));
    await failing.run(workspace.workspaceId, [repId]);
    expect(await lane()).to.deep.equal({ attempts: 1, parked_at: null });
    const { failed } = await workspace.run(listFailedCalculations);
    expect(failed[0]).to.include({ repId, attempts: 1, parkedAt: null });
    await run();
    expect(await workspace.run(listFailedCalculations)).to.deep.equal({ failed: [], count: 0 });
  });

  for (const [state, what] of [
    ['57P03', 'is starting'],
    ['08006', 'is cut off'],
  ] as const)
    it(`is retried without a limit when PostgreSQL ${what}`, async () => {
      await failWith(state);
      for (let time = 1; time <= 9; time += 1) await run();
      expect((await lane()) ?? { attempts: 0, parked_at: null }).to.deep.equal({ attempts: 0, parked_at: null });
      await sql`delete from fault`.execute(workspace.db.owner);
      await run();
      expect(await workspace.requests()).to.deep.equal([]);
    });
});
