import { fail } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { crmProviders } from '#src/crm/port.js';
import { ApiClient } from '#test/support/api-client.js';
import { crmWorlds, payEveryone } from '#test/support/crm-worlds.js';
import { type BenchService, startBenchService } from './bench-service.js';
import { WorkerProcess } from './worker-process.js';

/**
 * Syncs that many won deals of 100 reps from each simulated CRM with one worker process, and measures the time, the
 * memory of the worker and the work of the engine; once for each number of `kill -9` of the worker, at equal distances.
 * Exits with 1 if a deal or its commission is missing.
 */
const { values } = parseArgs({
  options: {
    deals: { type: 'string', default: '250000' },
    crms: { type: 'string', default: crmProviders.join(',') },
    kills: { type: 'string', default: '0,2' },
  },
});
const total = Number(values.deals);
const owners = 100;

type World = Awaited<ReturnType<(typeof crmWorlds)[number]['start']>>;

/** A connected account without deals, whose people are on a plan. */
async function prepare(world: World, service: BenchService): Promise<{ api: ApiClient; workspaceId: string }> {
  const workspace = await service.newWorkspace();
  const api = new ApiClient(service.url, workspace.apiKey);
  await api.send('PATCH', '/v1/workspaces', { currency: world.currency });
  await world.connect(api, service.url);
  await api.send('PATCH', `/v1/integrations/${world.provider}`, { syncEnabled: false });
  await api.expect(200, 'POST', '/v1/reps/sync', {});
  await payEveryone(api);
  return { api, workspaceId: workspace.workspaceId };
}

function generate(world: World, people: readonly string[]): void {
  world.generateDeals(total, (position) => ({
    owner: people[position % owners] as string,
    amount: 1000 + position,
    won: true,
    closeDate: `2026-${String((position % 12) + 1).padStart(2, '0')}-15`,
  }));
}

async function measure(world: World, people: readonly string[], kills: number): Promise<boolean> {
  await using service = await startBenchService({
    worker: false,
    environment: {
      ...world.environment,
      CRM_ALLOW_LOOPBACK: '1',
      CRM_POLL_SECONDS: '86400',
      PUBLIC_URL: 'http://127.0.0.1:9',
    },
  });
  world.generateDeals(0, () => fail('there are no deals yet'));
  const { api, workspaceId } = await prepare(world, service);
  generate(world, people);
  const count = async (text: string) => Number((await service.owner.query(text, [workspaceId])).rows[0].n);
  let worker = await WorkerProcess.start(service);
  let earlierPeak = 0;
  const peak = () => Math.max(earlierPeak, worker.peak);
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1);
  const { jobId } = await api.expect(200, 'POST', '/v1/commissions/sync', { provider: world.provider, async: true });
  const quarters: string[] = [];
  let killed = 0;
  try {
    for (;;) {
      const job = await api.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);
      const stored = await count('select count(*) as n from deals where workspace_id = $1');
      if (stored >= (total * (quarters.length + 1)) / 4) quarters.push(`${seconds()} s (${peak().toFixed(0)} MB)`);
      if (job.status !== 'running') {
        const runs = await count("select count(*) as n from audit_runs where workspace_id = $1 and trigger = 'sync'");
        const read = await count("select sum(deals) as n from audit_runs where workspace_id = $1 and trigger = 'sync'");
        const paid = await count(
          "select count(*) as n from commission_events where workspace_id = $1 and status = 'earned'",
        );
        process.stdout.write(
          `${world.provider}: ${total} deals, ${kills} kills: ${job.status} ${job.error ?? ''} after ${seconds()} s, quarters at ${quarters.join(', ')}, worker at most ${peak().toFixed(0)} MB, ${runs} runs of the engine with ${read} deals, ${paid} events\n`,
        );
        return job.status === 'completed' && stored === total && job.result?.created === total && paid === total;
      }
      if (killed < kills && stored >= ((killed + 1) * total) / (kills + 1)) {
        killed += 1;
        earlierPeak = peak();
        await worker.end('SIGKILL');
        worker = await WorkerProcess.start(service);
      }
      await sleep(500);
    }
  } finally {
    await worker.end('SIGTERM');
  }
}

let isComplete = true;
for (const { provider, start } of crmWorlds) {
  if (!values.crms.split(',').includes(provider)) continue;
  const world = await start();
  const people = Array.from({ length: owners }, (_, index) => world.addPerson(`Rep${index}`));
  for (const kills of values.kills.split(',')) isComplete = (await measure(world, people, Number(kills))) && isComplete;
  await world.stop();
}
process.exit(isComplete ? 0 : 1);
