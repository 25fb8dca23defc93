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
      createJob(tx, { ...job, scopeKey: newId(), pulling: true }),
    );
    return jobId;
  };
  const end = (jobId: string) =>
    unitOfWork.write(workspace.admin, async (tx) => {
      await tx.db.updateTable('jobs').set({ pulling: false }).where('job_id', '=', jobId).execute();
      await completeJobIfDone(tx, jobId);
    });
  const find = (jobId: string, workspaceId = workspace.workspaceId) => statuses.find({ workspaceId }, counted, jobId);
  const published = (jobId: string) => store.read(workspace.workspaceId, jobId);

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
    const connection = new Redis(redis.url);
    await connection.flushall();
    connection.disconnect();
    reads = 0;
    expect(await find(jobId)).to.include({ status: 'completed' });
    expect(await find(jobId)).to.include({ status: 'completed' });
    expect(reads).to.equal(1);
  });

  it('is not replaced by a state that was read earlier and arrives later', async () => {
    const jobId = newId();
    const publish = (revision: string, hasEnded: boolean, job: string) =>
      store.publish(workspace.workspaceId, jobId, { revision, hasEnded, job });
    await publish('20', false, 'later');
    await publish('19', false, 'earlier');
    expect(await published(jobId)).to.equal('later');
    await publish('21', true, 'ended');
    await publish('22', false, 'running again');
    expect(await published(jobId)).to.equal('ended');
  });

  it('is unknown in another workspace', async () => {
    const jobId = await start();
    await until(() => published(jobId));
    expect(await find(jobId, newId())).to.equal(undefined);
  });

  it('is that of the database while Redis is not reachable', async () => {
    const jobId = await start();
    const apart = { ...redis.servers, REDIS_URL: 'redis://127.0.0.1:1' };
    const alone = new JobStatuses(unitOfWork, [counted], JobStatusStore.open(apart, log), log);
    expect(await alone.find(workspace.admin, counted, jobId)).to.include({ status: 'running', jobId });
    await alone.close();
  });
});
