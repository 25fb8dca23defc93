import { expect } from 'chai';
import { DocumentMaker } from '#src/exports/documents/document-maker.js';
import { jobNotFound } from '#src/exports/export-job.js';
import { ExportRequests } from '#src/exports/export-requests.js';
import { maxWaiting } from '#src/exports/export-store.js';
import { type ExportKind } from '#src/exports/export-tables.js';
import { type Caller } from '#src/kernel/caller.js';
import { Failure } from '#src/kernel/failure.js';
import { JobStatuses } from '#src/platform/job-status/job-statuses.js';
import { type JobQueue } from '#src/platform/jobs/job-queue.js';
import { createLog } from '#src/platform/log.js';
import { Download, Reply } from '#src/platform/operations/operation.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { exportWorker } from './export-worker.js';

describe('exports of several people', () => {
  let workspace: OfflineWorkspace;
  let requests: ExportRequests;
  let months: number;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
    const { unitOfWork } = workspace.db;
    const jobs = new JobStatuses(unitOfWork, [], null, createLog('silent'));
    requests = new ExportRequests(unitOfWork, jobs, { add: async () => {} } as Pick<JobQueue, 'add'>);
    months = 0;
  });

  /** Requests a file that no other request has named. */
  async function request(caller: Caller, kind: ExportKind, repId: string | null, managerId: string | null = null) {
    months += 1;
    const period = `${2000 + Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`;
    const submitted = requests.submit(caller, async () => ({ kind, repId, managerId, period }), { async: true });
    const answer = (await submitted) as Reply<{ jobId: string }>;
    return answer.body.jobId;
  }

  async function outcome(caller: Caller, kind: ExportKind, repId: string | null): Promise<string> {
    return request(caller, kind, repId).then(
      () => 'waits',
      (error: unknown) => (error instanceof Failure ? error.code : Promise.reject(error)),
    );
  }

  it('wait in limited numbers of one person, also for their agents, which does not affect others', async () => {
    const [ben, cat] = await workspace.addReps('Ben', 'Cat');
    const asBen = workspace.caller('rep', ben);
    for (let waiting = 0; waiting < maxWaiting.ofPerson; waiting += 1)
      expect(await outcome(asBen, 'statement.pdf', ben)).to.equal('waits');
    expect(await outcome(asBen, 'statement.pdf', ben)).to.equal('rate_limited');
    expect(await outcome({ ...asBen, actor: `rep:${ben} via Agent` }, 'statement.pdf', ben)).to.equal('rate_limited');
    expect(await outcome(workspace.caller('rep', cat), 'statement.pdf', cat)).to.equal('waits');
  });

  it('wait in limited numbers of one key, which does not affect people', async () => {
    const [ben] = await workspace.addReps('Ben');
    for (let waiting = 0; waiting < maxWaiting.ofKey; waiting += 1)
      expect(await outcome(workspace.admin, 'statement.pdf', ben)).to.equal('waits');
    expect(await outcome(workspace.admin, 'statement.pdf', ben)).to.equal('rate_limited');
    expect(await outcome(workspace.caller('rep', ben), 'statement.pdf', ben)).to.equal('waits');
  });

  it('leave places for files of the team', async () => {
    const reps = await workspace.addReps('A', 'B', 'C', 'D', 'E', 'F', 'G');
    const [last, ...others] = reps.reverse() as [string, ...string[]];
    const outcomes: string[] = [];
    for (const repId of others)
      for (let waiting = 0; waiting < maxWaiting.ofPerson; waiting += 1)
        outcomes.push(await outcome(workspace.caller('rep', repId), 'statement.pdf', repId));
    expect(outcomes.filter((one) => one === 'waits')).to.have.length(maxWaiting.ofStatements);
    expect(await outcome(workspace.caller('rep', last), 'statement.pdf', last)).to.equal('export_unavailable');
    for (let waiting = maxWaiting.ofStatements; waiting < maxWaiting.ofAll; waiting += 1)
      expect(await outcome(workspace.admin, 'team.xlsx', null)).to.equal('waits');
    expect(await outcome(workspace.admin, 'team.xlsx', null)).to.equal('export_unavailable');
  });

  for (const kind of ['team.pdf', 'team.xlsx', 'team.zip'] as const)
    it(`cannot be downloaded by a manager as ${kind} when a person in it has left the team`, async () => {
      const [mia, ben, cat] = await workspace.addReps('Mia', 'Ben', 'Cat');
      for (const repId of [ben, cat]) await workspace.insert.statement(repId, '2026-01', 'approved');
      await workspace.insert.reportingLines(mia, ben, cat);
      const asMia = (...team: string[]) => ({ ...workspace.caller('manager', mia), team: new Set([mia, ...team]) });
      const jobId = await request(asMia(ben, cat), kind, null, mia);
      await workspace.db.sql(`update stored_jobs set period = '2026-01'`);
      const printer = { print: async () => Buffer.from('%PDF-'), close: async () => {} };
      const maker = new DocumentMaker(workspace.db.unitOfWork, printer as never, workspace.db.clock, []);
      const worker = exportWorker(workspace.db.app, workspace.db.unitOfWork, maker);
      worker.wake();
      await worker.stop();
      const present = asMia(ben, cat);
      const file = requests.openFile(present, await requests.find(present, jobId));
      expect(file).to.be.instanceOf(Download);
      const failure = await requests.find(asMia(ben), jobId).catch((error: unknown) => error);
      expect(failure).to.deep.include({ code: jobNotFound().code });
      await requests.find({ ...workspace.caller('manager', mia) }, jobId);
    });
});
