import { expect } from 'chai';
import { ClientProgram } from '#test/agents/access/oauth-fixture.js';
import { FetchClient, listTools } from '#test/mcp/mcp-fixture.js';
import { ApiClient } from '#test/support/api-client.js';
import { freePort } from '#test/support/free-port.js';
import { expectSoundLedger, ledgerRows, query } from '#test/support/ledger-checks.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { createPooledLogin, type PgBouncer, startPgBouncer } from '#test/support/pgbouncer.js';
import { type RedisServer, startRedis } from '#test/support/redis-server.js';
import { runCommand } from '#test/support/run-command.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { createTestDatabase, type TestDatabase } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';

describe('several databases, each behind PgBouncer, with Redis, two APIs and two workers', () => {
  let main: TestDatabase;
  let eu: TestDatabase;
  let redis: RedisServer;
  let service: ServiceProcesses;
  let publicUrl: string;
  const poolers: PgBouncer[] = [];
  const urls: string[] = [];

  before(async function () {
    main = await createTestDatabase({ migrate: migrateTestDatabase });
    eu = await createTestDatabase({ migrate: migrateTestDatabase });
    const started = await startRedis(undefined, ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction']);
    // One login for both databases.
    const login = await createPooledLogin(main.appUrl, 'shard_login');
    const behind = [await startPooler(login), await startPooler(withDatabaseOf(eu, login))];
    if (started === null || behind.includes(null)) return this.skip();
    redis = started;
    const [mainUrl, euUrl] = behind as [string, string];
    const port = String(await freePort());
    publicUrl = `http://127.0.0.1:${port}`;
    const settings = {
      DATABASE_URL: mainUrl,
      DATABASE_SHARDS: JSON.stringify([{ name: 'eu', url: euUrl, ownerUrl: eu.ownerUrl }]),
      REDIS_URL: redis.url,
      PUBLIC_URL: publicUrl,
      MCP_OAUTH: '1',
    };
    service = await ServiceProcesses.start({ settings, database: main });
    const apis = [await service.startProcess('api', { PORT: port }), await service.startProcess('api')];
    urls.push(...apis.map(({ url }) => url));
    await Promise.all([service.startProcess('worker'), service.startProcess('worker')]);
  });
  after(async () => {
    await service?.stop();
    await redis?.stop();
    for (const pooler of poolers) await pooler.stop();
    await eu?.drop();
  });

  async function startPooler(url: string): Promise<string | null> {
    const pooler = await startPgBouncer(url);
    if (pooler !== null) poolers.push(pooler);
    return pooler?.url ?? null;
  }

  function withDatabaseOf({ appUrl }: TestDatabase, login: string): string {
    return Object.assign(new URL(login), { pathname: new URL(appUrl).pathname }).href;
  }

  const command = (...args: readonly string[]) => runCommand(args, service.environment as Record<string, string>);

  async function createTenant(shard: string) {
    const created = await command('workspace', 'create', `Tenant of ${shard}`, '--shard', shard, '--json');
    expect(created.code, created.stderr).to.equal(0);
    return JSON.parse(created.stdout) as { workspaceId: string; apiKey: string };
  }

  async function signIn(email: string, shard: string): Promise<ApiClient> {
    const anonymous = new ApiClient(publicUrl, null);
    const { nonce } = await anonymous.expect(200, 'POST', '/auth/otp/send', { email });
    const { stdout } = await command('mail', '--json', '--shard', shard);
    const mail = (JSON.parse(stdout) as { to: string; text: string }[]).find(({ to }) => to === email);
    const code = /\b\d{6}\b/.exec(mail?.text ?? '')?.[0];
    const { sessionToken } = await anonymous.expect(200, 'POST', '/auth/otp/verify', { email, code, nonce });
    return new ApiClient(publicUrl, sessionToken);
  }

  for (const shard of ['main', 'eu'])
    describe(`a workspace in ${shard}`, () => {
      let tenant: Awaited<ReturnType<typeof createTenant>>;
      let apis: readonly ApiClient[];
      const databaseUrl = () => (shard === 'main' ? main : eu).ownerUrl;

      before(async () => {
        tenant = await createTenant(shard);
        apis = urls.map((url) => new ApiClient(url, tenant.apiKey));
      });

      it('is calculated, whichever API its requests reach', async () => {
        const [first, second] = apis as [ApiClient, ApiClient];
        await saveSimpleTerms(first, ['ann']);
        const deal = { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' };
        await Promise.all(apis.map((api, index) => api.expect(201, 'PUT', `/v1/deals/D-${index}`, deal)));
        expect(await second.expect(200, 'POST', '/v1/commissions/recalculate', {})).to.include({ status: 'completed' });
        await until(async () => (await ledgerRows(databaseUrl(), tenant.workspaceId)).length === 2);
        await expectSoundLedger(databaseUrl(), tenant.workspaceId);
      });

      it('takes people from an identity provider over SCIM', async () => {
        const [api] = apis as [ApiClient];
        const body = { name: 'Okta', scopes: ['scim'] };
        const { key } = await api.expect(201, 'POST', '/v1/workspaces/integration-keys', body);
        for (const [index, url] of urls.entries()) {
          const response = await fetch(`${url}/scim/v2/Users`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/scim+json' },
            body: JSON.stringify({
              schemas: [core],
              userName: `p${index}.${shard}@x.test`,
              displayName: 'Pat',
              active: true,
            }),
          });
          expect(response.status, await response.text()).to.equal(201);
        }
        const found = await query(databaseUrl(), 'select from reps where workspace_id = $1 and email like $2', [
          tenant.workspaceId,
          `p%.${shard}@x.test`,
        ]);
        expect(found).to.have.length(2);
      });

      it('is served to an agent that a person connects by OAuth', async () => {
        const [api] = apis as [ApiClient];
        await api.saveReps({ name: 'Eva', email: `eva.${shard}@x.test`, role: 'admin' });
        const eva = await signIn(`eva.${shard}@x.test`, shard);
        const program = await ClientProgram.register(publicUrl);
        const tokens = await program.connect(eva);
        for (const url of urls) {
          const { status } = await new FetchClient(url, tokens.access_token).post(listTools);
          expect(status).to.equal(200);
        }
        const { status, body } = await program.refresh(tokens.refresh_token);
        expect(status, JSON.stringify(body)).to.equal(200);
        expect((await new FetchClient(publicUrl, body.access_token).post(listTools)).status).to.equal(200);
        expect(await program.revoke(body.refresh_token)).to.equal(200);
        expect((await new FetchClient(publicUrl, body.access_token).post(listTools)).status).to.equal(401);
      });
    });

  it('`doctor` checks every database', async () => {
    const { stdout } = await command('doctor', '--json');
    const findings: { check: string; state: string; message: string }[] = JSON.parse(stdout);
    const failed = findings.filter(({ state, check }) => state === 'failed' && check !== 'PDF');
    expect(failed).to.deep.equal([]);
    const checks = findings.map(({ check }) => check);
    for (const check of ['Database', 'Migrations', 'Database role', 'Job queue', 'Master key'])
      expect(checks).to.include.members([check, `${check} of eu`]);
    expect(checks.filter((check) => check.startsWith('Mail'))).to.deep.equal(['Mail']);
  });
});
