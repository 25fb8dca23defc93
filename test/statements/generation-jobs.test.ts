import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { WorkedExample } from '#test/support/worked-example.js';

const path = '/v1/statements/generate';
const period = '2026-01';

describe('a generation of many statements as a job', () => {
  const service = Service.duringSuite();

  /** The worked example with a second seller, whose statement is approved. */
  async function withTwoSellers() {
    const workspace = await WorkedExample.create(service);
    const { api, planId, ben } = workspace;
    const [ann, pat] = await api.saveReps('Ann', 'Pat');
    await api.expect(201, 'POST', '/v1/assignments', { planId, repIds: [ann] });
    await workspace.calculated();
    const { version } = await api.generate(ann, period);
    await api.expect(200, 'POST', `/v1/statements/${ann}/approve`, { period, version, status: 'approved' });
    return { workspace, api, ben, ann, pat };
  }

  async function start(client: ApiClient, body: object = {}) {
    const answer = await client.post(path, { period, async: true, ...body });
    expect(answer.status).to.equal(202);
    expect(answer.body).to.deep.include({ period, generated: 0, statements: [], skippedReps: [], errorReps: [] });
    expect(answer.body.job).to.include({ kind: 'generation', period, status: 'running' });
    return answer.body.job.jobId as string;
  }

  const ended = (client: ApiClient, jobId: string) =>
    until(async () => {
      const job = await client.expect(200, 'GET', `${path}/jobs/${jobId}`);
      return job.status !== 'running' && job;
    });
  const versionsOf = async (api: ApiClient, repId: string) =>
    (await api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${period}`)).version;

  it('generates what the request that waits generates, and says who was skipped or failed', async () => {
    const { api, ben, ann } = await withTwoSellers();
    const unknown = '018f0000-0000-7000-8000-000000000001';
    const repIds = [ben, ann, unknown];
    const waited = await api.expect(200, 'POST', path, { period, repIds });
    const job = await ended(api, await start(api, { repIds }));
    const { generated, skipped, errors, errorReps } = waited;
    expect(job).to.deep.include({ status: 'completed', generated, skipped, errors, errorReps });
    expect(job).to.deep.include({ generated: 1, skipped: 1, errors: 1, progress: { done: 3, total: 3 } });
    expect(await versionsOf(api, ben)).to.equal(2);
    expect((await api.expect(200, 'GET', `${path}/jobs?period=${period}`)).jobs).to.deep.equal([job]);
    expect((await api.expect(200, 'GET', `${path}/jobs?period=2026-02`)).jobs).to.deep.equal([]);
  });

  it('leaves out people without a plan, a quota or an amount where only the others are meant', async () => {
    const { api, pat } = await withTwoSellers();
    const everyone = await ended(api, await start(api));
    const listed = await ended(api, await start(api, { withTerms: true }));
    const { statements } = await api.expect(200, 'GET', `/v1/statements?period=${period}`);
    expect(listed.progress.total).to.equal(statements.length);
    expect(everyone.progress.total).to.be.greaterThan(listed.progress.total);
    expect(statements.map(({ repId }: { repId: string }) => repId)).not.to.include(pat);
  });

  it('generates only the statements of people who pass the filters of the request', async () => {
    const { api, ben, ann } = await withTwoSellers();
    const of = async (filter: string, body: object = {}) => {
      const { statements, skippedReps } = await api.expect(200, 'POST', `${path}?${filter}`, { period, ...body });
      return [...statements, ...skippedReps].map(({ repId }: { repId: string }) => repId);
    };
    expect(await of('words=ben', { withTerms: true })).to.deep.equal([ben]);
    expect(await of('words=nobody')).to.deep.equal([]);
    expect(await of('words=ben', { repIds: [ann] })).to.deep.equal([ann]);
  });

  it('is one press in the audit log, with a part for its statements', async () => {
    const { workspace, ben } = await withTwoSellers();
    const asMia = await workspace.as(workspace.mia);
    await ended(asMia, await start(asMia, { repIds: [ben] }));
    const entries = await until(async () => {
      const { entries: found } = await workspace.api.expect(200, 'GET', '/v1/audit?action=generateStatements');
      return found.length === 2 && found;
    });
    expect(new Set(entries.map(({ requestId }: { requestId: string }) => requestId))).to.have.length(1);
    for (const { actor } of entries) expect(actor).to.equal(`rep:${workspace.mia}`);
  });

  it('is visible to admins and to who started it', async () => {
    const { workspace, api, ben } = await withTwoSellers();
    const [max] = await api.saveReps({ name: 'Max', role: 'manager' });
    const [asMia, asMax] = [await workspace.as(workspace.mia), await workspace.as(max)];
    const jobId = await start(asMia, { repIds: [ben] });
    await ended(asMia, jobId);
    await api.expect(200, 'GET', `${path}/jobs/${jobId}`);
    await expectError('404 job_not_found', asMax.get(`${path}/jobs/${jobId}`));
    expect((await asMax.expect(200, 'GET', `${path}/jobs`)).jobs).to.deep.equal([]);
    await expectError('404 job_not_found', api.get(`${path}/jobs/nope`));
  });

  describe('that another worker continues', () => {
    const restart = (workspace: WorkedExample, attempts = 0) =>
      workspace.sql(
        `update stored_jobs set status = 'running', finished_at = null, attempts = $2 where workspace_id = $1`,
        attempts,
      );

    it('generates no statement a second time', async () => {
      const { workspace, api, ben, ann } = await withTwoSellers();
      const jobId = await start(api, { repIds: [ben, ann] });
      const job = await ended(api, jobId);
      await restart(workspace);
      expect(await ended(api, jobId)).to.deep.include({ generated: job.generated, skipped: 1, status: 'completed' });
      expect(await versionsOf(api, ben)).to.equal(1);
      // As if the worker had died before the part with Ann.
      await workspace.sql(
        'update job_items set outcome = null, code = null where workspace_id = $1 and rep_id = $2',
        ann,
      );
      await restart(workspace);
      expect(await ended(api, jobId)).to.include({ generated: 1, skipped: 1 });
      expect(await versionsOf(api, ben)).to.equal(1);
    });

    it('ends once the person has lost the right, and fails after the fifth worker that died', async () => {
      const { workspace, api, ben } = await withTwoSellers();
      const asMia = await workspace.as(workspace.mia);
      const jobId = await start(asMia, { repIds: [ben] });
      await ended(api, jobId);
      await restart(workspace, 5);
      expect(await ended(api, jobId)).to.include({ status: 'failed' });
      await api.saveReps({ email: 'mia@acme.test', name: 'Mia', role: 'rep' } as never);
      await restart(workspace);
      expect((await ended(api, jobId)).error).to.include('no longer allowed');
    });
  });
});
