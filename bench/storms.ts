import { type Delivery } from '#fakes/deliveries.js';
import { ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, crmbWorld, payEveryone } from '#test/support/crm-worlds.js';
import { freePort } from '#test/support/free-port.js';
import { type BenchService, startBenchService, untilDone } from './bench-service.js';
import { deliver } from './deliver.js';
import { type Effect, rowsWritten } from './effects.js';
import { alternating, type Contender, count, duration, ratio, type Table } from './measure.js';
import { untilCalculated } from './sales-year.js';
import { type Size } from './size.js';

const dealsPerRep = 5;

/** A workspace that is connected to the simulated CRM-b. */
interface Connected {
  readonly service: BenchService;
  readonly world: CrmWorld;
  readonly api: ApiClient;
  readonly workspaceId: string;
  readonly plan: {
    readonly planId: string;
    readonly config: { readonly rules: readonly { readonly tiers: readonly object[] }[] };
  };
  readonly dealIds: readonly string[];
  readonly emails: readonly string[];
}

const reps: Readonly<Record<Size, number>> = { quick: 20, small: 200, usual: 2000, large: 2000 };
const rounds: Readonly<Record<Size, number>> = { quick: 1, small: 2, usual: 5, large: 5 };

/** Changes of many deals and reps at once, each until the last commission, against the import of the same deals. */
export async function* storms(size: Size): AsyncGenerator<Table> {
  const world = await crmbWorld();
  const port = await freePort();
  const environment = {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    CRM_ALLOW_LOOPBACK: '1',
    WEBHOOKS_PER_SECOND: '100000',
    ...world.environment,
  };
  try {
    await using service = await startBenchService({ environment });
    yield await measureStorms(await connect(service, world, reps[size]), rounds[size]);
  } finally {
    await world.stop();
  }
}

async function connect(service: BenchService, world: CrmWorld, reps: number): Promise<Connected> {
  const { workspaceId, apiKey } = await service.newWorkspace();
  const api = new ApiClient(service.url, apiKey);
  const names = Array.from({ length: reps }, (_, index) => `Rep${index}`);
  const people = names.map((name) => world.addPerson(name));
  await world.connect(api, service.url);
  const deal = { amount: 1000, won: true, closeDate: '2026-02-03' };
  const dealIds = Array.from({ length: reps * dealsPerRep }, (_, index) =>
    world.addDeal({ ...deal, owner: people[index % reps] as string }),
  );
  world.takeDeliveries();
  await api.expect(200, 'POST', '/v1/commissions/sync', {});
  await payEveryone(api);
  await untilCalculated(service, workspaceId);
  await service.owner.query('vacuum analyze');
  const emails = names.map((name) => `${name.toLowerCase()}@x.io`);
  const [{ planId }] = await api.expect(200, 'GET', '/v1/plans');
  const plan = await api.expect(200, 'GET', `/v1/plans/${planId}`);
  return { service, world, api, workspaceId, plan, dealIds, emails };
}

async function measureStorms(connected: Connected, rounds: number): Promise<Table> {
  const { dealIds, emails } = connected;
  const [deals, reps] = [dealIds.length, emails.length];
  const measured = await alternating(
    [
      change(`import of ${count(deals)} changed deals`, connected, importDeals, { deals, commission_events: deals }),
      webhooks(connected),
      change(`plan change for ${count(reps)} reps`, connected, changePlan, {
        plan_versions: 1,
        commission_events: deals,
      }),
      change(`import of ${count(reps)} quotas`, connected, importQuotas, { quotas: reps, commission_events: deals }),
    ],
    rounds,
  );
  const imported = measured[0]?.median ?? Number.NaN;
  return {
    title: `Changes of ${count(reps)} reps with ${dealsPerRep} deals each, until the last commission`,
    columns: ['', 'median', 'against the import'],
    rows: measured.map(({ name, median }) => [name, duration(median), ratio(median / imported)]),
    notes: ['The simulated CRM, from which the service reads the deals of the webhooks, shares the cores.'],
  };
}

/** The rows that a run writes, by table. */
type Writes = Readonly<Record<string, number>>;

function listEffects({ service, workspaceId }: Connected, writes: Writes): readonly Effect[] {
  return Object.entries(writes).map(([table, rows]) =>
    rowsWritten(service.owner, `${table} where workspace_id = $1`, [workspaceId], rows),
  );
}

type Change = (connected: Connected, amount: number) => Promise<void>;

let amount = 1000;

/** Every run changes all amounts, so that no run finds them unchanged. */
function change(name: string, connected: Connected, apply: Change, writes: Writes): Contender {
  return {
    name,
    effects: listEffects(connected, writes),
    run: async () => {
      amount += 1;
      await apply(connected, amount);
      await untilCalculated(connected.service, connected.workspaceId);
    },
  };
}

const noMessage = 'select not exists (select from inbox where workspace_id = $1 and processed_at is null) as done';

function webhooks(connected: Connected): Contender {
  const { service, workspaceId, world, dealIds } = connected;
  const deals = dealIds.length;
  let deliveries: readonly Delivery[] = [];
  return {
    name: `${count(deals)} webhooks`,
    effects: listEffects(connected, { deals, commission_events: deals }),
    prepare: async () => {
      amount += 1;
      for (const dealId of dealIds) world.change(dealId, { amount });
      deliveries = world.takeDeliveries();
    },
    run: async () => {
      await deliver(deliveries);
      await untilDone(service.owner, noMessage, [workspaceId]);
      await untilCalculated(service, workspaceId);
    },
  };
}

const importDeals: Change = async ({ api, dealIds }, amount) => {
  const deals = dealIds.map((dealId) => ({ dealId, amount }));
  const { accepted } = await api.expect(200, 'POST', '/v1/deals/import', { deals });
  if (accepted !== dealIds.length) throw new Error(`${accepted} deals were accepted`);
};

const changePlan: Change = async ({ api, plan: { planId, config } }, amount) => {
  const [rule] = config.rules;
  const rules = [{ ...rule, tiers: rule?.tiers.map((tier) => ({ ...tier, rate: amount / 100_000 })) }];
  await api.expect(200, 'PATCH', `/v1/plans/${planId}`, { config: { ...config, rules } });
};

const importQuotas: Change = async ({ api, emails }, amount) => {
  const rows = emails.map((email) => `${email},AE,Won,2026-Q1,${500_000 + amount}`);
  const csv = ['email,plan,measure,period,target', ...rows].join('\n');
  const { accepted } = await api.expect(200, 'POST', '/v1/quotas/import', csv, { 'Content-Type': 'text/csv' });
  if (accepted !== emails.length) throw new Error(`${accepted} quotas were accepted`);
};
