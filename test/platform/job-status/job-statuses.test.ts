import { expect } from 'chai';
import { Redis } from 'ioredis';
import { newId } from '#src/kernel/ids.js';
import {
  type CalculationJob,
  calculationJobs,
  completeJobIfDone,
  createJob,
} from '#src/ledger/requests/calculation-jobs.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { JobStatusStore } from '#src/platform/job-status/job-status-store.js';
import { type JobKind, JobStatuses } from '#src/platform/job-status/job-statuses.js';
import { keyPrefix } from '#src/platform/jobs/queue-name.js';
import { createLog } from '#src/platform/log.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { type RedisServer, startRedis } from '#test/support/redis-server.js';
import { until } from '#test/support/until.js';

const log = createLog('silent');

describe('the status of jobs in Redis', () => {
  let redis: RedisServer;
  let workspace: OfflineWorkspace;
  let store: JobStatusStore;
  let statuses: JobStatuses;
  let unitOfWork: UnitOfWork;
  /** How often a job was read from the database. */
  let reads: number;

  /** The jobs as the database has them, counted. */
  const counted: JobKind<CalculationJob> = {
    ...calculationJobs,
    find: (tx, jobId) => {
      reads += 1;
      return calculationJobs.find(tx, jobId);
    },
  };

  const start = async () => {
    const job = { kind: 'recalculation', scope: { scope: 'workspace' }, actor: 'admin', total: 1, deals: 0 } as const;
    const { jobId } = await unitOfWork.write(workspace.admin, (tx) =>
      createJob(tx, { ...job, scopeKey: newId(), syncing: true }),
    );
    return jobId;
  };
  const end = (jobId: string) =>
    unitOfWork.write(workspace.admin, async (tx) => {
      await tx.db.updateTable('jobs').set({ syncing: false }).where('job_id', '=', jobId).execute();
      await completeJobIfDone(tx, jobId);
    });
  const find = (jobId: string, workspaceId = workspace.workspaceId) => statuses.find({ workspaceId }, counted, jobId);
  const published = (jobId: string) => store.read(workspace.workspaceId, calculationJobs.name, jobId);
  const onRedis = async <T>(work: (connection: Redis) => Promise<T>) => {
    const connection = new Redis(redis.url);
    return work(connection).finally(() => connection.disconnect());
  };

  before(async function () {
    const started = await startRedis();
    if (started === null) return this.skip();
    redis = started;
  });

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
    store = JobStatusStore.open(redis.servers, log);
    await until(() =>
      published('none').then(
        () => true,
        () => false,
      ),
    );
    unitOfWork = new UnitOfWork(workspace.db.app, {
      onJobs: (workspaceId, jobs) => statuses.changed(workspaceId, jobs),
    });
    statuses = new JobStatuses(unitOfWork, [counted], store, log);
    reads = 0;
  });

  afterEach(() => statuses.close());
  after(() => redis?.stop());

  it('is published when a job is created, so that polls do not reach the database', async () => {
    const jobId = await start();
    await until(() => published(jobId));
    reads = 0;
    const polls = await Promise.all(Array.from({ length: 200 }, () => find(jobId)));
    expect(reads).to.equal(0);
    const [expected] = await unitOfWork.read(workspace.admin, async (tx) => [await calculationJobs.find(tx, jobId)]);
    expect(new Set(polls.map((job) => JSON.stringify(job)))).to.deep.equal(new Set([JSON.stringify(expected)]));
    expect(polls[0]?.startedAt).to.be.instanceOf(Date);
  });

  it('is published at once when the job ends, in every process', async () => {
    const jobId = await start();
    await until(() => published(jobId));
    await end(jobId);
    await until(async () => (await published(jobId))?.includes('"completed"'));
    reads = 0;
    const other = new JobStatuses(unitOfWork, [counted], JobStatusStore.open(redis.servers, log), log);
    await until(async () => (await other.find(workspace.admin, counted, jobId))?.status === 'completed');
    expect(await find(jobId)).to.include({ status: 'completed' });
    await other.close();
  });

  it('is that of the database after Redis was emptied, and published again', async () => {
    const jobId = await start();
    await end(jobId);
    await until(async () => (await published(jobId))?.includes('"completed"'));
    await onRedis((connection) => connection.flushall());
    reads = 0;
    expect(await find(jobId)).to.include({ status: 'completed' });
    expect(await find(jobId)).to.include({ status: 'completed' });
    expect(reads).to.equal(1);
  });

  it('is not replaced by a state that was read earlier and arrives later', async () => {
    const jobId = newId();
    const publish = (revision: string, hasEnded: boolean, job: string) => {
      const status = { kind: calculationJobs.name, revision, lifetimeMs: hasEnded ? 60_000 : null, job };
      return store.publish(workspace.workspaceId, jobId, status);
    };
    await publish('20', false, 'later');
    await publish('19', false, 'earlier');
    expect(await published(jobId)).to.equal('later');
    await publish('21', true, 'ended');
    await publish('22', false, 'running again');
    expect(await published(jobId)).to.equal('ended');
  });

  it('is that of its end, also when a reader publishes late what it read before', async () => {
    const jobId = await start();
    await until(() => published(jobId));
    let markRead = () => {};
    let resume = () => {};
    const hasRead = new Promise<void>((resolve) => {
      markRead = resolve;
    });
    const delayed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const slow: JobKind<CalculationJob> = {
      ...calculationJobs,
      find: async (tx, id) => {
        const job = await calculationJobs.find(tx, id);
        markRead();
        await delayed;
        return job;
      },
    };
    await onRedis((connection) => connection.flushall());
    const late = statuses.find(workspace.admin, slow, jobId);
    await hasRead;
    await end(jobId);
    await until(async () => (await published(jobId))?.includes('"completed"'));
    resume();
    expect(await late).to.include({ status: 'running' });
    expect(await find(jobId)).to.include({ status: 'completed' });
  });

  it('is that of the database, and published again, when Redis is emptied while jobs run', async () => {
    const jobIds = await Promise.all([start(), start(), start()]);
    for (const jobId of jobIds) await until(() => published(jobId));
    await onRedis((connection) => connection.flushall());
    for (const jobId of jobIds) expect(await find(jobId)).to.include({ status: 'running', jobId });
    for (const jobId of jobIds) expect(await published(jobId)).to.include('"running"');
    await onRedis((connection) => connection.flushall());
    for (const jobId of jobIds) await end(jobId);
    for (const jobId of jobIds) await until(async () => (await published(jobId))?.includes('"completed"'));
  });

  it('is read once for all who ask while Redis has none', async () => {
    const jobId = await start();
    await until(() => published(jobId));
    await onRedis((connection) => connection.flushall());
    reads = 0;
    const polls = await Promise.all(Array.from({ length: 50 }, () => find(jobId)));
    expect(reads).to.equal(1);
    expect(new Set(polls.map((job) => job?.status))).to.deep.equal(new Set(['running']));
  });

  it('is found as long as the row of the job that has ended', async () => {
    const jobId = await start();
    await end(jobId);
    await until(async () => (await published(jobId))?.includes('"completed"'));
    const remainingMs = (minutes: number) =>
      onRedis(async (connection) => {
        await connection.flushall();
        await workspace.db.sql(
          `update jobs set finished_at = now() - make_interval(mins => $2) where job_id = $1`,
          jobId,
          minutes,
        );
        await find(jobId);
        return connection.pttl(`${keyPrefix}:job:${workspace.workspaceId}:${jobId}`);
      });
    expect(await remainingMs(350)).to.be.within(1, 600_000);
    // PTTL of a key that does not exist
    expect(await remainingMs(361)).to.equal(-2);
  });

  it('is unknown after the job was deleted, also to those who publish what they read before', async () => {
    const jobId = await start();
    await end(jobId);
    await until(async () => (await published(jobId))?.includes('"completed"'));
    await unitOfWork.write(workspace.admin, async (tx) => {
      await tx.db.deleteFrom('jobs').where('job_id', '=', jobId).execute();
      tx.changeJob({ kind: calculationJobs.name, jobId, hasEnded: true });
    });
    await until(async () => (await published(jobId)) === '');
    const late = { kind: calculationJobs.name, revision: '1', lifetimeMs: 60_000, job: '{}' };
    await store.publish(workspace.workspaceId, jobId, late);
    expect(await find(jobId)).to.equal(undefined);
  });

  it('is unknown in another workspace, and among the jobs of another kind', async () => {
    const jobId = await start();
    await until(() => published(jobId));
    expect(await find(jobId, newId())).to.equal(undefined);
    const others: JobKind<CalculationJob> = { ...counted, name: 'others', find: async () => undefined };
    expect(await statuses.find(workspace.admin, others, jobId)).to.equal(undefined);
    expect(await published(jobId)).to.include('"running"');
  });

  it('is that of the database while Redis is not reachable', async () => {
    const jobId = await start();
    const apart = { ...redis.servers, REDIS_URL: 'redis://127.0.0.1:1' };
    const alone = new JobStatuses(unitOfWork, [counted], JobStatusStore.open(apart, log), log);
    expect(await alone.find(workspace.admin, counted, jobId)).to.include({ status: 'running', jobId });
    await alone.close();
  });
});
