import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { hashRouteSecret } from '#src/crm/connections/crm-connector.js';
import { newToken } from '#src/platform/secrets/token.js';
import { ApiClient } from '#test/support/api-client.js';
import { type DebianPostgres, ownedDatabase, startDebianPostgres15 } from '#test/support/debian-postgres.js';
import { expectSoundLedger, ledgerRows, query } from '#test/support/ledger-checks.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { runCommand } from '#test/support/run-command.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { createTestDatabase, databaseOf, type TestDatabase, testServer } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';

const deal = { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' };
const publicUrl = 'http://pay.test';
const clientSecret = 'crmb-secret';

describe('workspaces in several databases', function () {
  this.timeout(300_000);
  let service: ServiceProcesses | undefined;
  let server: DebianPostgres | undefined;
  let isHanging = false;
  let [main, eu]: (TestDatabase | undefined)[] = [];
  let home: Tenant;
  let away: Tenant;

  interface Tenant {
    readonly workspaceId: string;
    readonly api: ApiClient;
    readonly apiKey: string;
  }

  before(async function () {
    server = await startDebianPostgres15();
    if (server === undefined) return this.skip();
    main = await createTestDatabase({ migrate: migrateTestDatabase });
    const direct = await ownedDatabase(server.superuserUrl);
    eu = databaseOf(direct);
    const { superuserUrl } = await testServer();
    await query(superuserUrl, `grant set on parameter session_replication_role to ${new URL(main.ownerUrl).username}`);
    await query(server.superuserUrl, 'grant set on parameter session_replication_role to commissions_owner');
    const { appUrl: url, ownerUrl } = direct;
    const settings = {
      DATABASE_SHARDS: JSON.stringify([{ name: 'eu', url, ownerUrl }]),
      PUBLIC_URL: publicUrl,
      CRMB_CLIENT_SECRET: clientSecret,
      CRMB_CLIENT_ID: 'app',
      MCP_OAUTH: '0',
    };
    // The first process also migrates the empty database.
    service = await ServiceProcesses.start({ processes: ['api', 'worker'], settings, database: main });
    home = await createTenant('main');
    away = await createTenant('eu');
    for (const { api } of [home, away]) await saveSimpleTerms(api, ['ann']);
  });
  after(async () => {
    if (isHanging) server?.signal('SIGCONT');
    await service?.stop();
    await server?.stop();
  });

  const command = (...args: readonly string[]) => runCommand(args, service?.environment as Record<string, string>);
  const clientOf = (token: string | null) => service?.client(token) as ApiClient;
  const anonymous = () => clientOf(null);
  const urlOf = (database: TestDatabase | undefined) => database?.ownerUrl as string;

  async function createTenant(shard: string): Promise<Tenant> {
    const created = await command(
      'workspace',
      'create',
      `Tenant of ${shard}`,
      '--tier',
      'enterprise',
      '--shard',
      shard,
      '--json',
    );
    expect(created.code, created.stderr).to.equal(0);
    const { workspaceId, apiKey } = JSON.parse(created.stdout);
    return { workspaceId, apiKey, api: clientOf(apiKey) };
  }

  const hasDeal = async (database: TestDatabase | undefined, dealId: string) =>
    (await query(urlOf(database), 'select from deals where deal_id = $1', [dealId])).length === 1;

  const isCalculated = (database: TestDatabase | undefined, { workspaceId }: Tenant) =>
    until(async () => {
      const pending = await query(urlOf(database), 'select from calculation_requests where workspace_id = $1', [
        workspaceId,
      ]);
      return pending.length === 0 && (await ledgerRows(urlOf(database), workspaceId)).length > 0;
    });

  it('are found by their keys, stored and calculated each in its own', async () => {
    await home.api.expect(201, 'PUT', '/v1/deals/D-1', deal);
    await away.api.expect(201, 'PUT', '/v1/deals/D-2', deal);
    expect([await hasDeal(main, 'D-1'), await hasDeal(eu, 'D-1')]).to.deep.equal([true, false]);
    expect([await hasDeal(main, 'D-2'), await hasDeal(eu, 'D-2')]).to.deep.equal([false, true]);
    await isCalculated(main, home);
    await isCalculated(eu, away);
    expect(await anonymous().get('/readyz'))
      .to.deep.include({ status: 200 })
      .and.property('body')
      .include({ status: 'ready' });
    const unknown = new ApiClient(service?.url as string, newToken('ws'));
    expect((await unknown.get('/v1/deals')).status).to.equal(401);
  });

  it('are listed with each key that is created, before its first use', async () => {
    const body = { name: 'erp', scopes: ['read'] };
    const { key } = await away.api.expect(201, 'POST', '/v1/workspaces/integration-keys', body);
    const listed = await query(
      urlOf(main),
      `select shard from directory_keys join directory_workspaces using (workspace)
       where kind = 'token' and key_hash = sha256($1::bytea)`,
      [key],
    );
    expect(listed).to.deep.equal([{ shard: 'eu' }]);
    await clientOf(key).expect(200, 'GET', '/v1/deals');
  });

  it('are reached without their entries in the directory, as after a crash', async () => {
    await query(urlOf(main), `delete from directory_keys where kind = 'token'`);
    await query(urlOf(main), 'delete from directory_workspaces');
    const restarted = await service?.startProcess('api');
    const again = new ApiClient(restarted?.url as string, away.apiKey);
    await again.expect(200, 'GET', '/v1/deals?limit=1');
    await new ApiClient(restarted?.url as string, home.apiKey).expect(200, 'GET', '/v1/deals?limit=1');
    await until(async () => (await query(urlOf(main), `select from directory_keys where kind = 'token'`)).length === 2);
  });

  async function codeFor(email: string, database: string): Promise<{ code: string; nonce: string }> {
    const { nonce } = await anonymous().expect(200, 'POST', '/auth/otp/send', { email });
    const { stdout } = await command('mail', '--json', '--shard', database);
    const mail = (JSON.parse(stdout) as { to: string; text: string }[]).find(({ to }) => to === email);
    return { code: /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] as string, nonce };
  }

  it('sign people in who are in one of them, and let those choose who are in both', async () => {
    await away.api.saveReps({ name: 'Eva', email: 'eva@x.test' });
    const eva = { email: 'eva@x.test', ...(await codeFor('eva@x.test', 'eu')) };
    const { sessionToken } = await anonymous().expect(200, 'POST', '/auth/otp/verify', eva);
    await clientOf(sessionToken).expect(200, 'GET', '/auth/me');

    const ann = { email: 'ann@x.test' };
    await until(async () => {
      const found = `select from directory_keys where kind = 'email' group by key_hash having count(*) = 2`;
      return (await query(urlOf(main), found)).length === 1;
    });
    await anonymous().expect(200, 'POST', '/auth/otp/send', ann);
    const mails = (name: string) => command('mail', '--json', '--shard', name).then(({ stdout }) => JSON.parse(stdout));
    const sent = [...(await mails('main')), ...(await mails('eu'))].filter(({ to }) => to === ann.email);
    expect(sent).to.have.length(1);
    const proof = { ...ann, code: /\b\d{6}\b/.exec(sent[0].text)?.[0] };
    const { details } = await anonymous().expect(400, 'POST', '/auth/otp/verify', proof);
    expect(details.workspaces.map(({ workspaceId }: Tenant) => workspaceId)).to.have.members([
      home.workspaceId,
      away.workspaceId,
    ]);
    const last = details.workspaces.at(-1).workspaceId;
    const session = await anonymous().expect(200, 'POST', '/auth/otp/verify', { ...proof, workspaceId: last });
    const { workspace } = await clientOf(session.sessionToken).expect(200, 'GET', '/auth/me');
    expect(workspace.workspaceId).to.equal(last);
    expect((await anonymous().post('/auth/otp/verify', { ...proof, workspaceId: last })).status).to.equal(401);
  });

  it('get the deliveries of their accounts, also one that is for several', async () => {
    const secret = 'flow-secret-of-the-tenant';
    const route = `insert into inbound_routes (workspace_id, source, route) values ($1, $2, $3)`;
    await query(urlOf(eu), route, [away.workspaceId, 'crmc', hashRouteSecret(secret)]);
    await query(urlOf(main), route, [home.workspaceId, 'crmb', '11']);
    await query(urlOf(eu), route, [away.workspaceId, 'crmb', '22']);
    const bearer = { Authorization: `Bearer ${secret}` };
    const flow = await anonymous().send('POST', '/webhooks/crmc', { opportunityId: '006RO000000abcdYAA' }, bearer);
    expect([flow.status, flow.body]).to.deep.equal([202, { accepted: 1, ignored: 0 }]);

    const events = [11, 22, 33].map((portalId) => ({
      portalId,
      objectId: 7,
      subscriptionType: 'deal.creation',
      eventId: portalId,
      occurredAt: Date.now(),
    }));
    const body = JSON.stringify(events);
    const at = String(Date.now());
    const signature = createHmac('sha256', clientSecret)
      .update(`POST${publicUrl}/webhooks/crmb${body}${at}`)
      .digest('base64');
    const headers = { 'X-HubSpot-Request-Timestamp': at, 'X-HubSpot-Signature-v3': signature };
    const both = await anonymous().send('POST', '/webhooks/crmb', body, {
      'Content-Type': 'application/json',
      ...headers,
    });
    expect([both.status, both.body]).to.deep.equal([200, { accepted: 2, ignored: 1 }]);
    const stored = (database: TestDatabase | undefined) =>
      query(urlOf(database), 'select source from inbox order by source');
    expect(await stored(main)).to.deep.equal([{ source: 'crmb' }]);
    expect(await stored(eu)).to.deep.equal([{ source: 'crmb' }, { source: 'crmc' }]);
  });

  it('are moved from one to another while they are in use, and lose nothing', async () => {
    const acknowledged: string[] = [];
    let stopping = false;
    const writing = (async () => {
      for (let n = 0; !stopping; n += 1) {
        const { status } = await home.api.put(`/v1/deals/W-${n}`, deal);
        expect(status).to.be.oneOf([201, 503]);
        if (status === 201) acknowledged.push(`W-${n}`);
        await sleep(status === 201 ? 5 : 50);
      }
    })();
    await until(async () => acknowledged.length > 30);
    const moved = await command('workspace', 'move', home.workspaceId, '--to', 'eu', '--json');
    expect(moved.code, moved.stderr).to.equal(0);
    const before = acknowledged.length;
    await until(async () => acknowledged.length > before + 10);
    stopping = true;
    await writing;
    const stored = await query(urlOf(eu), 'select deal_id from deals where workspace_id = $1', [home.workspaceId]);
    const ids = new Set(stored.map(({ deal_id: id }) => id));
    const lost = acknowledged.filter((id) => !ids.has(id));
    console.log(
      `        move, lost: ${lost.length === 0 ? 'nothing' : lost.length} of ${acknowledged.length} acknowledged`,
    );
    expect(lost).to.deep.equal([]);
    const finished = await command('workspace', 'move', home.workspaceId, '--to', 'eu', '--finish');
    expect(finished.code, finished.stderr).to.equal(0);
    expect(
      await query(urlOf(main), 'select from workspaces where workspace_id = $1', [home.workspaceId]),
    ).to.have.length(0);
    await home.api.expect(201, 'PUT', '/v1/deals/after', deal);
    await isCalculated(eu, home);
    await expectSoundLedger(urlOf(eu), home.workspaceId);
    const back = await command('workspace', 'move', home.workspaceId, '--to', 'main');
    expect(back.code, back.stderr).to.equal(0);
    await command('workspace', 'move', home.workspaceId, '--to', 'main', '--finish');
    await home.api.expect(200, 'GET', '/v1/deals?limit=1');
    expect(await hasDeal(main, 'after')).to.equal(true);
  });

  it('are not affected by another database that hangs', async () => {
    server?.signal('SIGSTOP');
    isHanging = true;
    await until(async () => (await away.api.get('/v1/deals?limit=1')).status === 503);
    const { status, body, headers } = await away.api.get('/v1/deals?limit=1');
    expect([status, body.statusCode, body.code]).to.deep.equal([503, 503, 'database_unavailable']);
    expect(headers.get('retry-after')).to.equal('2');
    await until(async () => (await anonymous().get('/readyz')).body.status === 'degraded');
    const ready = await anonymous().get('/readyz');
    expect([ready.status, ready.body.databases]).to.deep.equal([200, ['eu']]);
    expect((await anonymous().get('/livez')).body).to.equal('ok');
    await home.api.expect(201, 'PUT', '/v1/deals/D-3', deal);
    await isCalculated(main, home);
    // It may be a token of the database that does not respond.
    const unknown = new ApiClient(service?.url as string, newToken('ws'));
    expect((await unknown.get('/v1/deals')).status).to.be.oneOf([401, 503]);
    const mia = { email: 'mia@x.test', name: 'Mia' };
    await home.api.saveReps(mia);
    await anonymous().expect(200, 'POST', '/auth/otp/send', { email: mia.email });
    expect((await anonymous().post('/auth/otp/send', { email: 'eva@x.test' })).status).to.equal(503);

    server?.signal('SIGCONT');
    isHanging = false;
    await until(async () => (await away.api.put('/v1/deals/D-4', deal)).status === 201);
    await isCalculated(eu, away);
    await expectSoundLedger(urlOf(eu), away.workspaceId);
  });

  it('are served while another database is down, also by a process that starts meanwhile', async () => {
    server?.signal('SIGKILL');
    await until(async () => (await away.api.get('/v1/deals?limit=1')).status === 503);
    await home.api.expect(201, 'PUT', '/v1/deals/D-5', deal);
    const started = await service?.startProcess('api');
    await new ApiClient(started?.url as string, home.apiKey).expect(200, 'GET', '/v1/deals?limit=1');
    expect((await new ApiClient(started?.url as string, away.apiKey).get('/v1/deals')).status).to.equal(503);
    await isCalculated(main, home);
    await expectSoundLedger(urlOf(main), home.workspaceId);
  });
});
