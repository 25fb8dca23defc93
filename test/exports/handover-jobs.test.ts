import { expect } from 'chai';
import { handOverThrough } from '#src/app/handover-operation.js';
import { type StoredCaller } from '#src/kernel/stored-caller.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { WorkedExample } from '#test/support/worked-example.js';
import { HandoverJobs } from '#workers/handover-jobs.js';

const path = '/v1/payroll-handovers';
const period = '2026-01';

describe('a hand-over that a worker records', () => {
  const service = Service.duringSuite();

  const start = async (client: ApiClient, body: object = {}, headers: Record<string, string> = {}) => {
    const answer = await client.send('POST', path, { period, layout: 'generic', async: true, ...body }, headers);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
    expect(answer.body).to.include({ kind: 'handover', period, status: 'running' });
    return answer.body.jobId as string;
  };
  const ended = (client: ApiClient, jobId: string) =>
    until(async () => {
      const job = await client.expect(200, 'GET', `${path}/jobs/${jobId}`);
      return job.status !== 'running' && job;
    });
  const listed = async (client: ApiClient) => (await client.expect(200, 'GET', `${path}?period=${period}`)).handovers;
  const restart = (workspace: WorkedExample, attempts = 0) =>
    workspace.sql(
      `update stored_jobs set status = 'running', finished_at = null, attempts = $2 where workspace_id = $1`,
      attempts,
    );

  it('is what the request that waits records, by the person who requested it', async () => {
    const workspace = await WorkedExample.create(service);
    const asMia = await workspace.as(workspace.mia);
    const waited = await asMia.expect(201, 'POST', path, { period, layout: 'generic', note: 'sent' });
    const jobId = await start(asMia, { note: 'sent' });
    const { handover, ...job } = await ended(asMia, jobId);
    expect(job).to.deep.include({ status: 'completed', layout: 'generic', scope: 'full' });
    expect(job.progress).to.deep.equal({ done: 1, total: 1 });
    const [latest, before] = await listed(workspace.api);
    expect(before).to.deep.equal(waited);
    const { handoverId, createdAt } = latest;
    expect(latest).to.deep.equal({ ...waited, handoverId, createdAt });
    expect(handover.handoverId).to.equal(handoverId);
    expect(latest).to.deep.include(handover);
    expect((await workspace.api.expect(200, 'GET', `${path}/jobs?period=${period}`)).jobs).to.deep.equal([
      { ...job, handover },
    ]);
    expect((await workspace.api.expect(200, 'GET', `${path}/jobs?period=2026-02`)).jobs).to.deep.equal([]);
  });

  it('fails and records nothing if the file is another one', async () => {
    const workspace = await WorkedExample.create(service);
    const job = await ended(workspace.api, await start(workspace.api, { sha256: '0'.repeat(64) }));
    expect(job).to.include({ status: 'failed' }).and.not.have.property('handover');
    expect(job.error).to.include('The file has changed since it was exported');
    expect(await listed(workspace.api)).to.deep.equal([]);
  });

  it('is one job for requests with the same idempotency key', async () => {
    const { api } = await WorkedExample.create(service);
    const key = { 'Idempotency-Key': 'january' };
    const jobId = await start(api, {}, key);
    expect(await start(api, {}, key)).to.equal(jobId);
    await ended(api, jobId);
    expect(await listed(api)).to.have.length(1);
  });

  it('is visible to admins and to who requested it', async () => {
    const workspace = await WorkedExample.create(service);
    const [max] = await workspace.api.saveReps({ name: 'Max', role: 'manager' });
    const [asMia, asMax] = [await workspace.as(workspace.mia), await workspace.as(max)];
    const jobId = await start(asMia);
    await ended(asMia, jobId);
    await workspace.api.expect(200, 'GET', `${path}/jobs/${jobId}`);
    await expectError('404 job_not_found', asMax.get(`${path}/jobs/${jobId}`));
    expect((await asMax.expect(200, 'GET', `${path}/jobs`)).jobs).to.deep.equal([]);
    await expectError('404 job_not_found', workspace.api.get(`${path}/jobs/nope`));
  });

  it('is recorded in the audit log as a part of the request', async () => {
    const workspace = await WorkedExample.create(service);
    const asMia = await workspace.as(workspace.mia);
    await ended(asMia, await start(asMia));
    const entries = await until(async () => {
      const { entries: found } = await workspace.api.expect(200, 'GET', '/v1/audit?action=recordPayrollHandover');
      return found.length === 2 && found;
    });
    expect(new Set(entries.map(({ requestId }: { requestId: string }) => requestId))).to.have.length(1);
    for (const { actor } of entries) expect(actor).to.equal(`rep:${workspace.mia}`);
  });

  it('contains what is new only once, of two that are requested together', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.generateAndApprove(period);
    const body = { layout: 'long', scope: 'new' };
    const jobIds = [await start(workspace.api, body), await start(workspace.api, body)];
    await Promise.all(jobIds.map((jobId) => ended(workspace.api, jobId)));
    const { handedOver } = await workspace.api.expect(200, 'GET', `/v1/statements?period=${period}`);
    expect(handedOver).to.deep.equal([{ currency: 'USD', netPayout: 4800 }]);
  });

  describe('after its worker was killed', () => {
    it('is recorded by the next one, also when the proof of identity of the request is too old by then', async () => {
      const workspace = await WorkedExample.create(service);
      const jobId = await start(await workspace.as(workspace.mia));
      const { handover } = await ended(workspace.api, jobId);
      await workspace.api.expect(200, 'PATCH', '/v1/workspaces', { stepUpMinutes: 5 });
      // As if the worker had died before its commit.
      await workspace.sql('delete from payroll_handovers where workspace_id = $1');
      await restart(workspace, 1);
      const again = await ended(workspace.api, jobId);
      expect(again.status).to.equal('completed');
      expect(again.handover.handoverId).to.not.equal(handover.handoverId);
      expect(await listed(workspace.api)).to.have.length(1);
    });

    it('is not recorded a second time by a worker that continues late', async () => {
      const workspace = await WorkedExample.create(service);
      const { workspaceId } = workspace;
      const jobId = await start(workspace.api);
      await ended(workspace.api, jobId);
      const [stored] = await workspace.sql('select caller from stored_jobs where workspace_id = $1');
      const { unitOfWork, dispatcher } = service.running.service;
      const late = new HandoverJobs(unitOfWork, handOverThrough(dispatcher));
      const subject = { layout: 'generic', scope: 'full' } as const;
      const caller = stored?.['caller'] as StoredCaller;
      const outcome = await late
        .perform(
          { jobId, workspaceId, period, subject, caller, position: null, attempts: 1 },
          (work) => unitOfWork.write({ workspaceId }, work),
          new AbortController().signal,
        )
        .catch((error: Error) => error.message);
      expect(outcome).to.equal('another worker has recorded this hand-over');
      expect(await listed(workspace.api)).to.have.length(1);
    });

    it('ends once the person has lost the right, and fails after the fifth worker that died', async () => {
      const workspace = await WorkedExample.create(service);
      const asMia = await workspace.as(workspace.mia);
      const jobId = await start(asMia);
      await ended(asMia, jobId);
      await restart(workspace, 5);
      expect(await ended(asMia, jobId)).to.include({ status: 'failed' });
      await workspace.api.saveReps({ email: 'mia@acme.test', name: 'Mia', role: 'rep' } as never);
      await restart(workspace);
      expect((await ended(workspace.api, jobId)).error).to.include('no longer allowed');
      expect(await listed(workspace.api)).to.have.length(1);
    });
  });
});
