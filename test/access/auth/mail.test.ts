import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { Outbox } from '#src/platform/mail/outbox.js';
import { type ApiClient } from '#test/support/api-client.js';
import { FakeSmtp } from '#test/support/fake-smtp.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { sendMailHandler } from '#workers/send-mail.js';
import { addPerson, OtpRequests } from './otp-requests.js';

function memoryLog(): { log: ReturnType<typeof pino>; text: () => string } {
  const lines: string[] = [];
  return { log: pino({}, { write: (line: string) => lines.push(line) }), text: () => lines.join('') };
}

describe('mail over SMTP', () => {
  let smtp: FakeSmtp;
  let service: Service;
  let otp: OtpRequests;
  let api: ApiClient;

  before(async () => {
    smtp = await FakeSmtp.start();
    service = await Service.start({ settings: { SMTP_URL: smtp.url, MAIL_FROM: 'Acme Pay <pay@acme.test>' } });
    otp = new OtpRequests(service);
    ({ api } = await service.workspace());
  });

  after(async () => {
    await service.stop();
    await smtp.stop();
  });

  const received = (to: string) =>
    until(() => smtp.mails.find((mail) => mail.to.includes(to)), { what: `a mail to ${to}` });

  it('contains the code in the body but not in the subject, and deletes it after sending', async () => {
    await addPerson(api, 'smtp@acme.test');
    await otp.send('smtp@acme.test');
    const mail = await received('smtp@acme.test');
    const code = /^[0-9]{6}$/m.exec(mail.data)?.[0] as string;
    expect(code).to.match(/^[0-9]{6}$/);
    expect(mail.from).to.equal('pay@acme.test');
    expect(mail.to).to.deep.equal(['smtp@acme.test']);
    const headers = mail.data.split('\r\n\r\n')[0] as string;
    expect(headers).to.contain('From: Acme Pay <pay@acme.test>').and.to.contain('Subject: Your sign-in code');
    expect(headers).to.not.contain(code);
    expect(mail.data).to.contain('multipart/alternative');
    expect(
      await until(async () => (await outboxRow('smtp@acme.test')).sent_at ?? undefined, {
        what: 'the time of sending',
      }),
    ).to.be.instanceOf(Date);
    expect((await outboxRow('smtp@acme.test')).body).to.equal(null);
    expect((await otp.verify('smtp@acme.test', code)).status).to.equal(200);
  });

  it('sends nothing to unknown addresses and stores nothing about the request', async () => {
    await otp.send('stranger@acme.test');
    await until(async () => (await service.sql('select from mail_outbox where recipient is null')).length === 0, {
      what: 'the deletion of the mail without a recipient',
    });
    expect(smtp.mails.filter((mail) => mail.to.includes('stranger@acme.test'))).to.deep.equal([]);
  });

  it('retries a rejected mail and sends it once', async () => {
    await addPerson(api, 'again@acme.test');
    smtp.rejections = 1;
    await otp.send('again@acme.test');
    const failed = await until(
      async () => {
        const row = await outboxRow('again@acme.test');
        return row.last_error === null ? undefined : row;
      },
      { what: 'a failure' },
    );
    expect(failed.last_error).to.match(/^[A-Z]+ 451$/);
    await service.sql(`update mail_outbox set not_before = now() - interval '10 seconds' where sent_at is null`);
    await received('again@acme.test');
    expect(smtp.mails.filter((mail) => mail.to.includes('again@acme.test'))).to.have.length(1);
  });

  it('shows whether invitations were sent and whether mails leave', async () => {
    const invited = await service.workspace();
    const { repId } = await addPerson(invited.api, 'guest@acme.test');
    const states = async () => {
      const [{ mail }, { inviteMail }] = await Promise.all([
        invited.api.expect(200, 'GET', '/v1/workspaces'),
        invited.api.expect(200, 'GET', `/v1/reps/${repId}`),
      ]);
      return [mail, inviteMail];
    };
    const become = (mail: string, inviteMail: string) =>
      until(async () => (await states()).join() === [mail, inviteMail].join() || undefined, { what: inviteMail });
    expect(await states()).to.deep.equal(['working', null]);
    smtp.rejections = 1;
    await invited.api.expect(200, 'POST', `/v1/reps/${repId}/invite`);
    await become('failing', 'not_sent');
    await service.sql(`update mail_outbox set not_before = now() - interval '10 seconds' where sent_at is null`);
    await become('working', 'sent');
    await service.sql(`update mail_outbox set created_at = now() - interval '8 days', sent_at = null`);
    await service.sql('select delete_old_sign_ins()');
    expect(await states(), 'an invitation that was never sent').to.deep.equal(['failing', 'not_sent']);
    await service.sql(`update reps set invite_status = 'accepted' where rep_id = $1`, repId);
    expect((await states())[1]).to.equal(null);
  });

  it('sends mail whose job was lost', async () => {
    await addPerson(api, 'lost@acme.test');
    const { unitOfWork } = service.running.service;
    const outbox = service.running.service.parts.resolve(Outbox);
    const { workspaceId } = await service.workspace();
    await unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (tx) =>
      outbox.post(tx, { to: 'lost@acme.test', subject: 'Lost', text: 'x', html: 'x' }),
    );
    expect((await received('lost@acme.test')).data).to.contain('Subject: Lost');
  });

  it('sends a mail once when its job runs many times concurrently', async () => {
    const { unitOfWork } = service.running.service;
    const outbox = service.running.service.parts.resolve(Outbox);
    const { workspaceId } = await service.workspace();
    let sent = 0;
    const transport = {
      send: async () => {
        sent += 1;
      },
      verify: async () => {},
      close: () => {},
    };
    const handler = sendMailHandler(outbox, { transport: async () => transport }, memoryLog().log, true);
    const mailId = await unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (tx) =>
      outbox.post(tx, { to: 'once@acme.test', subject: 'Once', text: 'x', html: 'x' }),
    );
    await Promise.all(Array.from({ length: 10 }, () => handler.run({ mailId }, 0)));
    await handler.run({ mailId }, 0);
    expect(sent).to.equal(1);
  });

  it('never contains a line break in a header', async () => {
    const { unitOfWork } = service.running.service;
    const outbox = service.running.service.parts.resolve(Outbox);
    const { workspaceId } = await service.workspace();
    for (const mail of [
      { to: 'a@b.test\r\nBcc: c@d.test', subject: 'x' },
      { to: 'a@b.test', subject: 'x\nBcc: c@d.test' },
      { to: 'a@b.test', subject: 'x\r' },
    ]) {
      const posted = unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (tx) =>
        outbox.post(tx, { ...mail, text: '', html: '' }),
      );
      expect(await posted.catch((error: Error) => error.message)).to.match(/header/);
    }
  });

  it('is not sent when its code has expired', async () => {
    const outbox = service.running.service.parts.resolve(Outbox);
    const mailId = randomUUID();
    await service.sql(
      `insert into mail_outbox (mail_id, recipient, subject, body, expires_at)
      values ($1, 'late@acme.test', 'x', '', now() - interval '1 second')`,
      mailId,
    );
    expect(await outbox.take(mailId)).to.equal(null);
  });

  async function outboxRow(to: string) {
    const rows = await service.sql<{ sent_at: Date | null; body: Buffer | null; last_error: string | null }>(
      'select sent_at, body, last_error from mail_outbox where recipient = $1',
      to,
    );
    return rows[0] as (typeof rows)[number];
  }
});

