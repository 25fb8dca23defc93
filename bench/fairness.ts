import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createDatabase } from '#src/platform/database/pool.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { createWorkspace } from '#src/workspaces/create-workspace.js';
import { startRedis } from '../test/support/redis-server.js';
import { ServiceProcess } from '../test/support/service-process.js';
import { createTestDatabase, stopTestServer } from '../test/support/test-database.js';
import { ApiClient, migrateTestDatabase } from '../test/support/test-service.js';

/**
 * How long tenant B waits from its change of a deal to the commission event, alone and while tenant A sends 10,000
 * changes. Prints one line a backend; ends with 1 when B's p95 grew beyond the allowed factor.
 */
const { values } = parseArgs({
  options: {
    flood: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '16' },
    reps: { type: 'string', default: '200' },
    apis: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    factor: { type: 'string', default: '3' },
    backend: { type: 'string', default: 'both' },
  },
});
const flood = Number(values.flood);

interface Tenant {
  readonly workspaceId: string;
  readonly apiKey: string;
}

async function measure(backend: 'postgres' | 'redis'): Promise<boolean> {
  const database = await createTestDatabase({ migrate: migrateTestDatabase });
  const redis = backend === 'redis' ? await startRedis() : null;
  const environment = {
    DATABASE_URL: database.ownerUrl,
    PORT: '0',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '1000000',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...(redis === null ? {} : { REDIS_URL: redis.url }),
  };
  const apis = await Promise.all(
    Array.from({ length: Number(values.apis) }, () => ServiceProcess.start('api', environment)),
  );
  const workers = await Promise.all(
    Array.from({ length: Number(values.workers) }, () => ServiceProcess.start('worker', environment)),
  );
  const watcher = new pg.Client({ connectionString: database.ownerUrl });
  await watcher.connect();
  try {
    const url = apis[0]?.url ?? '';
    const [a, b] = [await tenant(database.ownerUrl, url, Number(values.reps)), await tenant(database.ownerUrl, url, 5)];
    await waits(watcher, url, b, 'warm', 30);
    const idle = await waits(watcher, url, b, 'idle', 150);
    const started = performance.now();
    const sent = { count: 0, done: false };
    const flooding = sendFlood(
      apis.map((api) => api.url),
      a,
      sent,
    );
    while (sent.count < 200) await sleep(5);
    const loaded: number[] = [];
    while (!sent.done && loaded.length < 2000)
      loaded.push(...(await waits(watcher, url, b, `load${loaded.length}`, 1)));
    await flooding;
    const sentMs = performance.now() - started;
    await drained(watcher, a.workspaceId);
    const drainedMs = performance.now() - started;
    const factor = quantile(loaded, 0.95) / quantile(idle, 0.95);
    process.stdout.write(
      `${backend.padEnd(8)} B alone: p50 ${ms(idle, 0.5)} p95 ${ms(idle, 0.95)} (${idle.length})   while A sends ${flood}: ` +
        `p50 ${ms(loaded, 0.5)} p95 ${ms(loaded, 0.95)} max ${ms(loaded, 1)} (${loaded.length})   factor ${factor.toFixed(2)}   ` +
        `A: ${Math.round(flood / (sentMs / 1000))}/s sent, all calculated after ${(drainedMs / 1000).toFixed(1)} s\n`,
    );
    return factor <= Number(values.factor);
  } finally {
    await watcher.end();
    await Promise.all([...workers, ...apis].map((process) => process.end()));
    await redis?.stop();
    await database.drop();
  }
}

/** A workspace whose reps `rep0`, `rep1`, … are paid by tiers of a quarterly quota. */
async function tenant(ownerUrl: string, url: string, count: number): Promise<Tenant> {
  const database = createDatabase({ url: ownerUrl, size: 1, onError: () => {} });
  const created = await createWorkspace(new UnitOfWork(database), {
    name: 'Fair',
    tier: 'enterprise',
    currency: 'USD',
    timezone: 'UTC',
  });
  await database.destroy();
  const api = new ApiClient(url, created.apiKey);
  const reps = Array.from({ length: count }, (_, index) => ({
    email: `rep${index}@x.test`,
    name: `Rep ${index}`,
    crmMemberId: `rep${index}`,
  }));
  const saved = await api.expect(200, 'PUT', '/v1/reps', { reps });
  const repIds = saved.reps.map((rep: { id: string }) => rep.id);
  const tiers = [0, 0.5, 1].map((minThreshold, tierIndex) => ({
    tierIndex,
    minThreshold,
    rate: 0.05 * (tierIndex + 1),
  }));
  const rules = [{ name: 'Commission', measure: 'amount', attainmentPeriod: 'quarterly', tierMode: 'marginal', tiers }];
  const plan = await api.expect(201, 'POST', '/v1/plans', { name: 'Plan', config: { rules } });
  await api.expect(201, 'POST', '/v1/assignments', { repIds, planId: plan.planId });
  await api.expect(201, 'POST', '/v1/quotas', { repIds, measure: 'Commission', period: '2026-Q1', target: 100_000 });
  return created;
}

/** The milliseconds of `count` changes of B, one after the other: from sending it to seeing its event. */
async function waits(watcher: pg.Client, url: string, b: Tenant, name: string, count: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const dealId = `${name}-${index}`;
    const started = performance.now();
    await putDeal(agent, url, b.apiKey, dealId, `rep${index % 5}`);
    for (;;) {
      const { rowCount } = await watcher.query(
        'select 1 from commission_events where workspace_id = $1 and deal_key = $2',
        [b.workspaceId, dealId],
      );
      if (rowCount === 1) break;
      await sleep(2);
    }
    found.push(performance.now() - started);
    await sleep(15);
  }
  agent.destroy();
  return found;
}

async function sendFlood(urls: readonly string[], a: Tenant, sent: { count: number; done: boolean }): Promise<void> {
  let next = 0;
  const agent = new Agent({ keepAlive: true });
  await Promise.all(
    Array.from({ length: Number(values.connections) }, async (_, connection) => {
      while (next < flood) {
        const index = next++;
        await putDeal(
          agent,
          urls[connection % urls.length] ?? '',
          a.apiKey,
          `a-${index}`,
          `rep${index % Number(values.reps)}`,
        );
        sent.count += 1;
      }
    }),
  );
  agent.destroy();
  sent.done = true;
}

async function putDeal(agent: Agent, url: string, apiKey: string, dealId: string, ownerId: string): Promise<void> {
  const body = JSON.stringify({ amount: 1000, closeDate: '2026-02-03', ownerId });
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  const sending = request(`${url}/v1/deals/${dealId}`, { method: 'PUT', agent, headers });
  sending.end(body);
  const [response] = await once(sending, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode >= 300) throw new Error(`PUT ${dealId} answered ${response.statusCode}`);
}

async function drained(watcher: pg.Client, workspaceId: string): Promise<void> {
  for (;;) {
    const { rowCount } = await watcher.query('select 1 from calculation_requests where workspace_id = $1 limit 1', [
      workspaceId,
    ]);
    if (rowCount === 0) return;
    await sleep(50);
  }
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((x, y) => x - y);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

function ms(values: readonly number[], part: number): string {
  return `${quantile(values, part).toFixed(0)} ms`;
}

let fair = true;
for (const backend of ['postgres', 'redis'] as const)
  if (values.backend === 'both' || values.backend === backend) fair = (await measure(backend)) && fair;
await stopTestServer();
process.exitCode = fair ? 0 : 1;
