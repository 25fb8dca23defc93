import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { JobQueue } from '#src/platform/jobs/job-queue.js';
import { runScheduledImportsJob } from '#src/scheduled-imports/scheduled-import-job.js';
import { ApiClient } from '#test/support/api-client.js';
import { FakeSmtp } from '#test/support/fake-smtp.js';
import { FileServer } from '#test/support/file-server.js';
import { Service } from '#test/support/service.js';
import { SftpServer } from '#test/support/sftp-server.js';
import { flatRule, won } from '#test/support/terms.js';
import { until } from '#test/support/until.js';

const header = 'Booking No,Value,Stage,Closed,Seller';
const columns = { 'Booking No': 'id', Value: 'amount', Closed: 'close_date', Seller: 'owner_id' };

describe('scheduled imports', () => {
  let smtp: FakeSmtp;
  let service: Service;
  let files: FileServer;
  let api: ApiClient;
  let workspaceId: string;
  let apiKey: string;
  let admin: string;

  before(async () => {
    smtp = await FakeSmtp.start();
    service = await Service.start({ settings: { SMTP_URL: smtp.url, MAIL_FROM: 'pay@acme.test' } });
  });
  after(async () => {
    await service.stop();
    await smtp.stop();
  });

  beforeEach(async () => {
    files = await FileServer.start();
    ({ api, apiKey, workspaceId } = await service.workspace());
    admin = `admin-${newId()}@acme.test`;
    const [ann] = await api.saveReps(
      { name: 'Ann', email: `ann-${workspaceId}@acme.test`, crmMemberId: 'ann' },
      { name: 'Root', email: admin, role: 'admin' },
    );
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [flatRule('New', 0.1)] } }, [ann]);
  });
  afterEach(() => files.stop());

  const create = (more: object = {}) =>
    api.expect(201, 'POST', '/v1/scheduled-imports', {
      name: 'Bookings',
      subject: 'deals',
      source: { kind: 'url', url: files.url },
      options: { columns },
      schedule: { every: 'day', at: '06:30' },
      ...more,
    });
  const read = async (id: string) => {
    const { scheduledImports } = await api.expect(200, 'GET', '/v1/scheduled-imports');
    return scheduledImports.find((listed: { id: string }) => listed.id === id);
  };
  const idle = (id: string) =>
    until(async () => ((found) => (found.isRunning ? undefined : found))(await read(id)), { what: 'an idle import' });
  const listFiles = async (id: string) => (await api.expect(200, 'GET', `/v1/scheduled-imports/${id}/files`)).files;
  const run = async (id: string) => {
    await api.expect(202, 'POST', `/v1/scheduled-imports/${id}/run`);
    return idle(id);
  };
  const runBySchedule = async (id: string) => {
    const { lastRunAt } = await read(id);
    await service.sql('update scheduled_imports set next_run_at = now() where scheduled_import_id = $1', id);
    await service.running.service.parts.resolve(JobQueue).add(runScheduledImportsJob, { workspaceId });
    await until(async () => (await read(id)).lastRunAt !== lastRunAt, { what: 'a run of the schedule' });
  };
  const confirm = async (id: string) => {
    const { waitingFileId: fileId } = await idle(id);
    await api.expect(202, 'POST', `/v1/scheduled-imports/${id}/confirm`, { fileId });
    return idle(id);
  };
  const amounts = async (): Promise<Record<string, number>> => {
    const { deals } = await api.expect(200, 'GET', '/v1/deals?after=');
    return Object.fromEntries(deals.map((deal: { deal_id: string; amount: number }) => [deal.deal_id, deal.amount]));
  };
  const subjects = async () => {
    const rows = await service.sql<{ subject: string }>(
      'select subject from mail_outbox where recipient = $1 order by created_at',
      admin,
    );
    return rows.map(({ subject }) => subject.replace(/^[^:]*: /, ''));
  };

  it('makes a dry run of the first file, and writes nothing before it is confirmed', async () => {
    files.content = `${header}\nB1,1000,Won,2026-01-15,ann\nB2,2000,Won,soon,ann\n`;
    const { id } = await create();
    await idle(id);
    const [file] = await listFiles(id);
    expect(file).to.deep.include({ name: 'bookings.csv', status: 'waiting', importId: null, error: null });
    expect(file.result).to.deep.include({ accepted: 1, rejected: 1, totals: [{ currency: 'USD', amount: 1000 }] });
    expect(file.result.reasons[0]).to.deep.include({ row: 2 });
    expect(file.sample).to.deep.equal({
      header: header.split(','),
      rows: [
        ['B1', '1000', 'Won', '2026-01-15', 'ann'],
        ['B2', '2000', 'Won', 'soon', 'ann'],
      ],
      count: 2,
    });
    expect(await run(id)).to.deep.include({ confirmedAt: null, waitingFileId: file.fileId });
    expect(await amounts()).to.deep.equal({});
    expect((await api.expect(200, 'GET', '/v1/imports')).count).to.equal(0);
    expect(await subjects()).to.deep.equal(['bookings.csv waits for your confirmation']);
  });

  it('imports the confirmed file and later ones through the history, each content once, and they can be taken back', async () => {
    files.content = `${header}\nB1,1000,Won,2026-01-15,ann\n`;
    const { id } = await create();
    await confirm(id);
    expect(await amounts()).to.deep.equal({ B1: 1000 });
    await run(id);
    files.content = `${header}\nB1,1500,Won,2026-01-15,ann\nB2,70,Won,2026-01-16,ann\n`;
    await run(id);
    await run(id);
    expect(await amounts()).to.deep.equal({ B1: 1500, B2: 70 });
    const { imports } = await api.expect(200, 'GET', '/v1/imports');
    const done = await listFiles(id);
    expect(imports.map(({ importId }: { importId: string }) => importId)).to.deep.equal(
      done.map(({ importId }: { importId: string }) => importId),
    );
    expect(imports[0]).to.deep.include({
      kind: 'deals',
      fileName: 'bookings.csv',
      actorName: 'Schedule “Bookings”',
      totals: [{ currency: 'USD', amount: 1570 }],
    });
    const back = await api.expect(200, 'POST', `/v1/imports/${imports[0].importId}/take-back`, {});
    expect(back).to.deep.include({ restored: 1, removed: 1 });
    expect(await amounts()).to.deep.equal({ B1: 1000 });
    // What was imported stays imported although it was taken back; content that returns later is imported again.
    await run(id);
    expect(await amounts()).to.deep.equal({ B1: 1000 });
    files.content = `${header}\nB1,1000,Won,2026-01-15,ann\n`;
    await run(id);
    expect(await listFiles(id)).to.have.length(2);
    expect((await api.expect(200, 'GET', '/v1/imports')).count).to.equal(3);
  });

  it('stores columns in the fields that the options name, in every run', async () => {
    const options = { columns: { ...columns, Area: 'region', Article: 'article' }, textColumns: 'article' };
    files.content = `${header},Area,Article\nB1,1000,Won,2026-01-15,ann,DACH,0012\n`;
    const { id } = await create({ options });
    expect((await confirm(id)).options).to.deep.equal(options);
    files.content = `${header},Area,Article\nB2,70,Won,2026-01-16,ann,UK,0013\n`;
    await run(id);
    const { deals } = await api.expect(200, 'GET', '/v1/deals?after=');
    const own = ({ fields: { region, article } }: { fields: Record<string, unknown> }) => [region, article];
    expect(deals.map(own)).to.deep.equal([
      ['DACH', '0012'],
      ['UK', '0013'],
    ]);
  });

  it('reports rejected rows to the admins, and waits again when a file lacks a column of the confirmed one', async () => {
    files.content = `${header}\nB1,1000,Won,2026-01-15,ann\n`;
    const { id } = await create();
    await confirm(id);
    files.content = `${header},Note\nB2,abc,Won,2026-01-15,ann,x\nB3,30,Won,2026-01-15,ann,x\n`;
    await run(id);
    expect(await amounts()).to.deep.equal({ B1: 1000, B3: 30 });
    expect((await subjects()).at(-1)).to.equal('1 row of bookings.csv were rejected');
    const mail = await until(() => smtp.mails.find(({ to, data }) => to.includes(admin) && data.includes('rejected')), {
      what: 'the mail about rejected rows',
    });
    expect(mail.data).to.match(/Row 1: .*abc.* is not a number/);
    files.content = 'Booking No,Value,Stage\nB1,1,Won\n';
    const { waitingFileId } = await run(id);
    const [waiting] = await listFiles(id);
    expect(waiting).to.deep.include({ fileId: waitingFileId, status: 'waiting' });
    expect(waiting.error).to.match(/lacks columns of the confirmed one: Closed, Seller/);
    expect(await amounts()).to.deep.equal({ B1: 1000, B3: 30 });
    // The source gets a good file again: nothing waits any more.
    files.content = `${header}\nB1,1100,Won,2026-01-15,ann\n`;
    expect(await run(id)).to.deep.include({ waitingFileId: null });
    expect(await amounts()).to.deep.equal({ B1: 1100, B3: 30 });
  });

  it('says why a file or its source cannot be read, once by mail, and continues when it can be read again', async () => {
    files.status = 500;
    const { id } = await create();
    expect((await idle(id)).error).to.match(/responded with status 500/);
    await run(id);
    expect(await subjects()).to.deep.equal(['The scheduled import “Bookings” does not work']);
    files.status = 200;
    files.content = 'Nothing,Known\n1,2\n';
    expect((await run(id)).error).to.equal(null);
    const [failed] = await listFiles(id);
    expect(failed).to.deep.include({ status: 'failed', result: null });
    expect(failed.error).to.match(/^None of the columns Nothing, Known is/);
    files.content = `${header}\nB1,1000,Won,2026-01-15,ann\n`;
    await run(id);
    await confirm(id);
    expect(await amounts()).to.deep.equal({ B1: 1000 });
  });

  it('reads a file that failed again when a run is requested, and reports the same reason once', async () => {
    const person = (name: string) => `${name}-${workspaceId}@acme.test,${name}\n`;
    const setSeats = (seats: number | null) =>
      service.sql('update workspaces set seats = $2 where workspace_id = $1', workspaceId, seats);
    files.content = `email,name\n${person('Cy')}`;
    const { id } = await create({ subject: 'people', options: {} });
    await confirm(id);
    await setSeats(3);
    files.content = `email,name\n${person('Cy')}${person('Dan')}`;
    for (let count = 0; count < 2; count += 1) await run(id);
    const [failed] = await listFiles(id);
    expect(failed).to.deep.include({ status: 'failed' });
    expect(failed.error).to.match(/allows 3 active reps/);
    expect((await subjects()).filter((subject) => subject === 'bookings.csv could not be imported')).to.have.length(1);
    await setSeats(null);
    await runBySchedule(id);
    expect((await listFiles(id))[0]).to.deep.include({ status: 'failed' });
    await run(id);
    expect((await listFiles(id))[0]).to.deep.include({ fileId: failed.fileId, status: 'imported', error: null });
    const { reps } = await api.expect(200, 'GET', '/v1/reps');
    expect(reps.map(({ name }: { name: string }) => name)).to.include('Dan');
  });

  it('does not read a failed file again once a later file of the folder was imported', async function () {
    const server = await SftpServer.start();
    if (server === null) return this.skip();
    const { port, user, folder, privateKey } = server;
    const source = { kind: 'sftp', host: '127.0.0.1', port, user, folder };
    await server.write('1.csv', 'Nothing,Known\n1,2\n');
    const { id } = await create({ source, credentials: { privateKey } });
    const failedAt = async () => {
      await idle(id);
      return (await listFiles(id)).find(({ name }: { name: string }) => name === '1.csv').at;
    };
    const first = await failedAt();
    await run(id);
    const second = await failedAt();
    expect(Date.parse(second)).to.be.greaterThan(Date.parse(first));
    await server.write('2.csv', `${header}\nB1,1,Won,2026-01-15,ann\n`);
    await run(id);
    await confirm(id);
    const last = await failedAt();
    await run(id);
    expect(await failedAt()).to.equal(last);
    expect((await subjects()).filter((subject) => subject === '1.csv could not be imported')).to.have.length(1);
    await server.stop();
  });

  it('reads changed options with a new dry run, and nothing while it is paused', async () => {
    files.content = `${header}\nB1,1000,Won,01/02/2026,ann\n`;
    const { id } = await create();
    await idle(id);
    expect((await listFiles(id))[0].result).to.deep.include({ accepted: 0, rejected: 1 });
    await api.expect(200, 'PATCH', `/v1/scheduled-imports/${id}`, { options: { columns, dateFormat: 'DMY' } });
    await idle(id);
    expect((await listFiles(id)).map(({ result }: { result: object }) => result)[0]).to.deep.include({ accepted: 1 });
    await confirm(id);
    const { deals } = await api.expect(200, 'GET', '/v1/deals?after=');
    expect(deals[0].closeDate).to.equal('2026-02-01');
    const paused = await api.expect(200, 'PATCH', `/v1/scheduled-imports/${id}`, { paused: true });
    expect(paused).to.deep.include({ paused: true, nextRunAt: null, isRunning: false });
    const rejectedRun = await api.post(`/v1/scheduled-imports/${id}/run`);
    expect([rejectedRun.status, rejectedRun.body.code]).to.deep.equal([409, 'scheduled_import_paused']);
    const resumed = await api.expect(200, 'PATCH', `/v1/scheduled-imports/${id}`, { paused: false });
    expect(Date.parse(resumed.nextRunAt)).to.be.greaterThan(Date.now());
    // The other options need a new confirmation.
    await api.expect(200, 'PATCH', `/v1/scheduled-imports/${id}`, { options: { columns } });
    expect(await idle(id)).to.deep.include({ confirmedAt: null });
  });

  it('keeps its credentials secret, and sends them to no other address', async () => {
    files.content = `${header}\nB1,1000,Won,2026-01-15,ann\n`;
    const created = await create({ credentials: { authorization: 'Bearer top-secret' } });
    await idle(created.id);
    expect(created.hasCredentials).to.equal(true);
    expect(files.requests.at(-1)?.headers.authorization).to.equal('Bearer top-secret');
    const [row] = await service.sql<{ text: string }>(
      'select row_to_json(s)::text as text from scheduled_imports s where workspace_id = $1',
      workspaceId,
    );
    const entries = JSON.stringify(await api.expect(200, 'GET', '/v1/audit?limit=50'));
    for (const text of [row?.text, JSON.stringify(await read(created.id)), entries])
      expect(text).not.to.contain('top-secret');
    const moved = await api.patch(`/v1/scheduled-imports/${created.id}`, {
      source: { kind: 'url', url: 'https://elsewhere.example.com/x.csv' },
    });
    expect([moved.status, moved.body.details?.issues?.[0]?.path]).to.deep.equal([400, 'credentials']);
  });

  it('imports people without giving them roles, and quotas', async () => {
    files.content = `email,name,Role,Payroll-ID\ncy-${workspaceId}@acme.test,Cy,admin,P1\n`;
    const people = await create({ subject: 'people', options: {} });
    await confirm(people.id);
    const { reps } = await api.expect(200, 'GET', '/v1/reps');
    const cy = reps.find(({ name }: { name: string }) => name === 'Cy');
    expect(cy.role).to.equal('rep');
    // A new column that the import reads waits; one that the options leave out does not.
    files.content = `email,name,Role,Payroll-ID,Job title\ncy-${workspaceId}@acme.test,Cy,admin,P1,AE\n`;
    await run(people.id);
    const [waiting] = await listFiles(people.id);
    expect(waiting).to.deep.include({ status: 'waiting' });
    expect(waiting.error).to.equal('The file has columns that the confirmed one lacks: Job title.');
    await confirm(people.id);
    const changed = (await api.expect(200, 'GET', '/v1/reps')).reps.find(({ id }: { id: string }) => id === cy.id);
    expect(changed).to.deep.include({ title: 'AE', role: 'rep', payrollId: null });
    files.content = `email,plan,period,target\nann-${workspaceId}@acme.test,AE,2026-Q1,5000\nnobody@acme.test,AE,2026-Q1,1\n`;
    const quotas = await create({ subject: 'quotas', options: {} });
    await confirm(quotas.id);
    const [file] = await listFiles(quotas.id);
    expect(file).to.deep.include({ status: 'imported' });
    expect(file.result, JSON.stringify(file.result)).to.deep.include({ rejected: 1 });
    const { imports } = await api.expect(200, 'GET', '/v1/imports');
    expect(imports.map(({ kind }: { kind: string }) => kind)).to.have.members(['people', 'people', 'quotas']);
  });

  it('imports the files of a folder in the order of their times, keeps the key of the server, and tests the connection', async function () {
    const server = await SftpServer.start();
    if (server === null) return this.skip();
    const { port, user, folder, privateKey } = server;
    await server.write('1.csv', `${header}\nB1,1,Won,2026-01-15,ann\n`);
    const source = { kind: 'sftp', host: '127.0.0.1', port, user, folder };
    const { id } = await create({ source, credentials: { privateKey } });
    await confirm(id);
    await server.write('2.csv', `${header}\nB1,2,Won,2026-01-15,ann\n`);
    await server.write('3.csv', `${header}\nB2,3,Won,2026-01-15,ann\n`);
    await run(id);
    expect(await amounts()).to.deep.equal({ B1: 2, B2: 3 });
    expect((await read(id)).source.hostKey).to.equal(server.hostKey);
    const test = await api.expect(200, 'POST', `/v1/scheduled-imports/${id}/test`);
    expect(test).to.deep.include({ count: 3, hostKey: server.hostKey });
    await server.stop();
    const failed = await api.post(`/v1/scheduled-imports/${id}/test`);
    expect([failed.status, failed.body.code]).to.deep.equal([502, 'source_unreachable']);
    expect(failed.body.message).to.match(/ECONNREFUSED/);
  });

  it('ends its requests when it is deleted, and lets no client wait that has left', async () => {
    const open = new Set<Socket>();
    const silent = createServer((socket) => {
      open.add(socket);
      socket.resume();
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { id } = await create({ source: { kind: 'url', url: `http://127.0.0.1:${port}/` } });
    await until(() => open.size === 1, { what: 'the request of the run' });
    const leaving = new AbortController();
    const client = new ApiClient(service.url, apiKey, leaving.signal);
    const left = client.post(`/v1/scheduled-imports/${id}/test`).catch(() => null);
    await until(() => open.size === 2, { what: 'the request of the test' });
    leaving.abort();
    await left;
    await until(() => open.size === 1, { what: 'the end of the request of the test' });
    await api.expect(200, 'DELETE', `/v1/scheduled-imports/${id}`);
    await until(() => open.size === 0, { what: 'the end of the request of the run' });
    silent.close();
  });

  it('is rejected with a source that it may not have, or without what the source needs', async () => {
    const rejected = async (more: object, pathOfIssue: string) => {
      const answer = await api.post('/v1/scheduled-imports', {
        name: 'X',
        subject: 'deals',
        source: { kind: 'url', url: 'https://example.com/x.csv' },
        schedule: { every: 'hour', at: '00:15' },
        ...more,
      });
      expect([answer.status, answer.body.details?.issues?.[0]?.path], JSON.stringify(answer.body)).to.deep.equal([
        400,
        pathOfIssue,
      ]);
    };
    await rejected({ source: { kind: 'url', url: 'http://example.com/x.csv' } }, 'source.url');
    await rejected({ source: { kind: 'url', url: 'https://10.0.0.1/x.csv' } }, 'source.url');
    const sftp = { kind: 'sftp', host: '192.168.0.1', user: 'u', folder: '/' };
    await rejected({ source: sftp, credentials: { password: 'p' } }, 'source.host');
    await rejected({ source: { ...sftp, host: 'sftp.example.com' } }, 'credentials');
    await rejected(
      { source: { kind: 's3', region: 'eu-1', bucket: 'b' }, credentials: { accessKeyId: 'a' } },
      'credentials',
    );
    await rejected({ credentials: { password: 'p' } }, 'credentials.password');
    await rejected({ schedule: { every: 'day', at: '24:00' } }, 'schedule.at');
    expect((await api.expect(200, 'GET', '/v1/scheduled-imports')).scheduledImports).to.deep.equal([]);
  });
});
