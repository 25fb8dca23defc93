import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { download, unzipped } from '#test/support/downloads.js';
import { expectError } from '#test/support/errors.js';
import { requireBrowser } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';
import { exportJobs, finishedExport } from './finished-export.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

const farAway = "now() + interval '1 day'";

describe('file exports', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;
  before(async function () {
    await requireBrowser(this);
    workspace = await WorkedExample.create(service);
  });

  /** Inserts an export in the state that another process left. */
  async function leave(
    of: WorkedExample,
    { status = 'waiting', until = farAway, kind = 'team.pdf', period = '2026-01', repId = null as string | null },
  ): Promise<string> {
    const id = newId();
    await of.sql(
      `insert into stored_jobs (workspace_id, job_id, kind, subject, period, status, caller, not_before, attempts, total,
         lifetime)
       values ($1, $2, 'export', $3, $4, $5, '{"actor": "orchestrator"}', ${until}, 1, 1, '1 hour')`,
      id,
      { kind, repId, managerId: null, asOf: null },
      period,
      status,
    );
    return id;
  }

  it('returns a job in the shape of a recalculation job if async is true', async () => {
    const requested = await workspace.api.get('/v1/statements/export.pdf?period=2026-01&async=true');
    expect(requested.status).to.equal(202);
    expect(requested.body).to.include({ kind: 'team.pdf', status: 'running', period: '2026-01' });
    const job = await finishedExport(workspace.api, requested.body.jobId);
    expect(job).to.deep.include({ status: 'completed', progress: { done: 1, total: 1 } });
    expect(job.file).to.include({ filename: 'statements-2026-01.pdf', contentType: 'application/pdf' });
    const lifetimeMs = Date.parse(job.file.expiresAt) - Date.parse(job.finishedAt);
    expect(lifetimeMs).to.equal(3_600_000);
    const { bytes, headers } = await download(workspace.api, job.file.path);
    expect(bytes.length).to.equal(job.file.bytes);
    expect(headers.get('content-length')).to.equal(String(job.file.bytes));
    expect(bytes.subarray(0, 5).toString()).to.equal('%PDF-');
    const { jobs: listed } = await workspace.api.expect(200, 'GET', exportJobs);
    expect(listed.map((one: Loose) => one.jobId)).to.include(requested.body.jobId);
  });

  it('returns the file directly for a few reps', async () => {
    const { headers, bytes } = await download(workspace.api, '/v1/statements/export.zip?period=2026-01');
    expect(headers.get('content-type')).to.equal('application/zip');
    expect([...unzipped(bytes).keys()].join()).to.match(/^statement-2026-01-Ben-[0-9a-f]{8}-draft\.pdf$/);
  });

  it('checks access again when a file is downloaded', async () => {
    const own = await WorkedExample.create(service);
    const asMia = await own.as(own.mia);
    const asBen = await own.as(own.ben);
    const { jobId: ofTeam } = (await asMia.get('/v1/statements/export.pdf?period=2026-01&async=true')).body;
    const path = `/v1/statements/${own.ben}/export?period=2026-01&format=xlsx&async=true`;
    const { jobId: ofBen } = (await asMia.get(path)).body;
    await finishedExport(asMia, ofTeam);
    await finishedExport(asMia, ofBen);
    for (const suffix of ['', '/file']) {
      await expectError('404 job_not_found', asBen.get(`${exportJobs}/${ofTeam}${suffix}`));
      expect((await asBen.get(`${exportJobs}/${ofBen}${suffix}`)).status).to.equal(200);
    }
    const { jobs: listed } = await asBen.expect(200, 'GET', exportJobs);
    expect(listed.map((one: Loose) => one.jobId)).to.deep.equal([ofBen]);
    await own.sql(`update reps set role = 'rep' where workspace_id = $1 and rep_id = $2`, own.mia);
    expect((await asMia.get(`${exportJobs}/${ofTeam}/file`)).status).to.equal(404);
    expect((await asMia.get(`${exportJobs}/${ofBen}/file`)).status).to.equal(404);
    expect((await own.api.get(`${exportJobs}/nope`)).status).to.equal(404);
  });

  it('deletes a finished export after one hour', async () => {
    const { body } = await workspace.api.get('/v1/statements/export.xlsx?period=2026-01&async=true');
    await finishedExport(workspace.api, body.jobId);
    const age = (span: string) =>
      service.sql(`update stored_jobs set finished_at = now() - $2::interval where job_id = $1`, body.jobId, span);
    await age('59 minutes');
    expect((await workspace.api.get(`${exportJobs}/${body.jobId}/file`)).status).to.equal(200);
    await age('61 minutes');
    expect((await workspace.api.get(`${exportJobs}/${body.jobId}`)).status).to.equal(404);
    expect((await workspace.api.get(`${exportJobs}/${body.jobId}/file`)).status).to.equal(404);
    await service.sql('select delete_old_stored_jobs()');
    expect(await service.sql('select 1 from export_parts where job_id = $1', body.jobId)).to.deep.equal([]);
  });

  it('returns export_not_ready before the file is finished', async () => {
    const own = await WorkedExample.create(service, { deals: false });
    const jobId = await leave(own, { status: 'running' });
    expect(await own.api.expect(200, 'GET', `${exportJobs}/${jobId}`)).to.include({ status: 'running' });
    await expectError('409 export_not_ready', own.api.get(`${exportJobs}/${jobId}/file`));
  });

  it('shares one waiting export between equal requests and rejects more than twenty waiting exports', async () => {
    const own = await WorkedExample.create(service, { deals: false });
    const waiting = await leave(own, { period: '2026-01' });
    const same = await own.api.get('/v1/statements/export.pdf?period=2026-01&async=true');
    expect([same.status, same.body.jobId]).to.deep.equal([202, waiting]);
    for (let month = 2; month <= 12; month += 1) await leave(own, { period: `2026-${String(month).padStart(2, '0')}` });
    for (let month = 1; month <= 8; month += 1) await leave(own, { period: `2025-0${month}` });
    await expectError('503 export_unavailable', own.api.get('/v1/statements/export.xlsx?period=2026-01'));
    expect((await own.api.get('/v1/statements/export.csv?period=2026-01')).status).to.equal(200);
    expect((await workspace.api.get('/v1/statements/export.xlsx?period=2026-01')).status).to.equal(200);
  });

  it('continues the export of a killed worker, archives from their stored parts', async () => {
    const own = await WorkedExample.create(service);
    await own.generate('2026-01');
    const abandoned = await leave(own, { status: 'running', until: "now() - interval '1 second'", kind: 'team.zip' });
    await own.sql(
      `insert into export_parts (workspace_id, job_id, part, name, rep_id, content)
       values ($1, $2, 0, 'stored-earlier.pdf', $3, 'x')`,
      abandoned,
      own.ben,
    );
    const single = await leave(own, { status: 'running', until: "now() - interval '1 second'", kind: 'team.xlsx' });
    await own.sql(
      `insert into export_parts (workspace_id, job_id, part, content) values ($1, $2, 0, 'half a file')`,
      single,
    );
    for (const jobId of [abandoned, single])
      expect(await finishedExport(own.api, jobId)).to.include({ status: 'completed' });
    const archive = await download(own.api, `${exportJobs}/${abandoned}/file`);
    expect([...unzipped(archive.bytes).keys()]).to.deep.equal(['stored-earlier.pdf']);
    const workbook = await download(own.api, `${exportJobs}/${single}/file`);
    expect(workbook.bytes.subarray(0, 2).toString()).to.equal('PK');
  });

  it('returns pdf_unavailable without a browser, also from the job, while other requests work', async () => {
    const service = await Service.start({ settings: { CHROMIUM_PATH: '/nonexistent' } });
    try {
      const { api } = await service.workspace();
      const pdf = '/v1/statements/export.pdf?period=2026-01';
      const rejected = await api.get(pdf);
      expect([rejected.status, rejected.headers.get('retry-after')]).to.deep.equal([503, '2']);
      expect(rejected.body).to.have.all.keys('statusCode', 'code', 'message', 'docs');
      expect(rejected.body).to.include({ statusCode: 503, code: 'pdf_unavailable' });
      expect(rejected.body.message).to.contain('Install chromium').and.not.to.contain('/nonexistent');
      const { jobId } = (await api.get(`${pdf}&async=true`)).body;
      const job = await finishedExport(api, jobId);
      expect(job.status).to.equal('failed');
      expect(job.error).to.contain('Install chromium');
      await expectError('503 pdf_unavailable', api.get(`${exportJobs}/${jobId}/file`));
      for (const format of ['xlsx', 'csv'])
        expect((await api.get(`/v1/statements/export.${format}?period=2026-01`)).status).to.equal(200);
    } finally {
      await service.stop();
    }
  });
});
