import { expect } from 'chai';
import { sql } from 'kysely';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { addPerson, OtpRequests, type Person, signInRuns } from './otp-requests.js';

describe('sessions', () => {
  const service = Service.duringSuite({ isAlone: true });
  const otp = new OtpRequests(service);
  let workspaceId: string;
  let api: ApiClient;
  let mia: Person;

  before(async () => {
    ({ workspaceId, api } = await service.workspace({
      name: 'Acme',
      currency: 'EUR',
      timezone: 'Europe/Berlin',
    }));
    mia = await addPerson(api, 'mia@acme.test', { role: 'manager' });
  });

  beforeEach(async () => {
    await otp.clearLimits();
    await otp.ageCodes('1 day');
    await api.expect(200, 'PATCH', `/v1/reps/${mia.repId}`, { active: true, role: 'manager' });
  });

  const age = (interval: string) =>
    service.sql(
      `update tokens set created_at = created_at - $1::interval, expires_at = expires_at - $1::interval,
      last_used_at = last_used_at - $1::interval where kind = 'sess'`,
      interval,
    );

  it('returns an API key as an admin with the name of the key, and a connection token without a role', async () => {
    const { token } = await api.expect(201, 'POST', '/v1/workspaces/connection-tokens', { label: 'widget' });
    const unnamed = await api.expect(201, 'POST', '/v1/workspaces/connection-tokens', {});
    const connection = service.client(token);
    const workspace = { workspaceId, name: 'Acme', currency: 'EUR', timezone: 'Europe/Berlin' };
    const withoutRep = { repId: null, email: null, workspace };
    const profile = (client: ApiClient) => client.expect(200, 'GET', '/auth/me');
    expect(await profile(api)).to.deep.equal({ ...withoutRep, name: 'workspace key', role: 'admin' });
    expect(await profile(connection)).to.deep.equal({ ...withoutRep, name: 'widget', role: null });
    const other = service.client(unnamed.token);
    expect(await profile(other)).to.deep.equal({ ...withoutRep, name: 'connection token', role: null });
    for (const client of [api, connection]) expect((await client.post('/auth/logout')).status).to.equal(403);
  });

  it('ends only the current session', async () => {
    const first = await otp.signIn(mia.email);
    const second = await otp.signIn(mia.email);
    expect((await first.api.post('/auth/logout')).body).to.deep.equal({ loggedOut: true });
    expect((await first.api.get('/auth/me')).status).to.equal(401);
    expect((await second.api.get('/auth/me')).status).to.equal(200);
    expect((await signInRuns(service, workspaceId)).at(-1)).to.deep.equal({
      actor: `rep:${mia.repId}`,
      trigger: 'logout',
      outcome: 'written',
      rep_id: mia.repId,
    });
  });

  it('ends after twelve hours without use; each use extends it', async () => {
    const { api: session } = await otp.signIn(mia.email);
    for (let use = 0; use < 3; use += 1) {
      await age('11 hours 59 minutes');
      expect((await session.get('/auth/me')).status).to.equal(200);
    }
    await age('12 hours 1 second');
    expect((await session.get('/auth/me')).status).to.equal(401);
    expect((await session.get('/auth/me')).status).to.equal(401);
  });

  it('ends after twelve hours when it was never used', async () => {
    const { api: session } = await otp.signIn(mia.email);
    await age('12 hours 1 second');
    expect((await session.get('/auth/me')).status).to.equal(401);
  });

  it('ends after thirty days, even if it is used', async () => {
    const { api: session } = await otp.signIn(mia.email);
    await age('29 days 23 hours 59 minutes');
    await service.sql('update tokens set last_used_at = now()');
    expect((await session.get('/auth/me')).status).to.equal(200);
    await age('1 minute');
    await service.sql('update tokens set last_used_at = now()');
    expect((await session.get('/auth/me')).status).to.equal(401);
  });

  it('records its use at most once per minute', async () => {
    const { api: session } = await otp.signIn(mia.email);
    const newest = 'select last_used_at as at from tokens where rep_id = $1 order by created_at desc limit 1';
    const lastUsed = async () => (await service.sql<{ at: Date }>(newest, mia.repId))[0]?.at;
    await session.get('/auth/me');
    const first = await lastUsed();
    expect(first).to.be.instanceOf(Date);
    await Promise.all(Array.from({ length: 20 }, () => session.get('/auth/me')));
    expect(await lastUsed()).to.deep.equal(first);
    await age('61 seconds');
    await session.get('/auth/me');
    expect((await lastUsed())?.getTime()).to.be.greaterThan((first as Date).getTime());
  });

  it('is deleted when it has ended', async () => {
    await otp.signIn(mia.email);
    await age('12 hours 1 second');
    const { token } = await otp.signIn(mia.email);
    await service.running.service.unitOfWork.withoutWorkspace((tx) => sql`select delete_old_sign_ins()`.execute(tx.db));
    expect(await service.sql("select from tokens where kind = 'sess'")).to.have.length(1);
    expect((await service.client(token).get('/auth/me')).status).to.equal(200);
  });
});

describe('connection tokens', () => {
  const service = Service.duringSuite();
  let api: ApiClient;

  before(async () => {
    ({ api } = await service.workspace());
  });

  const path = '/v1/workspaces/connection-tokens';

  it('are returned once, listed without the token, and rejected after deletion', async () => {
    const created = await api.expect(201, 'POST', path, { label: ' Widget ' });
    expect(created).to.have.all.keys('id', 'token', 'label', 'createdAt');
    expect(created.token).to.match(/^conn_[0-9A-Za-z]{49}$/);
    expect(created.label).to.equal('Widget');
    const unnamed = await api.expect(201, 'POST', path);
    expect(unnamed.label).to.equal(null);
    const connection = service.client(created.token);
    expect((await connection.get('/v1/workspaces')).status).to.equal(200);
    expect((await connection.get('/v1/quotas')).status).to.equal(403);
    const { tokens } = await api.expect(200, 'GET', path);
    expect(tokens.map((one: { id: string }) => one.id)).to.deep.equal([unnamed.id, created.id]);
    expect(tokens[0].lastUsedAt).to.equal(null);
    expect(tokens[1].lastUsedAt).to.be.a('string');
    expect(JSON.stringify(tokens)).to.not.contain(created.token);
    expect(await api.expect(200, 'DELETE', `${path}/${created.id}`)).to.deep.equal({ deleted: true, id: created.id });
    expect((await connection.get('/v1/workspaces')).status).to.equal(401);
    await expectError('404 not_found', api.delete(`${path}/${created.id}`));
  });

  it('are the only tokens that can be deleted by id', async () => {
    const rows = await service.sql("select token_id as id from tokens where kind = 'ws'");
    expect(rows).to.not.be.empty;
    for (const { id } of rows) expect((await api.delete(`${path}/${id}`)).status).to.equal(404);
  });
});
