import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

const path = '/v1/workspaces/integration-keys';

describe('integration keys', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  let api: ApiClient;

  beforeEach(async () => {
    ({ workspaceId, api } = await service.workspace());
  });

  const create = (body: object, client = api) => client.expect(201, 'POST', path, { name: 'HRIS', ...body });

  it('are shown once, and listed with creator, expiry and last use', async () => {
    const [repId] = await api.saveReps({ name: 'Amy', role: 'admin' });
    const amy = await service.as(workspaceId, repId);
    const read = await create({ name: 'BI', scopes: ['read', 'read'] }, amy);
    const deals = await create({ scopes: ['deals'], expiresInDays: 1 });
    expect(read.key).to.match(/^int_/);
    expect(read.scopes).to.deep.equal(['read']);
    expect(Date.parse(deals.expiresAt) - Date.parse(deals.createdAt)).to.equal(86_400_000);
    const client = service.client(read.key);
    const status = await client.expect(200, 'GET', '/auth/status');
    expect(status).to.deep.equal({ valid: true, workspaceId, kind: 'int', role: 'admin', repId: null });
    expect((await client.expect(200, 'GET', '/v1')).kind).to.equal('int');
    const { keys } = await api.expect(200, 'GET', path);
    expect(keys.map(({ name, createdBy }: { name: string; createdBy: string }) => [name, createdBy])).to.deep.equal([
      ['HRIS', null],
      ['BI', repId],
    ]);
    expect(keys[1].lastUsedAt).to.be.a('string');
    expect(keys[0].lastUsedAt).to.equal(null);
    expect(JSON.stringify(keys)).not.to.include('int_');
    const { runs } = await api.expect(200, 'GET', '/v1/workspaces/audit-logs');
    expect(runs[0]).to.deep.include({ trigger: 'integration_key_created', actor: 'api-key' });
    expect(JSON.stringify(runs)).not.to.include('int_');
  });

  it('reject calls outside of their scopes with the scope that is missing', async () => {
    const deals = service.client((await create({ scopes: ['deals'] })).key);
    const deal = { amount: 1000, closeDate: '2026-01-15' };
    await deals.expect(201, 'PUT', '/v1/deals/D1', deal);
    const listed = await deals.get('/v1/deals');
    expect([listed.status, listed.body.code, listed.body.details]).to.deep.equal([
      403,
      'insufficient_scope',
      { scope: 'read' },
    ]);
    expect(listed.body.message).to.equal(
      'This operation needs the scope read; your key has deals. Use a key with the scope read.',
    );
    const read = service.client((await create({ scopes: ['read'] })).key);
    await read.expect(200, 'GET', '/v1/deals');
    expect((await read.put('/v1/deals/D2', deal)).body.details).to.deep.equal({ scope: 'deals' });
    const invite = await read.put('/v1/reps', { reps: [{ name: 'Eve', email: 'eve@x.io', role: 'admin' }] });
    expect([invite.status, invite.body.details]).to.deep.equal([403, { scope: null }]);
  });

  it('create no keys, rotate none and change no people, whatever their scopes', async () => {
    const { key } = await create({ scopes: ['read', 'deals', 'plans', 'payroll'] });
    const client = service.client(key);
    for (const [method, where, body] of [
      ['POST', path, { name: 'More', scopes: ['read'] }],
      ['DELETE', `${path}/${newId()}`, undefined],
      ['POST', '/v1/workspaces/keys/rotate', {}],
      ['POST', '/v1/workspaces/connection-tokens', {}],
      ['PUT', '/v1/reps', { reps: [] }],
      ['PATCH', '/v1/workspaces', { name: 'x' }],
      ['POST', '/v1/commissions/reset', { scope: 'all' }],
      ['GET', '/auth/crma/connect', undefined],
      ['POST', '/auth/logout', undefined],
    ] as const)
      expect((await client.send(method, where, body)).body.code, `${method} ${where}`).to.equal('insufficient_scope');
  });

  it('are offered only the tools of their scopes over MCP', async () => {
    const client = service.client((await create({ scopes: ['plans'] })).key);
    const { status, body } = await client.mcp('tools/list');
    expect(status).to.equal(200);
    const names = body.result.tools.map(({ name }: { name: string }) => name);
    expect(names).to.include('create_plan').and.not.include('list_plans').and.not.include('approve_statement');
  });

  it('stop working when they are revoked or have expired', async () => {
    const revoked = await create({ scopes: ['read'] });
    const expired = await create({ scopes: ['read'] });
    await api.expect(200, 'DELETE', `${path}/${revoked.id}`);
    expect((await api.delete(`${path}/${revoked.id}`)).status).to.equal(404);
    await service.sql(`update tokens set expires_at = now() where token_id = $1`, expired.id);
    for (const { key } of [revoked, expired]) expect((await service.client(key).get('/v1')).status).to.equal(401);
    expect((await api.expect(200, 'GET', path)).keys).to.deep.equal([]);
  });

  it('survive a rotation of the workspace key', async () => {
    const { key } = await create({ scopes: ['read'] });
    await api.expect(200, 'POST', '/v1/workspaces/keys/rotate', {});
    await service.client(key).expect(200, 'GET', '/v1/plans');
  });

  it('reject unknown scopes, no scopes and long lives', async () => {
    for (const body of [{ scopes: ['admin'] }, { scopes: [] }, {}, { scopes: ['read'], expiresInDays: 731 }])
      expect((await api.post(path, { name: 'x', ...body })).status).to.equal(400);
  });

  it('are at most 100 in a workspace', async () => {
    await service.sql(
      `insert into tokens (workspace_id, token_id, kind, token_hash, scopes, expires_at)
       select $1, gen_random_uuid(), 'int', sha256(n::text::bytea), array['read'], now() + interval '1 day'
       from generate_series(1, 100) n`,
      workspaceId,
    );
    await expectError('409 too_many_keys', api.post(path, { name: 'x', scopes: ['read'] }));
  });
});
