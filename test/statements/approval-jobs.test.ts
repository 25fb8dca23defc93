import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { WorkedExample } from '#test/support/worked-example.js';

const jobs = '/v1/statements/approve/jobs';
const period = '2026-01';

describe('an approval of many statements as a job', () => {
  const service = Service.duringSuite();

  /** The worked example with a second seller; both have a draft of January. */
  async function withTwoSellers() {
    const workspace = await WorkedExample.create(service);
    const { api, planId, ben } = workspace;
    const [ann] = await api.saveReps('Ann');
    await api.expect(201, 'POST', '/v1/assignments', { planId, repIds: [ann] });
    await workspace.calculated();
    for (const repId of [ben, ann]) await api.generate(repId, period);
    return { workspace, api, ben, ann };
  }

  async function start(client: ApiClient, statements: readonly object[]) {
    const answer = await client.post('/v1/statements/approve', { period, statements, async: true });
    expect(answer.status).to.equal(202);
    expect(answer.body).to.deep.include({ period, approved: [], refused: [] });
    expect(answer.body.job).to.include({ kind: 'approval', period, status: 'running' });
    return answer.body.job.jobId as string;
  }

  const ended = (client: ApiClient, jobId: string) =>
    until(async () => {
      const job = await client.expect(200, 'GET', `${jobs}/${jobId}`);
      return job.status !== 'running' && job;
    });
  const statusOf = async (api: ApiClient, repId: string) =>
    (await api.expect(200, 'GET', `/v1/statements/${repId}/status?period=${period}`)).status;

  it('approves the versions that were confirmed, and says why the others are not approved', async () => {
    const { api, ben, ann } = await withTwoSellers();
    await api.generate(ann, period);
    const statements = [
      { repId: ben, version: 1 },
      { repId: ann, version: 1 },
      { repId: 'unknown', version: 1 },
    ];
    const job = await ended(api, await start(api, statements));
    expect(job).to.deep.include({ status: 'completed', approved: 1, progress: { done: 3, total: 3 } });
    expect(job.finishedAt).to.be.a('string');
    expect(job.rejected.map(({ repId, code }: { repId: string; code: string }) => [repId, code])).to.deep.equal([
      [ann, 'statement_changed'],
      ['unknown', 'rep_not_found'],
    ]);
    expect(await statusOf(api, ben)).to.equal('approved');
    expect(await statusOf(api, ann)).to.equal('draft');
    const { jobs: listed } = await api.expect(200, 'GET', `${jobs}?period=${period}`);
    expect(listed).to.deep.equal([job]);
    expect((await api.expect(200, 'GET', `${jobs}?period=2026-02`)).jobs).to.deep.equal([]);
  });

  it('rejects open questions, and the own statement of the person', async () => {
    const { workspace, api, ben, ann } = await withTwoSellers();
    await api.saveReps({ email: 'ann@x.io', name: 'Ann', role: 'manager' } as never);
    const asBen = await workspace.as(ben);
    await asBen.expect(201, 'POST', '/v1/disputes', { period, type: 'other', description: 'Please look again' });
    const asAnn = await workspace.as(ann);
    const job = await ended(
      asAnn,
      await start(asAnn, [
        { repId: ben, version: 1 },
        { repId: ann, version: 1 },
      ]),
    );
    expect(job.rejected.map(({ code }: { code: string }) => code)).to.deep.equal(['open_dispute', 'forbidden']);
    expect(job).to.include({ status: 'completed', approved: 0 });
  });

  it('is one press in the audit log, with a part for each statement', async () => {
    const { workspace, api, ben, ann } = await withTwoSellers();
    const asMia = await workspace.as(workspace.mia);
    await ended(
      asMia,
      await start(asMia, [
        { repId: ben, version: 1 },
        { repId: ann, version: 1 },
      ]),
    );
    const entries = await until(async () => {
      const { entries: found } = await api.expect(200, 'GET', '/v1/audit?action=approveStatements');
      return found.length === 3 && found;
    });
    expect(new Set(entries.map(({ requestId }: { requestId: string }) => requestId))).to.have.length(1);
    for (const { actor } of entries) expect(actor).to.equal(`rep:${workspace.mia}`);
    const changed = entries.flatMap(({ changes }: { changes: { table: string }[] }) =>
      changes.map(({ table }) => table),
    );
    expect(changed.filter((table: string) => table === 'statement_periods')).to.have.length(2);
    expect(changed.filter((table: string) => table === 'stored_jobs')).to.have.length(1);
    const { approvedBy } = await api.expect(200, 'GET', `/v1/statements?repId=${ben}&period=${period}`);
    expect(approvedBy).to.deep.equal({ repId: workspace.mia, name: 'Mia' });
  });

  it('is visible to admins and to who started it', async () => {
    const { workspace, api, ben } = await withTwoSellers();
    const [max] = await api.saveReps({ name: 'Max', role: 'manager' });
    const [asMia, asMax] = [await workspace.as(workspace.mia), await workspace.as(max)];
    const jobId = await start(asMia, [{ repId: ben, version: 1 }]);
    await ended(asMia, jobId);
    expect((await api.expect(200, 'GET', `${jobs}/${jobId}`)).approved).to.equal(1);
    await expectError('404 job_not_found', asMax.get(`${jobs}/${jobId}`));
    expect((await asMax.expect(200, 'GET', jobs)).jobs).to.deep.equal([]);
    expect((await asMia.expect(200, 'GET', jobs)).jobs).to.have.length(1);
    await expectError('404 job_not_found', api.get(`${jobs}/nope`));
  });

  describe('that another worker continues', () => {
    /** Takes the outcomes back, as if no worker had begun. */
    const restart = async (workspace: WorkedExample, attempts = 0) => {
      await workspace.sql(`update job_items set outcome = null, code = null, message = null where workspace_id = $1`);
      await workspace.sql(
        `update stored_jobs set status = 'running', finished_at = null, attempts = $2 where workspace_id = $1`,
        attempts,
      );
    };

    it('leaves what is approved, and approves nothing once the person has lost the right', async () => {
      const { workspace, api, ben, ann } = await withTwoSellers();
      const asMia = await workspace.as(workspace.mia);
      const jobId = await start(asMia, [
        { repId: ben, version: 1 },
        { repId: ann, version: 2 },
      ]);
      expect(await ended(api, jobId)).to.include({ approved: 1 });
      await restart(workspace, 2);
      expect(await ended(api, jobId)).to.include({ status: 'completed', approved: 1 });
      await api.generate(ann, period);
      await api.saveReps({ email: 'mia@acme.test', name: 'Mia', role: 'rep' } as never);
      await restart(workspace);
      const job = await ended(api, jobId);
      expect(job).to.include({ status: 'failed', approved: 0 });
      expect(job.rejected.map(({ code }: { code: string }) => code)).to.deep.equal(['forbidden', 'forbidden']);
      expect(await statusOf(api, ann)).to.equal('draft');
    });

    it('rejects people who have left the team of the manager', async () => {
      const { workspace, api, ben, ann } = await withTwoSellers();
      await api.saveReps({ email: 'ben@acme.test', name: 'Ben', managerEmail: 'mia@acme.test' } as never);
      await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
      const jobId = await start(api, [
        { repId: ben, version: 1 },
        { repId: ann, version: 1 },
      ]);
      await ended(api, jobId);
      for (const repId of [ben, ann])
        await api.expect(200, 'POST', `/v1/statements/${repId}/approve`, { period, status: 'draft' });
      await workspace.sql(
        `update stored_jobs set caller = caller || jsonb_build_object('accessLevel', 'manager', 'repId', $2::text)
         where workspace_id = $1`,
        workspace.mia,
      );
      await restart(workspace);
      const { approved, rejected } = await ended(api, jobId);
      expect(approved).to.equal(1);
      expect(rejected).to.have.length(1);
      expect(rejected[0]).to.include({ repId: ann, code: 'forbidden' });
      const seen = await (await workspace.as(workspace.mia)).expect(200, 'GET', `${jobs}/${jobId}`);
      expect(seen.rejected, 'of a person outside the team').to.deep.equal([]);
    });

    it('fails after the fifth worker that died, and lists what was not decided', async () => {
      const { workspace, api, ben } = await withTwoSellers();
      const jobId = await start(api, [{ repId: ben, version: 7 }]);
      await ended(api, jobId);
      await restart(workspace, 5);
      const job = await ended(api, jobId);
      expect(job).to.include({ status: 'failed', approved: 0 });
      expect(job.rejected[0]).to.include({ repId: ben, code: 'internal_error' });
    });
  });

  it('keeps ended jobs for seven days', async () => {
    const { workspace, api, ben } = await withTwoSellers();
    const jobId = await start(api, [{ repId: ben, version: 1 }]);
    await ended(api, jobId);
    await workspace.sql(`update stored_jobs set finished_at = now() - interval '8 days' where workspace_id = $1`);
    await expectError('404 job_not_found', api.get(`${jobs}/${jobId}`));
    await service.sql('select delete_old_stored_jobs()');
    expect(await workspace.sql('select from stored_jobs where workspace_id = $1')).to.have.length(0);
  });
});
