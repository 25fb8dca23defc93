import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { download } from '#test/support/downloads.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';
import { finishedExport } from './finished-export.js';

const path = '/v1/statements/export.csv?period=2026-01';

describe('the CSV of the team as a job', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  before(async () => {
    workspace = await WorkedExample.create(service);
    await workspace.generateAndApprove('2026-01');
  });

  async function jobOf(api: ApiClient, query: string): Promise<string> {
    const requested = await api.get(`${path}${query}&async=true`);
    expect(requested.status).to.equal(202);
    expect(requested.body).to.include({ kind: 'team.csv', period: '2026-01' });
    return requested.body.jobId;
  }

  for (const query of [
    '',
    '&layout=gusto',
    '&layout=long&delimiter=;',
    '&columns=extended&include=all',
    '&layout=lines',
    '&scope=new',
  ])
    it(`has the bytes, the name and the totals of the file that is responded at once: ${query || 'by default'}`, async () => {
      const { api } = workspace;
      const job = await finishedExport(api, await jobOf(api, query));
      expect(job).to.include({ status: 'completed' });
      const [made, direct] = [await download(api, job.file.path), await download(api, `${path}${query}`)];
      expect(made.bytes.equals(direct.bytes)).to.equal(true);
      expect(made.bytes.length).to.equal(job.file.bytes);
      for (const header of ['content-type', 'content-disposition', 'x-row-count', 'x-net-total', 'x-content-sha256'])
        expect(made.headers.get(header), header).to.equal(direct.headers.get(header));
    });

  it('has only the people of a manager', async () => {
    const other = await WorkedExample.create(service);
    await other.addRep('Eve');
    await other.api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    const [manager, query] = [await other.as(other.mia), '&include=all'];
    const job = await finishedExport(manager, await jobOf(manager, query));
    const [made, direct] = [await download(manager, job.file.path), await download(manager, `${path}${query}`)];
    expect(made.bytes.equals(direct.bytes)).to.equal(true);
    const ofAdmin = (await download(other.api, `${path}${query}`)).bytes.toString();
    expect([ofAdmin.includes('Eve'), made.bytes.toString().includes('Eve')]).to.deep.equal([true, false]);
  });

  it('is one job when the same file is requested twice while it waits', async () => {
    const other = await WorkedExample.create(service);
    await other.sql(
      `insert into stored_jobs (workspace_id, job_id, kind, subject, period, status, caller, not_before, attempts, total,
         lifetime)
       select workspace_id, gen_random_uuid(), 'export', $2, '2026-01', 'waiting', '{"actor": "orchestrator"}',
         now() + interval '1 day', 1, 1, '1 hour'
       from workspaces where workspace_id = $1`,
      {
        ...{ kind: 'team.csv', repId: null, managerId: null, asOf: null },
        csv: { scope: 'full', layout: 'gusto', columns: 'default', delimiter: ',' },
      },
    );
    const same = [await jobOf(other.api, '&layout=gusto'), await jobOf(other.api, '&layout=gusto')];
    expect(same[0]).to.equal(same[1]);
    expect(await jobOf(other.api, '&layout=long')).to.not.equal(same[0]);
  });

  it('is rejected before there is a job where the file has fixed columns', async () => {
    await expectError('400 VALIDATION_FAILED', workspace.api.get(`${path}&layout=gusto&columns=extended&async=true`));
  });

  it('says why there is no file when a worker finds it', async () => {
    const job = await finishedExport(workspace.api, await jobOf(workspace.api, '&layout=adp'));
    expect(job).to.include({ status: 'failed' });
    expect(job.error).to.include('payroll.companyCode');
  });
});
