import { expect } from 'chai';
import { mapInParallel } from '#src/kernel/waiting.js';
import { type RedisGroup, startRedisCluster, startRedisSentinel } from '#test/support/redis-group.js';
import { runCommand } from '#test/support/run-command.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { generousTimeLimits } from '#test/support/time-limits.js';
import { until } from '#test/support/until.js';
import { type Workspace } from '#test/support/workspace.js';

const limit = 25;

describe('a Redis group with TLS and a password', () => {
  for (const [mode, startGroup] of [
    ['cluster', startRedisCluster],
    ['sentinel', startRedisSentinel],
  ] as const)
    describe(`in the mode ${mode}`, () => {
      let redis: RedisGroup;
      let service: ServiceProcesses;
      let workspace: Workspace;

      before(async function () {
        const started = await startGroup();
        if (started === null) return this.skip();
        redis = started;
        // A request that Redis does not answer in time is admitted, so the processes wait longer for it.
        const settings = { ...redis.settings, ...generousTimeLimits, RATE_LIMIT_PER_MINUTE: String(limit) };
        service = await ServiceProcesses.start({ settings, processes: ['api', 'api', 'worker'] });
        workspace = await service.workspace();
        await saveSimpleTerms(workspace.api, ['ann']);
      });

      after(async () => {
        await service?.stop();
        await redis?.stop();
      });

      const readiness = async () => (await fetch(`${service.url}/readyz`)).json() as Promise<{ status: string }>;

      const commissionOf = async (dealId: string) => {
        const rows = await service.sql('select amount from commission_events where deal_key = $1', dealId);
        return rows.map(({ amount }) => Number(amount));
      };

      it('calculates, is ready, and passes the checks of `doctor`', async () => {
        await workspace.api.expect(201, 'PUT', '/v1/deals/D-1', {
          amount: 1000,
          closeDate: '2026-02-03',
          ownerId: 'ann',
        });
        await service.waitForCalculations(workspace.workspaceId);
        expect(await commissionOf('D-1')).to.deep.equal([50]);
        expect(await readiness()).to.include({ status: 'ready' });
        const { stdout } = await runCommand(['doctor', '--json'], service.environment);
        const findings = JSON.parse(stdout) as { check: string; state: string }[];
        const states = Object.fromEntries(findings.map(({ check, state }) => [check, state]));
        expect(states).to.include({ Redis: 'ok', 'Rate limit': 'ok', 'Job queue': 'ok' });
      });

      it('counts the requests of all processes together', async () => {
        const token = await service.token(workspace.workspaceId, 'ws');
        const urls = service.processes.filter(({ kind }) => kind === 'api').map(({ url }) => url);
        const statuses = await mapInParallel(Array.from({ length: 2 * limit }).keys(), async (index) => {
          const headers = { Authorization: `Bearer ${token}` };
          return (await fetch(`${urls[index % 2]}/v1/commissions?period=2026-Q1`, { headers })).status;
        });
        expect(statuses.filter((status) => status === 200)).to.have.length(limit);
      });

      it('loses nothing when the first server is killed', async () => {
        await redis.servers[0]?.stop();
        const api = service.client(await service.token(workspace.workspaceId, 'ws'));
        await until(async () => {
          const put = await api.send('PUT', '/v1/deals/D-2', { amount: 3000, closeDate: '2026-02-04', ownerId: 'ann' });
          return put.status < 300;
        });
        await service.waitForCalculations(workspace.workspaceId);
        expect(await commissionOf('D-2')).to.deep.equal([150]);
        if (mode === 'sentinel') await until(async () => (await readiness()).status === 'ready');
      });
    });
});
