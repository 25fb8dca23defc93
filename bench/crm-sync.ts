import { fail } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CrmProvider } from '#src/crm/adapters/port.js';
import { ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, crmWorlds, payEveryone } from '#test/support/crm-worlds.js';
import { type BenchService, startBenchService } from './bench-service.js';
import { growth, readValue, rowsWritten } from './effects.js';
import { count, duration, measureOnce, type Table } from './measure.js';
import { type Size } from './size.js';
import { WorkerProcess } from './worker-process.js';

const sizes: Readonly<Record<Size, number>> = { quick: 300, small: 10_000, usual: 50_000, large: 250_000 };
const owners = 100;

/**
 * Syncs won deals of 100 reps from each simulated CRM with one worker process, without and with `kill -9` of the worker
 * at each third: the time, the memory of the worker, and the work of the engine.
 */
export async function* crmSync(size: Size): AsyncGenerator<Table> {
  const rows: string[][] = [];
  for (const { provider, start } of size === 'quick' ? crmWorlds.slice(1, 2) : crmWorlds) {
    const world = await start();
    try {
      const people = Array.from({ length: owners }, (_, index) => world.addPerson(`Rep${index}`));
      const undisturbed = await measure(world, people, sizes[size], 0);
      const disturbed = await measure(world, people, sizes[size], 2);
      rows.push([`crm-${provider.at(-1)}`, ...cells(undisturbed), ...cells(disturbed)]);
    } finally {
      await world.stop();
    }
  }
  yield {
    title: `Syncs of ${count(sizes[size])} deals, until the last commission`,
    columns: ['', 'time', 'max. memory', 'with two kills', 'max. memory'],
    rows,
    notes: ['Resident memory of the worker. After a kill the sync waits for the end of a lease of 15 s.'],
  };
}

interface Synced {
  readonly ms: number;
  readonly megabytes: number;
}

function cells({ ms, megabytes }: Synced): readonly string[] {
  return [duration(ms), `${megabytes.toFixed(0)} MB`];
}

async function measure(world: CrmWorld, people: readonly string[], deals: number, kills: number): Promise<Synced> {
  await using service = await startBenchService({
    worker: false,
    environment: {
      ...world.environment,
      CRM_ALLOW_LOOPBACK: '1',
      CRM_POLL_SECONDS: '86400',
      PUBLIC_URL: 'http://127.0.0.1:9',
    },
  });
  const { api, workspaceId } = await prepare(world, service);
  generate(world, people, deals);
  const worker = await WorkerProcess.forService(service);
  try {
    const sync = { service, workspaceId, api, worker, deals, kills };
    const ms = await measureOnce({
      name: `${world.provider} with ${kills} kills`,
      effects: listEffects(sync),
      run: () => syncAll(sync, world.provider),
    });
    return { ms, megabytes: worker.peak };
  } finally {
    await worker.end();
  }
}

interface Sync {
  readonly service: BenchService;
  readonly workspaceId: string;
  readonly api: ApiClient;
  readonly worker: WorkerProcess;
  readonly deals: number;
  readonly kills: number;
}

/** Every deal is stored and paid, and the engine reads it once. */
function listEffects({ service: { owner }, workspaceId, deals }: Sync) {
  const read =
    "select coalesce(sum(deals), 0)::int as value from audit_runs where workspace_id = $1 and trigger = 'sync'";
  return [
    ...['deals', 'commission_events'].map((table) =>
      rowsWritten(owner, `${table} where workspace_id = $1`, [workspaceId], deals),
    ),
    growth('deals read by the engine', () => readValue<number>(owner, read, [workspaceId]), deals),
  ];
}

/** A connected account without deals, whose people are on a plan. */
async function prepare(world: CrmWorld, service: BenchService): Promise<{ api: ApiClient; workspaceId: string }> {
  world.generateDeals(0, () => fail('there are no deals yet'));
  const workspace = await service.newWorkspace();
  const api = new ApiClient(service.url, workspace.apiKey);
  await api.send('PATCH', '/v1/workspaces', { currency: world.currency });
  await world.connect(api, service.url);
  await api.send('PATCH', `/v1/integrations/${world.provider}`, { syncEnabled: false });
  await api.expect(200, 'POST', '/v1/reps/sync', {});
  await payEveryone(api);
  return { api, workspaceId: workspace.workspaceId };
}

function generate(world: CrmWorld, people: readonly string[], deals: number): void {
  world.generateDeals(deals, (position) => ({
    owner: people[position % owners] as string,
    amount: 1000 + position,
    won: true,
    closeDate: `2026-${String((position % 12) + 1).padStart(2, '0')}-15`,
  }));
}

/** Kills and restarts the worker at equal distances, by stored deals. */
async function syncAll(sync: Sync, provider: CrmProvider): Promise<void> {
  const { service, workspaceId, api, worker, deals, kills } = sync;
  const stored = 'select count(*)::int as value from deals where workspace_id = $1';
  const { jobId } = await api.expect(200, 'POST', '/v1/commissions/sync', { provider, async: true });
  let killed = 0;
  for (;;) {
    const job = await api.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);
    if (job.status === 'completed' && job.result.created === deals) return;
    if (job.status !== 'running') throw new Error(`the sync ended as ${JSON.stringify(job)}`);
    const count = await readValue<number>(service.owner, stored, [workspaceId]);
    if (killed < kills && count >= ((killed + 1) * deals) / (kills + 1)) {
      killed += 1;
      await worker.end('SIGKILL');
      await worker.start();
    }
    await sleep(100);
  }
}
