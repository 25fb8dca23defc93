import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { crmProviders } from '#src/crm/port.js';
import { crmWorlds } from '#test/support/crm-worlds.js';
import { ApiClient } from '#test/support/test-service.js';
import { startBenchService } from './bench-service.js';
import { PeakMemory, startWorker, stopWorker } from './worker-process.js';

/**
 * Syncs that many deals from each simulated CRM with one worker process, measures time and memory of the worker, and
 * repeats the sync with `kill -9` of the worker at each third. Exits with 1 if a deal is missing.
 */
const { values } = parseArgs({
  options: { deals: { type: 'string', default: '250000' }, crms: { type: 'string', default: crmProviders.join(',') } },
});
const total = Number(values.deals);
const owners = 100;

type World = Awaited<ReturnType<(typeof crmWorlds)[number]['start']>>;

function fill(world: World): void {
  const people = Array.from({ length: owners }, (_, index) => world.addPerson(`Rep${index}`));
  for (let index = 0; index < total; index += 1) {
    const closeDate = `2026-${String((index % 12) + 1).padStart(2, '0')}-15`;
    world.addDeal({ owner: people[index % owners] as string, amount: 1000 + index, won: true, closeDate });
  }
}

async function measure(world: World, kills: readonly number[]): Promise<boolean> {
  const service = await startBenchService({
    worker: false,
    environment: {
      ...world.environment,
      CRM_ALLOW_LOOPBACK: '1',
      CRM_POLL_SECONDS: '86400',
      PUBLIC_URL: 'http://127.0.0.1:9',
    },
  });
  const workspace = await service.newWorkspace();
  const api = new ApiClient(service.url, workspace.apiKey);
  await world.connect(api, service.url);
  await api.send('PATCH', `/v1/integrations/${world.provider}`, { syncEnabled: false });
  let worker = await startWorker(service);
  let memory = new PeakMemory([worker]);
  const startedAt = performance.now();
  const { jobId } = await api.expect(200, 'POST', '/v1/commissions/sync', { provider: world.provider, async: true });
  const left = [...kills];
  const quarters: string[] = [];
  let peak = 0;
  try {
    for (;;) {
      const { status, result, error } = await api.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);
      const { rows } = await service.owner.query('select count(*)::int as n from deals where workspace_id = $1', [
        workspace.workspaceId,
      ]);
      const done = Number(rows[0].n);
      if (done >= (total * (quarters.length + 1)) / 4)
        quarters.push(((performance.now() - startedAt) / 1000).toFixed(1));
      if (status !== 'running') {
        const seconds = (performance.now() - startedAt) / 1000;
        peak = Math.max(peak, memory.peaks[0] ?? 0);
        process.stdout.write(
          `${world.provider}: ${total} deals, ${kills.length} kills: ${status} ${error ?? ''} after ${seconds.toFixed(1)} s, quarters at ${quarters.join(', ')} s, worker at most ${peak.toFixed(0)} MB, created ${result?.created}, stored ${done}\n`,
        );
        return status === 'completed' && done === total && result?.created === total;
      }
      if (left[0] !== undefined && done >= left[0] * total) {
        left.shift();
        peak = Math.max(peak, memory.peaks[0] ?? 0);
        memory.stop();
        worker.kill('SIGKILL');
        worker = await startWorker(service);
        memory = new PeakMemory([worker]);
      }
      await sleep(200);
    }
  } finally {
    memory.stop();
    await stopWorker(worker);
    await service.stop();
  }
}

let isComplete = true;
for (const { provider, start } of crmWorlds) {
  if (!values.crms.split(',').includes(provider)) continue;
  const world = await start();
  fill(world);
  for (const kills of [[], [1 / 3, 2 / 3]]) isComplete = (await measure(world, kills)) && isComplete;
  await world.stop();
}
process.exit(isComplete ? 0 : 1);
