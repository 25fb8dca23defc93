import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type Delivery } from '#fakes/deliveries.js';
import { createDatabase } from '#src/platform/database/pool.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { createWorkspace } from '#src/workspaces/create-workspace.js';
import { ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, crmbWorld, payEveryone } from '#test/support/crm-worlds.js';
import { freePort } from '#test/support/free-port.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { startRedis } from '#test/support/redis-server.js';
import { ServiceProcess } from '#test/support/service-process.js';
import { createTestDatabase, stopTestServer } from '#test/support/test-database.js';
import { untilDone } from './bench-service.js';
import { send } from './deliver.js';
import { duration, quantile, timed } from './measure.js';

/**
 * Measures the time from a deal change of tenant B to its commission event, alone and while the CRM of tenant A
 * delivers 10,000 webhooks as fast as they are accepted. Rejected deliveries are repeated after Retry-After, and the
 * limits are the service's defaults. B changes the same deals in rotation, so that the amount of work stays
 * constant. Prints one line per measurement; exits with 1 if B's p95 grew beyond the allowed factor.
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
    /** The value of WEBHOOKS_PER_SECOND. */
    limit: { type: 'string' },
  },
});

interface Tenant {
  readonly workspaceId: string;
  readonly apiKey: string;
}

interface PayingTenant extends Tenant {
  readonly api: ApiClient;
}

async function measure(backend: 'postgres' | 'redis'): Promise<boolean> {
  const database = await createTestDatabase({ migrate: migrateTestDatabase });
  const redis = backend === 'redis' ? await startRedis() : null;
  const world = await crmbWorld();
  const port = await freePort();
  const environment = {
    ...database.environment,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    LOG_LEVEL: 'warn',
    // The limit of an API key must not slow B's own requests.
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...(values.limit === undefined ? {} : { WEBHOOKS_PER_SECOND: values.limit }),
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    CRM_ALLOW_LOOPBACK: '1',
    ...world.environment,
    ...(redis === null ? {} : { REDIS_URL: redis.url }),
  };
  const ports = Array.from({ length: Number(values.apis) }, (_, index) => (index === 0 ? port : 0));
  const apis = await Promise.all(
    ports.map((one) => ServiceProcess.start('api', { ...environment, PORT: String(one) }, { isInstalled: true })),
  );
  const workers = await Promise.all(
    Array.from({ length: Number(values.workers) }, () => ServiceProcess.start('worker', environment)),
  );
  const watcher = new pg.Client({ connectionString: database.ownerUrl });
  await watcher.connect();
  try {
    const urls = apis.map((api) => api.url);
    const url = urls[0] as string;
    const a = await newWorkspace(database.appUrl);
    const b = await tenant(database.appUrl, url, 5);
    await waits(watcher, b, dealsOfB);
    const idle = await waits(watcher, b, 2 * dealsOfB);
    printRow(backend, 'B alone', idle);
    const deliveries = await deliveriesTo(a, world, url);
    const started = performance.now();
    const sent = { count: 0, done: false };
    const flooding = sendFlood(deliveries, sent);
    while (sent.count < 200) await sleep(5);
    const loaded: number[] = [];
    while (!sent.done) loaded.push(...(await waits(watcher, b, 1)));
    await flooding;
    const perSecond = Math.round(deliveries.length / ((performance.now() - started) / 1000));
    await untilDone(watcher, drained, [a.workspaceId], 50);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const factor = quantile(loaded, 0.95) / quantile(idle, 0.95);
    printRow(
      backend,
      `while A sends ${deliveries.length}`,
      loaded,
      `factor ${factor.toFixed(2)}   A: ${perSecond} a second, all calculated after ${seconds} s`,
    );
    return factor <= Number(values.factor);
  } finally {
    await watcher.end();
    await Promise.all([...workers, ...apis].map((process) => process.end()));
    await world.stop();
    await redis?.stop();
    await database.drop();
  }
}

function printRow(backend: string, name: string, waited: readonly number[], more = ''): void {
  const [p50, p95, max] = [0.5, 0.95, 1].map((share) => duration(quantile(waited, share)));
  const figures = `p50 ${p50} p95 ${p95} max ${max} (${waited.length})`;
  process.stdout.write(`${backend.padEnd(9)}${name.padEnd(24)}${figures}   ${more}\n`);
}

