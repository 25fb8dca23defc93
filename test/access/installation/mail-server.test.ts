import { expect } from 'chai';
import { StartLinks } from '#src/access/auth/start-links.js';
import { reencryptSecrets } from '#src/app/master-key-rotation.js';
import { createDatabase } from '#src/platform/database/pool.js';
import { Secrets } from '#src/platform/secrets/secrets.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { FakeSmtp } from '#test/support/fake-smtp.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { addPerson, dump, OtpRequests } from '../auth/otp-requests.js';

describe('the mail server of the installation', () => {
  const service = Service.duringSuite({ isAlone: true });
  const otp = new OtpRequests(service);
  let smtp: FakeSmtp;
  let workspaceKey: ApiClient;
  let admin: ApiClient;
  let stranger: ApiClient;
  let server: Record<string, unknown>;

  before(async () => {
    smtp = await FakeSmtp.start();
    const { workspaceId, api } = await service.workspace();
    workspaceKey = api;
    await addPerson(api, 'mia@acme.test', { role: 'admin' });
    await addPerson((await service.workspace()).api, 'eve@other.test', { role: 'admin' });
    admin = (await otp.signIn('mia@acme.test')).api;
    stranger = (await otp.signIn('eve@other.test')).api;
    await service.sql('insert into installation (operator_workspace_id) values ($1)', workspaceId);
    const { hostname, port } = new URL(smtp.url);
    server = { host: hostname, port: Number(port), security: 'none', username: null, from: 'Acme Pay <pay@acme.test>' };
  });

  beforeEach(() => service.sql('update installation set mail_settings = null, mail_password = null'));

  after(() => smtp.stop());

  const put = (client: ApiClient, body: unknown) =>
    client.send('PUT', '/v1/installation/mail-server', JSON.stringify(body), { 'Content-Type': 'application/json' });

  it('sends mails of every workspace from the next mail on, and none after it was removed', async () => {
    expect((await admin.expect(200, 'GET', '/v1/workspaces')).mail).to.equal('not_set_up');
    expect((await put(admin, server)).status).to.equal(200);
    expect((await admin.expect(200, 'GET', '/v1/workspaces')).mail).to.equal('working');
    expect((await otp.send('eve@other.test')).body.isMailSetUp).to.equal(true);
    const mail = await until(async () => smtp.mails.find(({ to }) => to.includes('eve@other.test')), {
      what: 'the code',
    });
    expect(mail.from).to.equal('pay@acme.test');
    const { mails, mailServer } = await admin.expect(200, 'GET', '/v1/installation');
    expect(mails.lastSentAt).to.not.equal(null);
    expect(mailServer).to.deep.equal({ source: 'app', settings: { ...server, hasPassword: false } });
    await admin.expect(200, 'DELETE', '/v1/installation/mail-server');
    expect((await otp.send('eve@other.test')).body.isMailSetUp).to.equal(false);
    expect((await admin.expect(200, 'GET', '/v1/installation')).mailServer).to.equal(null);
  });

  it('is changed only by a signed-in admin of the workspace that operates the installation', async () => {
    for (const client of [stranger, workspaceKey]) {
      await expectError('409 not_operator', put(client, server));
      await expectError('409 not_operator', client.send('DELETE', '/v1/installation/mail-server'));
      await expectError('409 not_operator', client.post('/v1/installation/mail-server/test'));
    }
    expect(await stranger.expect(200, 'GET', '/v1/installation')).to.deep.equal({
      isOperator: false,
      mailServer: null,
      mails: null,
      publicUrl: null,
      identityProviders: null,
    });
    expect(await service.sql('select mail_settings from installation')).to.deep.equal([{ mail_settings: null }]);
  });

  it('cannot be changed by another workspace in the database either', async () => {
    const { workspaceId } = await service.workspace();
    const { unitOfWork } = service.running.service;
    const changed = await unitOfWork.write({ workspaceId }, async ({ db }) => {
      const { sql } = await import('kysely');
      await sql`select claim_installation()`.execute(db);
      const mail = await sql<{ saved: boolean }>`select save_mail_server('{}', null) as saved`.execute(db);
      const { rows: counts } = await sql`select * from mails_of_installation()`.execute(db);
      return [mail.rows[0]?.saved, counts];
    });
    expect(changed).to.deep.equal([false, []]);
  });

  it('gets a test mail to the own address, and its rejection is explained', async () => {
    await expectError('409 mail_not_set_up', admin.post('/v1/installation/mail-server/test'));
    await put(admin, server);
    const sent = await admin.expect(200, 'POST', '/v1/installation/mail-server/test');
    expect(sent).to.deep.equal({ sentTo: 'mia@acme.test' });
    expect(smtp.mails.at(-1)?.data).to.contain('A test of your mail server');
    smtp.rejections = 1;
    const rejected = await expectError('409 mail_not_sent', admin.post('/v1/installation/mail-server/test'));
    expect(rejected.message).to.match(/451/);
    await put(admin, { ...server, port: 9 });
    const unreachable = await expectError('409 mail_not_sent', admin.post('/v1/installation/mail-server/test'));
    expect(unreachable.message).to.contain('cannot be reached');
  });

  it('keeps its password encrypted, never shows it, and never sends it to another server', async () => {
    const withLogin = { ...server, security: 'starttls', username: 'pay' };
    const saved = await put(admin, { ...withLogin, password: 'a secret of mail' });
    expect(saved.body.settings).to.deep.equal({ ...withLogin, hasPassword: true });
    expect(JSON.stringify(saved.body) + (await dump(service))).to.not.contain('a secret of mail');
    expect((await put(admin, { ...withLogin, from: 'other@acme.test' })).body.settings.hasPassword).to.equal(true);
    for (const change of [{ host: 'smtp.evil.test' }, { port: 26 }, { username: 'other' }])
      await expectError('400 VALIDATION_FAILED', put(admin, { ...withLogin, ...change }));
    for (const wrong of [
      { security: 'none' },
      { username: null, password: 'x' },
      { host: 'a b' },
      { from: 'no address' },
      { from: 'a@b.test\nBcc: c@d.test' },
      { port: 0 },
    ])
      expect((await put(admin, { ...withLogin, password: 'x', ...wrong })).status, JSON.stringify(wrong)).to.equal(400);
  });

  it('keeps its password when the master key is replaced', async () => {
    await put(admin, { ...server, security: 'tls', username: 'pay', password: 'kept' });
    const secrets = service.running.service.parts.resolve(Secrets);
    const owner = createDatabase({ url: service.database.ownerUrl, size: 1, onError: () => {}, asOwner: true });
    const previous = Buffer.alloc(32, 7);
    try {
      await reencryptSecrets(owner, new Secrets(Buffer.alloc(32, 8), [previous]));
      const [row] = await service.sql<{ mail_password: Buffer }>('select mail_password from installation');
      expect(
        new Secrets(Buffer.alloc(32, 8)).open('installation mail_password', row?.mail_password as Buffer),
      ).to.equal('kept');
      await reencryptSecrets(owner, new Secrets(previous, [Buffer.alloc(32, 8)]));
    } finally {
      await owner.destroy();
    }
    const [row] = await service.sql<{ mail_password: Buffer }>('select mail_password from installation');
    expect(secrets.open('installation mail_password', row?.mail_password as Buffer)).to.equal('kept');
  });
});

describe('a mail server of the environment', () => {
  const service = Service.duringSuite({ settings: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'pay@acme.test' } });

  it('has precedence, is shown as such and cannot be changed in the app', async () => {
    const { workspaceId, api } = await service.workspace();
    const { repId } = await addPerson(api, 'mia@acme.test', { role: 'admin' });
    await service.sql('insert into installation (operator_workspace_id) values ($1)', workspaceId);
    const token = service.running.service.parts.resolve(StartLinks).create({ kind: 'sign_in', workspaceId, repId });
    const { sessionToken } = await service.client(null).expect(200, 'POST', '/auth/start-link', { token });
    const admin = service.client(sessionToken);
    const settings = { host: 'smtp.acme.test', port: 25, security: 'none', username: null, from: 'pay@acme.test' };
    for (const [method, body] of [
      ['PUT', settings],
      ['DELETE', undefined],
    ] as const)
      expect(
        (
          await admin.send(method, '/v1/installation/mail-server', JSON.stringify(body), {
            'Content-Type': 'application/json',
          })
        ).body.code,
      ).to.equal('set_by_environment');
    const { mailServer } = await admin.expect(200, 'GET', '/v1/installation');
    expect(mailServer).to.deep.equal({ source: 'environment', settings: null });
  });
});
