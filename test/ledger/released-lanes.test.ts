import { expect } from 'chai';
import pg from 'pg';
import { createDatabase, type Database } from '#src/platform/database/pool.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { metrics } from '#src/platform/metrics.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { D1, D2, TeamExample } from './team-example.js';

describe('a change that arrives while a statement locks the lane of the rep', () => {
  let service: Service;
  let example: TeamExample;
  let stopper: pg.Client;
  let stopperPid: number;
  let probe: pg.Client;

  before(async () => {
    service = await Service.start();
    stopper = new pg.Client({ connectionString: service.database.ownerUrl });
    probe = new pg.Client({ connectionString: service.database.ownerUrl });
    await Promise.all([stopper.connect(), probe.connect()]);
    stopperPid = (await stopper.query('select pg_backend_pid() as pid')).rows[0].pid;
    // The sweep finds no lane, so that it cannot calculate what the request left out.
    await stopper.query(`
      create or replace function due_lanes(older_than interval, max_lanes integer)
      returns table (workspace_id uuid, rep_id uuid)
      language sql stable as 'select null::uuid, null::uuid where false'`);
  });
  after(async () => {
    await Promise.all([stopper.end(), probe.end()]);
    await service.stop();
  });

  beforeEach(async () => {
    example = await TeamExample.create(service);
    await example.put(D1);
    await example.calculated();
    await requests['generate']?.();
  });

  /** Whether the request waits for a write, and so holds the lane that it locked before. */
  async function isStopped(): Promise<boolean> {
    const { rows } = await probe.query(
      `select from pg_stat_activity where backend_type = 'client backend' and $1 = any (pg_blocking_pids(pid))`,
      [stopperPid],
    );
    return rows.length > 0;
  }

  async function calculationsEnded(): Promise<number> {
    const { values } = await metrics.jobs.get();
    return values.reduce((sum, { value, labels }) => sum + (labels['job'] === 'calculate.v1' ? value : 0), 0);
  }

  const requests: Readonly<Record<string, () => Promise<unknown>>> = {
    generate: () => example.api.generate(example.repIds.ann, '2026-01'),
    'generate of many': () =>
      example.api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-01', repIds: [example.repIds.ann] }),
    adjust: () => example.api.adjust(example.repIds.ann, '2026-01', 5, 'Spiff'),
    approve: () => example.api.approve(example.repIds.ann, '2026-01'),
  };
  for (const [name, send] of Object.entries(requests)) {
    it(`is calculated when ${name} has ended, without the sweep`, async () => {
      await stopper.query('begin');
      await stopper.query('lock table statements, statement_periods, commission_events in share mode');
      const ended = send();
      await until(isStopped);
      const before = await calculationsEnded();
      await example.put(D2);
      await until(async () => (await calculationsEnded()) > before);
      await stopper.query('rollback');
      await ended;
      await example.calculated();
      expect(await example.earned()).to.deep.include(['D2', 7200, 60_000]);
    });
  }
});

describe('a transaction that has locked a lane', () => {
  let service: Service;
  let database: Database;

  before(async () => {
    service = await Service.start();
    database = createDatabase({ url: service.database.appUrl, size: 2, onError: () => {} });
  });
  after(async () => {
    await database.destroy();
    await service.stop();
  });

  it('triggers a check of its lanes after its commit or rollback', async () => {
    const { workspaceId } = await service.workspace();
    const released: string[][] = [];
    const unitOfWork = new UnitOfWork(database, {
      onReleased: async (_workspaceId, held) => void released.push([...held]),
    });
    await unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, async (tx) => {
      for (const name of ['one', 'two', 'one']) tx.hold(name);
      expect(released).to.deep.equal([]);
    });
    const failed = unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, async (tx) => {
      tx.hold('three');
      throw new Error('rejected');
    });
    expect(await failed.catch((error: Error) => error.message)).to.equal('rejected');
    await unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, async () => {});
    expect(released).to.deep.equal([['one', 'two'], ['three']]);
  });
});