/** Connects a CRM whose owners are all paid, and returns signed deliveries, each of a change of another deal. */
async function deliveriesTo({ apiKey }: Tenant, world: CrmWorld, url: string): Promise<Delivery[]> {
  const api = new ApiClient(url, apiKey);
  const people = Array.from({ length: Number(values.reps) }, (_, index) => world.addPerson(`Rep${index}`));
  await world.connect(api, url);
  await api.expect(200, 'POST', '/v1/commissions/sync', {});
  await payEveryone(api);
  const dealIds = Array.from({ length: Number(values.flood) }, (_, index) =>
    world.addDeal({ owner: people[index % people.length] as string, amount: 1000, won: true, closeDate: '2026-02-03' }),
  );
  world.takeDeliveries();
  for (const dealId of dealIds) world.change(dealId, { amount: 2000 });
  return world.takeDeliveries();
}

async function newWorkspace(appUrl: string): Promise<Tenant> {
  const database = createDatabase({ url: appUrl, size: 1, onError: () => {} });
  const created = await createWorkspace(new UnitOfWork(database), {
    name: 'Fair',
    tier: 'enterprise',
    currency: 'USD',
    timezone: 'UTC',
  });
  await database.destroy();
  return created;
}

/** Creates a workspace whose reps `rep0`, `rep1`, … are paid by tiers of a quarterly quota. */
async function tenant(appUrl: string, url: string, count: number): Promise<PayingTenant> {
  const created = await newWorkspace(appUrl);
  const api = new ApiClient(url, created.apiKey);
  const reps = Array.from({ length: count }, (_, index) => ({
    email: `rep${index}@x.test`,
    name: `Rep ${index}`,
    crmMemberId: `rep${index}`,
  }));
  const saved = await api.expect(200, 'PUT', '/v1/reps', { reps });
  const repIds = saved.reps.map((rep: { id: string }) => rep.id);
  const tiers = [0.05, 0.1, 0.15].map((rate, tierIndex) => ({ tierIndex, minThreshold: tierIndex / 2, rate }));
  const rules = [{ name: 'Commission', measure: 'amount', attainmentPeriod: 'quarterly', tierMode: 'marginal', tiers }];
  const plan = await api.expect(201, 'POST', '/v1/plans', { name: 'Plan', config: { rules } });
  await api.expect(201, 'POST', '/v1/assignments', { repIds, planId: plan.planId });
  await api.expect(201, 'POST', '/v1/quotas', { repIds, measure: 'Commission', period: '2026-Q1', target: 100_000 });
  return { ...created, api };
}

const dealsOfB = 100;
let changesOfB = 0;

/** Changes `count` deals of B one after the other and returns the milliseconds from each request to its event. */
async function waits(watcher: pg.Client, { api, workspaceId }: PayingTenant, count: number): Promise<number[]> {
  const query =
    'select exists (select from commission_events where workspace_id = $1 and deal_key = $2 and base = $3) as done';
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) {
    changesOfB += 1;
    const dealId = `deal-${changesOfB % dealsOfB}`;
    const amount = 1000 + changesOfB;
    const deal = { amount, closeDate: '2026-02-03', ownerId: `rep${changesOfB % 5}` };
    const waited = await timed(async () => {
      const { status } = await api.put(`/v1/deals/${dealId}`, deal);
      if (status >= 300) throw new Error(`PUT ${dealId} returned status ${status}`);
      await untilDone(watcher, query, [workspaceId, dealId, amount], 2);
    });
    found.push(waited);
    await sleep(15);
  }
  return found;
}

async function sendFlood(deliveries: readonly Delivery[], sent: { count: number; done: boolean }): Promise<void> {
  let next = 0;
  const agent = new Agent({ keepAlive: true });
  await Promise.all(
    Array.from({ length: Number(values.connections) }, async () => {
      for (let one = deliveries[next++]; one !== undefined; one = deliveries[next++]) {
        await deliverOnce(agent, one);
        sent.count += 1;
      }
    }),
  );
  agent.destroy();
  sent.done = true;
}

async function deliverOnce(agent: Agent, delivery: Delivery): Promise<void> {
  for (;;) {
    const { status, retryAfter } = await send(agent, delivery);
    if (status < 300) return;
    if (status !== 429) throw new Error(`a delivery returned status ${status}`);
    await sleep(retryAfter * 1000);
  }
}

const drained = `select not exists (select from calculation_requests where workspace_id = $1)
  and not exists (select from inbox where workspace_id = $1 and processed_at is null) as done`;

let fair = true;
for (const backend of ['postgres', 'redis'] as const)
  if (values.backend === 'both' || values.backend === backend) fair = (await measure(backend)) && fair;
await stopTestServer();
process.exitCode = fair ? 0 : 1;
