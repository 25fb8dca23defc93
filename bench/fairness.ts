import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Delivery } from '#fakes/deliveries.js';
import { ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, crmbWorld, payEveryone } from '#test/support/crm-worlds.js';
import { freePort } from '#test/support/free-port.js';
import { startRedis } from '#test/support/redis-server.js';
import { ServiceProcess } from '#test/support/service-process.js';
import { type BenchService, startBenchService, untilDone } from './bench-service.js';
import { send } from './deliver.js';
import { type Effect, rowsWritten } from './effects.js';
import {
  alternating,
  type Contender,
  count,
  duration,
  measureOnce,
  omit,
  quantile,
  ratio,
  type Table,
} from './measure.js';
import { type Size } from './size.js';

interface Parameters {
  readonly flood: number;
  readonly repsOfA: number;
  readonly dealsOfB: number;
}

const usual: Parameters = { flood: 10_000, repsOfA: 200, dealsOfB: 100 };
const parameters: Readonly<Record<Size, Parameters>> = {
  quick: { flood: 200, repsOfA: 20, dealsOfB: 5 },
  small: { ...usual, flood: 2000 },
  usual,
  large: usual,
};
const connections = 16;
const repsOfB = 5;

/**
 * The time from a deal change of tenant B to its commission event, alone and while the CRM of tenant A delivers
 * webhooks as fast as they are accepted. Rejected deliveries are repeated after Retry-After, and the limits are the
 * service's defaults. B changes the same deals in rotation, so that the amount of work stays constant.
 */
export async function* fairness(size: Size): AsyncGenerator<Table> {
  yield await measure('PostgreSQL', {}, parameters[size]);
  const redis = await startRedis();
  if (redis === null) {
    omit('the queue on Redis', 'redis-server is not installed');
    return;
  }
  try {
    yield await measure('Redis', { REDIS_URL: redis.url }, parameters[size]);
  } finally {
    await redis.stop();
  }
}

interface Tenant {
  readonly workspaceId: string;
  readonly api: ApiClient;
}

async function measure(
  backend: string,
  queue: Readonly<Record<string, string>>,
  { flood, repsOfA, dealsOfB }: Parameters,
): Promise<Table> {
  const world = await crmbWorld();
  const port = String(await freePort());
  const PUBLIC_URL = `http://127.0.0.1:${port}`;
  const environment = { PUBLIC_URL, CRM_ALLOW_LOOPBACK: '1', ...world.environment, ...queue };
  try {
    await using service = await startBenchService({ worker: false, environment });
    const settings = { ...service.environment, PORT: port };
    await using api = await ServiceProcess.start('api', settings, { isInstalled: true });
    await using _worker = await ServiceProcess.start('worker', settings, { isInstalled: true });
    const a = await tenant(service, api.url);
    const b = await tenant(service, api.url);
    await payReps(b.api);
    const change = createChangeOfB(service, b, dealsOfB);
    const idle = (await alternating([change], 2 * dealsOfB, dealsOfB))[0]?.runs ?? [];
    const deliveries = await deliveriesTo(a, world, { url: api.url, flood, repsOfA });
    const loaded: number[] = [];
    const ms = await measureOnce({
      name: 'the webhooks of A',
      effects: expectRows(service, a, { deals: flood, commission_events: flood }),
      run: async () => {
        const sending = new Flood(deliveries);
        while (!sending.isOver) loaded.push(await measureOnce(change, false));
        await sending.end();
        await untilDone(service.owner, drained, [a.workspaceId], 50);
      },
    });
    return table(`queue on ${backend}`, { idle, loaded, flood, ms });
  } finally {
    await world.stop();
  }
}

interface Waits {
  readonly idle: readonly number[];
  readonly loaded: readonly number[];
  readonly flood: number;
  readonly ms: number;
}

function table(circumstances: string, { idle, loaded, flood, ms }: Waits): Table {
  const row = (name: string, waits: readonly number[]) => [
    name,
    String(waits.length),
    ...[0.5, 0.95, 1].map((share) => duration(quantile(waits, share))),
    ratio(quantile(waits, 0.95) / quantile(idle, 0.95)),
  ];
  return {
    title: `From a deal of tenant B to its commission, ${circumstances}`,
    columns: ['', 'changes', 'p50', 'p95', 'max.', 'p95 against B alone'],
    rows: [row('B alone', idle), row(`while A sends ${count(flood)} webhooks`, loaded)],
    notes: [`The last webhook of A was calculated after ${duration(ms)}.`],
  };
}

