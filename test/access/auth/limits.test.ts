import { expect } from 'chai';
import { toNetwork } from '#src/platform/limits/attempt-limits.js';
import { newToken } from '#src/platform/secrets/token.js';
import { type ApiResponse } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { addPerson, OtpRequests, otherThan } from './otp-requests.js';

describe('limits on requests without a valid token', () => {
  const service = Service.duringSuite({ settings: { FAILED_SIGN_INS_PER_MINUTE: '60', TRUST_PROXY_HOPS: '1' } });
  const otp = new OtpRequests(service);

  const from = (address: string) => ({ 'X-Forwarded-For': address });

  /** The window may end during the test; then the limit starts again. */
  async function untilLimited(
    sendRequest: () => Promise<ApiResponse>,
  ): Promise<{ before: number; answer: ApiResponse }> {
    for (let before = 0; before <= 130; before += 1) {
      const answer = await sendRequest();
      if (answer.status === 429) return { before, answer };
      expect(answer.status).to.equal(401);
    }
    throw new Error('was never limited');
  }

  it('limits an address to sixty wrong tokens per minute and does not affect other addresses', async () => {
    const { api } = await service.workspace();
    const wrong = () => service.client(newToken('ws')).send('GET', '/v1/reps', undefined, from('192.0.2.1'));
    const { before, answer } = await untilLimited(wrong);
    expect(before).to.be.at.least(60);
    expect(answer.body).to.include({ statusCode: 429, code: 'rate_limited' });
    expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await api.send('GET', '/v1/reps', undefined, from('192.0.2.1'))).status).to.equal(200);
    const elsewhere = await service.client(newToken('ws')).send('GET', '/v1/reps', undefined, from('192.0.2.2'));
    expect(elsewhere.status).to.equal(401);
    expect((await service.client(null).send('GET', '/v1/reps', undefined, from('192.0.2.1'))).status).to.be.oneOf([
      401, 429,
    ]);
  });

  it('limits an address to sixty wrong codes per minute, then rejects even the right code', async () => {
    const { api } = await service.workspace();
    await addPerson(api, 'limit@acme.test');
    const code = await otp.code('limit@acme.test');
    const guess = (guessed: string, address: string) =>
      service.client(null).send('POST', '/auth/otp/verify', { email: 'limit@acme.test', code: guessed }, from(address));
    const { answer } = await untilLimited(() =>
      service
        .client(null)
        .send('POST', '/auth/otp/verify', { email: 'x@acme.test', code: otherThan(code) }, from('192.0.2.3')),
    );
    expect(answer.body.code).to.equal('rate_limited');
    expect((await guess(code, '192.0.2.3')).status).to.be.oneOf([429, 200]);
    const again = await otp.code('limit@acme.test');
    expect((await guess(again, '192.0.2.4')).status).to.equal(200);
  });

  it('counts wrong tokens and wrong codes of an address separately, so that an old key keeps no office from signing in', async () => {
    const { api } = await service.workspace();
    await addPerson(api, 'office@acme.test');
    await untilLimited(() => service.client(newToken('int')).send('GET', '/v1/reps', undefined, from('192.0.2.5')));
    const code = await otp.code('office@acme.test');
    const right = { email: 'office@acme.test', code };
    const { status } = await service.client(null).send('POST', '/auth/otp/verify', right, from('192.0.2.5'));
    expect(status).to.equal(200);
  });

  it('a stranger who exhausts the codes and attempts of an address does not lock its person out', async () => {
    const { api } = await service.workspace();
    const email = 'victim@acme.test';
    await addPerson(api, email);
    const send = (address: string) => service.client(null).send('POST', '/auth/otp/send', { email }, from(address));
    const verify = (address: string, body: object) =>
      service.client(null).send('POST', '/auth/otp/verify', { email, ...body }, from(address));
    const [own, stranger] = ['192.0.2.10', '192.0.2.11'];
    for (let sent = 0; sent < 7; sent += 1) await send(stranger);
    expect(await service.mailsTo(email)).to.have.length(5);
    const { nonce } = (await send(own)).body;
    const code = await service.lastCode(email);
    expect(await service.mailsTo(email)).to.have.length(6);
    for (let guess = 0; guess < 70; guess += 1) await verify(stranger, { code: otherThan(code) });
    for (let guess = 0; guess < 6; guess += 1) await verify(own, { code: otherThan(code) });
    for (let guess = 0; guess < 6; guess += 1) await verify('192.0.2.12', { code: otherThan(code) });
    for (const forged of ['x', `${nonce}A`, nonce.replace(/^./, nonce.startsWith('a') ? 'b' : 'a')])
      expect((await verify('192.0.2.12', { code, nonce: forged })).status, forged).to.equal(401);
    await send(stranger);
    await send(own);
    expect((await verify(own, { code, nonce })).status).to.equal(200);
    expect((await verify(own, { code, nonce })).status).to.equal(401);
  });

  it('accepts a right code with its nonce from an address that is blocked, and five attempts with a nonce', async () => {
    const { api } = await service.workspace();
    const email = 'shared@acme.test';
    await addPerson(api, email);
    const [shared, own] = ['192.0.2.20', '192.0.2.21'];
    const send = (address: string) => service.client(null).send('POST', '/auth/otp/send', { email }, from(address));
    const verify = (body: object, address = shared) =>
      service.client(null).send('POST', '/auth/otp/verify', { email, ...body }, from(address));
    const { nonce } = (await send(shared)).body;
    const code = await service.lastCode(email);
    await untilLimited(() => verify({ code: otherThan(code) }));
    expect((await verify({ code, nonce })).status).to.equal(200);
    const second = await send(own);
    const next = { code: await service.lastCode(email), nonce: second.body.nonce };
    for (let guess = 0; guess < 5; guess += 1) await verify({ ...next, code: otherThan(next.code) }, own);
    expect((await verify(next, own)).status).to.equal(401);
  });

  it('counts guesses without the nonce from other networks separately: five of theirs, five of its own', async () => {
    const { api } = await service.workspace();
    const email = 'plain@acme.test';
    await addPerson(api, email);
    const own = '192.0.2.30';
    const send = () => service.client(null).send('POST', '/auth/otp/send', { email }, from(own));
    const verify = (address: string, code: string) =>
      service.client(null).send('POST', '/auth/otp/verify', { email, code }, from(address));
    const counts = async () =>
      (
        await service.sql<{ own: number; others: number }>(
          'select attempts as own, other_attempts as others from sign_in_codes order by created_at desc limit 1',
        )
      )[0];
    await send();
    const code = await service.lastCode(email);
    for (let guess = 0; guess < 8; guess += 1) await verify(`192.0.2.${40 + guess}`, otherThan(code));
    expect(await counts()).to.deep.equal({ own: 0, others: 5 });
    expect((await verify('192.0.2.60', code)).status).to.equal(401);
    for (let guess = 0; guess < 4; guess += 1) await verify(own, otherThan(code));
    expect((await verify(own, code)).status).to.equal(200);
    await send();
    const next = await service.lastCode(email);
    for (let guess = 0; guess < 5; guess += 1) await verify(own, otherThan(next));
    expect((await verify(own, next)).status).to.equal(401);
  });

  it('sends at most twenty codes an hour to one address, whatever the number of networks', async () => {
    const { api } = await service.workspace();
    await addPerson(api, 'flood@acme.test');
    for (let sent = 0; sent < 25; sent += 1)
      await service.client(null).send('POST', '/auth/otp/send', { email: 'flood@acme.test' }, from(`192.0.3.${sent}`));
    expect(await service.mailsTo('flood@acme.test')).to.have.length(20);
  });

  it('counts an IPv6 network as one address', () => {
    expect(toNetwork('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1:2::/64');
    expect(toNetwork('2001:DB8:1:2::9')).to.equal('2001:db8:1:2::/64');
    expect(toNetwork('2001:db8::9')).to.equal('2001:db8:0:0::/64');
    expect(toNetwork('::1')).to.equal('0:0:0:0::/64');
    expect(toNetwork('fe80::1%eth0')).to.equal('fe80:0:0:0::/64');
    expect(toNetwork('::ffff:192.0.2.7')).to.equal('192.0.2.7');
    expect(toNetwork('192.0.2.7')).to.equal('192.0.2.7');
    expect(toNetwork('')).to.equal('');
  });
});
