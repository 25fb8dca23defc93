import { expect } from 'chai';
import { type FinishedFile, type PartSink } from '#src/exports/documents/document-maker.js';
import { ExportRequests } from '#src/exports/export-requests.js';
import { enqueueExport } from '#src/exports/export-store.js';
import { serviceCaller } from '#src/kernel/caller.js';
import { toStoredCaller } from '#src/kernel/stored-caller.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { JobStatuses } from '#src/platform/job-status/job-statuses.js';
import { type JobQueue } from '#src/platform/jobs/job-queue.js';
import { createLog } from '#src/platform/log.js';
import { Reply } from '#src/platform/operations/operation.js';
import { query } from '#test/support/ledger-checks.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { type LeasedWorker } from '#workers/leased-worker.js';
import { exportWorker } from './export-worker.js';

type Make = (sink: PartSink) => Promise<FinishedFile>;

const outage = () => Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' });
const failing = () => Promise.reject(new Error('broken'));
const text: Make = async (sink) => {
  await sink.store(Buffer.from('paid'));
  return { contentType: 'text/plain', filename: 'paid.txt', headers: {} };
};

describe('the export worker', () => {
  let workspace: OfflineWorkspace;
  let jobId: string;
  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
    const caller = toStoredCaller(serviceCaller(workspace.workspaceId, 'api-key'));
    const request = {
      kind: 'team.xlsx',
      repId: null,
      managerId: null,
      period: '2026-01',
      asOf: null,
      total: 1,
    } as const;
    jobId = await workspace.db.unitOfWork.write(workspace.admin, (tx) => enqueueExport(tx, caller, request));
  });
  afterEach(() => rows('delete from stored_jobs'));

  function rows(statement: string, ...values: unknown[]) {
    return query<Record<string, unknown>>(workspace.db.ownerUrl, statement, values);
  }

  async function job() {
    const [row] = await rows('select status, attempts, error from stored_jobs where job_id = $1', jobId);
    return row;
  }

  function workerOf(make: Make, unitOfWork: Pick<UnitOfWork, 'write'> = workspace.db.unitOfWork): LeasedWorker {
    const maker = { make: (_workspaceId: string, _request: unknown, sink: PartSink) => make(sink) };
    return exportWorker(workspace.db.app, unitOfWork as UnitOfWork, maker);
  }

  /** Processes the export once, waiting for its next attempt if needed. */
  async function processOnce(make: Make): Promise<void> {
    await rows('update stored_jobs set not_before = now() where job_id = $1', jobId);
    const worker = workerOf(make);
    worker.wake();
    await worker.stop();
  }

  it('reports the job of an asynchronous request also when the file is already made', async () => {
    const makeAtOnce = async () => {
      const worker = workerOf(text);
      worker.wake();
      await worker.stop();
    };
    const jobs = new JobStatuses(workspace.db.unitOfWork, [], null, createLog('silent'));
    const requests = new ExportRequests(workspace.db.unitOfWork, jobs, { add: makeAtOnce } as Pick<JobQueue, 'add'>);
    const caller = serviceCaller(workspace.workspaceId, 'api-key');
    const request = async () => ({ kind: 'team.xlsx' as const, repId: null, managerId: null, period: '2026-01' });
    const response = await requests.submit(caller, request, { async: true });
    expect(response).to.be.instanceOf(Reply).with.property('status', 202);
    expect(response).to.have.nested.property('body.status', 'completed');
  });

  it('tries a failing export five times', async () => {
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await processOnce(failing);
      expect(await job()).to.include({ status: 'running', attempts: attempt });
    }
    await processOnce(failing);
    expect(await job()).to.include({ status: 'failed', error: 'The document could not be made.' });
  });

  it('fails an export after five workers were killed while they made the file', async () => {
    await rows('update stored_jobs set attempts = 5 where job_id = $1', jobId);
    await processOnce(text);
    expect(await job()).to.include({ status: 'failed' });
  });

  it('does not count database outages as attempts', async () => {
    for (let attempt = 1; attempt <= 8; attempt += 1) await processOnce(() => Promise.reject(outage()));
    expect(await job()).to.include({ status: 'running', attempts: 0 });
    await processOnce(text);
    expect(await job()).to.include({ status: 'completed' });
  });

  it('is the only one that makes an export, and another takes over when its lease has expired', async () => {
    let made = 0;
    const count: Make = (sink) => {
      made += 1;
      return text(sink);
    };
    await rows(
      `insert into work_leases (workspace_id, work, lease_id, leased_until)
       values ($1, 'export ' || $2, $2::uuid, now() + interval '1 minute')`,
      workspace.workspaceId,
      jobId,
    );
    await processOnce(count);
    expect([made, await job()]).to.deep.equal([0, { status: 'waiting', attempts: 0, error: null }]);
    await rows(`update work_leases set leased_until = now() - interval '1 second'`);
    await processOnce(count);
    expect([made, await job()]).to.deep.equal([1, { status: 'completed', attempts: 1, error: null }]);
  });

  it('stores nothing and records no failure after another has taken over', async () => {
    await processOnce(async (sink) => {
      await rows('update work_leases set lease_id = gen_random_uuid()');
      return text(sink);
    });
    expect(await job()).to.deep.equal({ status: 'running', attempts: 1, error: null });
    expect(await rows('select part from export_parts')).to.deep.equal([]);
  });

  it('retries the release of an export until the database is available', async () => {
    let failures = 0;
    let markReleased = () => {};
    const released = new Promise<void>((resolve) => {
      markReleased = resolve;
    });
    // Unavailable from the moment in which the file is made, for one more statement.
    const flapping: Pick<UnitOfWork, 'write'> = {
      write: async (...terms) => {
        if (failures === 1) {
          failures = 2;
          throw outage();
        }
        const result = await workspace.db.unitOfWork.write(...terms);
        if (failures === 2) markReleased();
        return result;
      },
    };
    const worker = workerOf(() => {
      failures = 1;
      return Promise.reject(outage());
    }, flapping);
    worker.wake();
    await released;
    await worker.stop();
    expect(await job()).to.include({ status: 'running', attempts: 0 });
  });
});
