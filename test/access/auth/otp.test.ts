import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { addPerson, dump, OtpRequests, otherThan, signInRuns } from './otp-requests.js';

describe('signing in by e-mail', () => {
  const service = Service.duringSuite({ isAlone: true });
  const otp = new OtpRequests(service);
  let workspaceId: string;
  let api: ApiClient;

  before(async () => {
    ({ workspaceId, api } = await service.workspace());
  });

  beforeEach(() => otp.clearLimits());

  it('signs in with the code that was sent, once', async () => {
    const ada = await addPerson(api, 'ada@acme.test', { role: 'manager' });
    const code = await otp.code('ada@acme.test');
    const answer = await otp.verify(' ADA@acme.test ', code);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(answer.body.sessionToken).to.match(/^sess_[0-9A-Za-z]{49}$/);
    expect(answer.body.rep).to.include({ id: ada.repId, email: 'ada@acme.test', role: 'manager', active: true });
    const days = (Date.parse(answer.body.expiresAt) - Date.now()) / 86_400_000;
    expect(days).to.be.within(29.9, 30.1);
    const session = service.client(answer.body.sessionToken);
    expect((await session.get('/auth/status')).body).to.deep.equal({
      valid: true,
      workspaceId,
      kind: 'sess',
      role: 'manager',
      repId: ada.repId,
    });
    await expectError('401 invalid_code', otp.verify('ada@acme.test', code));
  });

  it('returns the same response and does the same work for known and unknown addresses', async () => {
    await addPerson(api, 'known@acme.test');
    await addPerson(api, 'gone@acme.test', { active: false });
    const rows = () =>
      service.sql<{ codes: number; mails: number }>(
        `select (select count(*)::int from sign_in_codes) as codes,
        (select count(*)::int from mail_outbox where recipient = any('{gone@acme.test,nobody@acme.test}')) as mails`,
      );
    const [before] = await rows();
    const answers = [];
    for (const email of ['known@acme.test', 'gone@acme.test', 'nobody@acme.test']) answers.push(await otp.send(email));
    for (const answer of answers) {
      expect(answer.status).to.equal(200);
      expect(answer.body).to.have.all.keys('sent', 'nonce', 'isMailSetUp');
      expect(answer.body.isMailSetUp, 'no mail server').to.equal(false);
      expect(answer.body.nonce).to.have.length(80);
    }
    expect(await rows()).to.deep.equal([{ codes: (before?.codes ?? 0) + 3, mails: 0 }]);
  });

  it('rejects invalid addresses and unknown fields', async () => {
    const bad = [
      undefined,
      5,
      null,
      '',
      'a@',
      '@b.c',
      'a b@c.d',
      `${'x'.repeat(300)}@acme.test`,
      'a@b.test\r\nBcc: c@d.test',
      'a@b.test\r\n',
      ['a@b.test'],
    ];
    for (const email of bad) {
      await expectError('400 VALIDATION_FAILED', otp.send(email), String(email));
      expect((await otp.verify(email, '123456')).status, String(email)).to.equal(400);
    }
    expect((await otp.send('a@b.test', { role: 'admin' })).status).to.equal(400);
    expect((await otp.send('a@b.test', { workspaceId: 'x' })).status).to.equal(400);
    expect((await service.client(null).post('/auth/otp/send')).status).to.equal(400);
  });

  it('returns 400 for codes of another type and 401 for codes of another form', async () => {
    await addPerson(api, 'form@acme.test');
    const code = await otp.code('form@acme.test');
    for (const bad of [undefined, null, Number(code), [code], true])
      expect((await otp.verify('form@acme.test', bad)).status, String(bad)).to.equal(400);
    const fullWidth = [...code].map((digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).join('');
    for (const bad of [code.slice(1), fullWidth, `${code} `, ` ${code}`, `${code}\n`, '', 'abcdef', `${code}0`])
      await expectError('401 invalid_code', otp.verify('form@acme.test', bad), JSON.stringify(bad));
    expect((await otp.verify('form@acme.test', code)).status).to.equal(200);
  });

  it('rejects the right code after five wrong codes', async () => {
    await addPerson(api, 'five@acme.test');
    const code = await otp.code('five@acme.test');
    for (let guess = 0; guess < 5; guess += 1)
      await expectError('401 invalid_code', otp.verify('five@acme.test', otherThan(code)));
    expect((await otp.verify('five@acme.test', code)).status).to.equal(401);
    expect((await otp.verify('five@acme.test', await otp.code('five@acme.test'))).status).to.equal(200);
  });

  it('returns the same response for every cause', async () => {
    await addPerson(api, 'causes@acme.test');
    const old = await otp.code('causes@acme.test');
    const code = await otp.code('causes@acme.test');
    const answers = [
      await otp.verify('causes@acme.test', old),
      await otp.verify('causes@acme.test', '1'),
      await otp.verify('stranger@acme.test', code),
      await otp.verify('causes@acme.test', code, { workspaceId: '00000000-0000-4000-8000-000000000000' }),
      await otp.verify('causes@acme.test', otherThan(code)),
    ];
    for (const answer of answers) {
      expect(answer.status).to.equal(401);
      expect(answer.body).to.deep.equal(answers[0]?.body);
    }
  });

  it('rejects a code after ten minutes', async () => {
    await addPerson(api, 'late@acme.test');
    const first = await otp.code('late@acme.test');
    await otp.ageCodes('9 minutes 50 seconds');
    expect((await otp.verify('late@acme.test', first)).status).to.equal(200);
    const second = await otp.code('late@acme.test');
    await otp.ageCodes('10 minutes 1 second');
    expect((await otp.verify('late@acme.test', second)).status).to.equal(401);
  });

  it('sends at most five codes per hour and ten per day without changing the response', async () => {
    await addPerson(api, 'often@acme.test');
    const count = async () => (await service.mailsTo('often@acme.test')).length;
    for (let sent = 0; sent < 7; sent += 1) expect((await otp.send('often@acme.test')).body).to.include({ sent: true });
    expect(await count()).to.equal(5);
    expect((await otp.verify('often@acme.test', await service.lastCode('often@acme.test'))).status).to.equal(200);
    await otp.ageCodes('61 minutes');
    for (let sent = 0; sent < 7; sent += 1) await otp.send('often@acme.test');
    expect(await count()).to.equal(10);
    await otp.ageCodes('61 minutes');
    await otp.send('often@acme.test');
    expect(await count()).to.equal(10);
    await otp.ageCodes('24 hours');
    await otp.send('often@acme.test');
    expect(await count()).to.equal(11);
  });

  it('sends at most five codes for concurrent requests', async () => {
    await addPerson(api, 'rush@acme.test');
    await Promise.all(Array.from({ length: 25 }, () => otp.send('rush@acme.test')));
    expect(await service.mailsTo('rush@acme.test')).to.have.length(5);
    const valid = `select from sign_in_codes where ended_at is null and used_at is null
      and email_hash = (select email_hash from sign_in_codes order by created_at desc limit 1)`;
    expect(await service.sql(valid)).to.have.length(1);
  });

  it('accepts 30 code requests per hour from one address, then returns Retry-After', async () => {
    for (let sent = 0; sent < 30; sent += 1) expect((await otp.send(`n${sent}@acme.test`)).status).to.equal(200);
    const answer = await otp.send('n30@acme.test');
    await expectError('429 rate_limited', answer);
    expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 3600);
  });

  it('compares at most five of fifty concurrent guesses', async () => {
    await addPerson(api, 'storm@acme.test');
    const code = await otp.code('storm@acme.test');
    const wrong = Array.from({ length: 50 }, (_, index) =>
      String((Number(code) + 1 + index) % 1_000_000).padStart(6, '0'),
    );
    const statuses = await Promise.all(wrong.map(async (guess) => (await otp.verify('storm@acme.test', guess)).status));
    expect(new Set(statuses)).to.deep.equal(new Set([401]));
    const last = await service.sql('select attempts from sign_in_codes order by created_at desc limit 1');
    expect(last).to.deep.equal([{ attempts: 5 }]);
    expect((await otp.verify('storm@acme.test', code)).status).to.equal(401);
  });

  it('opens one session when the right code is sent many times concurrently', async () => {
    const twin = await addPerson(api, 'twin@acme.test');
    const code = await otp.code('twin@acme.test');
    const answers = await Promise.all(Array.from({ length: 20 }, () => otp.verify('twin@acme.test', code)));
    expect(answers.filter((answer) => answer.status === 200)).to.have.length(1);
    expect(await service.sql('select from tokens where rep_id = $1', twin.repId)).to.have.length(1);
  });

  it('rejects people who were deactivated after the code was sent', async () => {
    const leaver = await addPerson(api, 'leaver@acme.test');
    const code = await otp.code('leaver@acme.test');
    await api.expect(200, 'PATCH', `/v1/reps/${leaver.repId}`, { active: false });
    expect((await otp.verify('leaver@acme.test', code)).status).to.equal(401);
  });

  it('requires a workspace only after a right code, which remains valid', async () => {
    const other = await service.workspace({ name: 'Other' });
    await addPerson(api, 'both@acme.test');
    const there = await addPerson(other.api, 'both@acme.test', { role: 'admin' });
    const code = await otp.code('both@acme.test');
    expect(await service.mailsTo('both@acme.test')).to.have.length(1);
    const wrong = await otp.verify('both@acme.test', otherThan(code));
    expect(wrong.status).to.equal(401);
    expect(wrong.body).to.not.have.property('details');
    for (let sentCode = 0; sentCode < 6; sentCode += 1) {
      const choice = await otp.verify('both@acme.test', code);
      expect(choice.status).to.equal(400);
      expect(choice.body.details.workspaces).to.deep.equal([
        { workspaceId, name: 'Test' },
        { workspaceId: other.workspaceId, name: 'Other' },
      ]);
    }
    const chosen = await otp.verify('both@acme.test', code, { workspaceId: other.workspaceId });
    expect(chosen.status).to.equal(200);
    expect(chosen.body.rep).to.include({ id: there.repId, role: 'admin' });
    const sentCode = await otp.code('both@acme.test', { workspaceId });
    expect((await otp.verify('both@acme.test', sentCode, { workspaceId: other.workspaceId })).status).to.equal(401);
    const known = await otp.verify('both@acme.test', sentCode);
    expect(known.status).to.equal(200);
    expect((await service.client(known.body.sessionToken).get('/auth/status')).body.workspaceId).to.equal(workspaceId);
  });

  it('writes audit entries for successful and failed sign-ins', async () => {
    const quiet = await service.workspace();
    const eve = await addPerson(quiet.api, 'eve@acme.test');
    const code = await otp.code('eve@acme.test');
    await otp.verify('eve@acme.test', otherThan(code));
    await otp.verify('eve@acme.test', code);
    expect(await signInRuns(service, quiet.workspaceId)).to.deep.equal([
      { actor: 'anonymous', trigger: 'login', outcome: 'failed', rep_id: eve.repId },
      { actor: `rep:${eve.repId}`, trigger: 'login', outcome: 'written', rep_id: eve.repId },
    ]);
    const { body } = await quiet.api.get('/v1/workspaces/audit-logs');
    expect(body.runs.map((run: { trigger: string }) => run.trigger)).to.include('login');
  });

  it('accepts an invitation with the first sign-in', async () => {
    const guest = await addPerson(api, 'guest@acme.test', { active: false });
    await api.expect(200, 'POST', `/v1/reps/${guest.repId}/invite`);
    const { body } = await otp.signIn('guest@acme.test');
    expect(body.rep.invite_status).to.equal('accepted');
    expect((await api.get(`/v1/reps/${guest.repId}`)).body.invite_status).to.equal('accepted');
    await addPerson(api, 'uninvited@acme.test');
    expect((await otp.signIn('uninvited@acme.test')).body.rep.invite_status).to.equal(null);
  });

  it('stores no code and no token in plain text', async () => {
    await addPerson(api, 'dump@acme.test');
    const used = await otp.code('dump@acme.test');
    const { sessionToken } = (await otp.verify('dump@acme.test', used)).body;
    const open = await otp.code('dump@acme.test');
    const { token } = await api.expect(201, 'POST', '/v1/workspaces/connection-tokens', {});
    const rows = await dump(service);
    expect(rows).to.contain('dump@acme.test');
    for (const secret of [sessionToken, token]) {
      expect(rows).to.not.contain(secret);
      expect(rows).to.not.contain(Buffer.from(secret).toString('hex'));
    }
    for (const code of [used, open]) {
      expect(rows).to.not.match(new RegExp(`(?<![0-9a-f])${code}(?![0-9a-f])`));
      expect(rows).to.not.contain(Buffer.from(code).toString('hex'));
    }
    expect(rows).to.not.contain('Your code to sign in');
  });

  it('neither stores nor counts an Idempotency-Key of unauthenticated requests', async () => {
    const headers = { 'Idempotency-Key': 'same' };
    for (const email of ['idem1@acme.test', 'idem2@acme.test'])
      expect((await service.client(null).send('POST', '/auth/otp/send', { email }, headers)).status).to.equal(200);
    expect(await service.sql('select from idempotency_keys')).to.have.length(0);
  });
});