function expectRows(
  { owner }: BenchService,
  { workspaceId }: Tenant,
  tables: Readonly<Record<string, number>>,
): readonly Effect[] {
  return Object.entries(tables).map(([table, rows]) =>
    rowsWritten(owner, `${table} where workspace_id = $1`, [workspaceId], rows),
  );
}

async function tenant(service: BenchService, url: string): Promise<Tenant> {
  const { workspaceId, apiKey } = await service.newWorkspace();
  return { workspaceId, api: new ApiClient(url, apiKey) };
}

interface FloodOptions {
  readonly url: string;
  readonly flood: number;
  readonly repsOfA: number;
}

/** Connects a CRM whose owners are all paid, and returns signed deliveries, each of a change of another deal. */
async function deliveriesTo(
  { api }: Tenant,
  world: CrmWorld,
  { url, flood, repsOfA }: FloodOptions,
): Promise<readonly Delivery[]> {
  const people = Array.from({ length: repsOfA }, (_, index) => world.addPerson(`Rep${index}`));
  await world.connect(api, url);
  await api.expect(200, 'POST', '/v1/commissions/sync', {});
  await payEveryone(api);
  const dealIds = Array.from({ length: flood }, (_, index) =>
    world.addDeal({ owner: people[index % people.length] as string, amount: 1000, won: true, closeDate: '2026-02-03' }),
  );
  world.takeDeliveries();
  for (const dealId of dealIds) world.change(dealId, { amount: 2000 });
  return world.takeDeliveries();
}

/** Saves reps `rep0`, `rep1`, … who are paid by tiers of a quarterly quota. */
async function payReps(api: ApiClient): Promise<void> {
  const reps = Array.from({ length: repsOfB }, (_, index) => ({
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
}

/** Changes one deal, until its event has the amount. */
function createChangeOfB(service: BenchService, b: Tenant, dealsOfB: number): Contender {
  const isPaid =
    'select exists (select from commission_events where workspace_id = $1 and deal_key = $2 and base = $3) as done';
  let changes = 0;
  return {
    name: 'a change of B',
    effects: expectRows(service, b, { deals: 1 }),
    prepare: () => sleep(15),
    run: async () => {
      changes += 1;
      const dealId = `deal-${changes % dealsOfB}`;
      const amount = 1000 + changes;
      const deal = { amount, closeDate: '2026-02-03', ownerId: `rep${changes % repsOfB}` };
      const { status } = await b.api.put(`/v1/deals/${dealId}`, deal);
      if (status >= 300) throw new Error(`PUT ${dealId} returned status ${status}`);
      await untilDone(service.owner, isPaid, [b.workspaceId, dealId, amount], 2);
    },
  };
}

/** Sends the deliveries over several connections. */
class Flood {
  isOver = false;
  private readonly sent: Promise<void>;

  constructor(deliveries: readonly Delivery[]) {
    this.sent = this.sendAll(deliveries).finally(() => {
      this.isOver = true;
    });
    // The failure is reported at the end.
    this.sent.catch(() => undefined);
  }

  end(): Promise<void> {
    return this.sent;
  }

  private async sendAll(deliveries: readonly Delivery[]): Promise<void> {
    const agent = new Agent({ keepAlive: true });
    let next = 0;
    const sendRest = async () => {
      for (let delivery = deliveries[next++]; delivery !== undefined; delivery = deliveries[next++])
        await deliverUntilAccepted(agent, delivery);
    };
    await Promise.all(Array.from({ length: connections }, sendRest));
    agent.destroy();
  }
}

async function deliverUntilAccepted(agent: Agent, delivery: Delivery): Promise<void> {
  for (;;) {
    const { status, retryAfter } = await send(agent, delivery);
    if (status < 300) return;
    if (status !== 429) throw new Error(`a delivery returned status ${status}`);
    await sleep(retryAfter * 1000);
  }
}

const drained = `select not exists (select from calculation_requests where workspace_id = $1)
  and not exists (select from inbox where workspace_id = $1 and processed_at is null) as done`;