describe('mail without a server', () => {
  const service = Service.duringSuite({ isAlone: true });
  const otp = new OtpRequests(service);

  before(async () => {
    const { api } = await service.workspace();
    await addPerson(api, 'trial@acme.test');
  });

  async function handled(production: boolean): Promise<{ code: string; logged: string }> {
    const outbox = service.running.service.parts.resolve(Outbox);
    const code = await otp.code('trial@acme.test');
    const [mail] = await service.sql<{ mail_id: string }>('select mail_id from mail_outbox order by created_at desc');
    const { log, text } = memoryLog();
    const mailId = mail?.mail_id as string;
    await until(
      async () => {
        await service.sql('update mail_outbox set not_before = now() where mail_id = $1', mailId);
        await sendMailHandler(outbox, { transport: async () => null }, log, production).run({ mailId }, 0);
        return text() === '' ? undefined : true;
      },
      { what: 'the mail' },
    );
    return { code, logged: text() };
  }

  it('is said to the person who asks for a code, to admins and beside the invitation', async () => {
    const { api } = await service.workspace();
    const { repId } = await addPerson(api, 'nobody@acme.test');
    expect((await otp.send('nobody@acme.test')).body.isMailSetUp).to.equal(false);
    await api.expect(200, 'POST', `/v1/reps/${repId}/invite`);
    await until(
      async () => (await api.expect(200, 'GET', `/v1/reps/${repId}`)).inviteMail === 'not_sent' || undefined,
      {
        what: 'the state of the invitation',
      },
    );
    expect((await api.expect(200, 'GET', '/v1/workspaces')).mail).to.equal('not_set_up');
  });

  it('is logged with its code and stored', async () => {
    const { code, logged } = await handled(false);
    expect(logged)
      .to.contain('mail not sent: no mail server is set up')
      .and.to.contain(code)
      .and.to.not.contain('trial@acme.test');
    expect((await otp.verify('trial@acme.test', code)).status).to.equal(200);
  });

  it('is logged without its text in production', async () => {
    const { code, logged } = await handled(true);
    expect(logged)
      .to.contain('mail not sent: no mail server is set up')
      .and.to.not.contain(code)
      .and.to.not.contain('trial@acme.test');
  });

  it('is shown by the command line, without its text in production', async () => {
    const code = await otp.code('trial@acme.test');
    const cli = fileURLToPath(new URL('../../../../bin/commissions.js', import.meta.url));
    const environment = {
      PATH: process.env['PATH'],
      ...service.database.environment,
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    const run = (more: Record<string, string>, ...args: string[]) =>
      promisify(execFile)(process.execPath, [cli, 'mail', ...args], { env: { ...environment, ...more } });
    const [plain, json, production] = await Promise.all([run({}), run({}, '--json'), run({ NODE_ENV: 'production' })]);
    expect(plain.stdout).to.contain('trial@acme.test').and.to.contain(code);
    const mails = JSON.parse(json.stdout);
    expect(mails[0]).to.include({ to: 'trial@acme.test', subject: 'Your sign-in code', sentAt: null });
    expect(production.stdout).to.contain('trial@acme.test').and.to.not.contain(code);
    expect(production.stderr).to.contain('not shown');
  });
});
