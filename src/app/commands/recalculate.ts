import { setTimeout as sleep } from 'node:timers/promises';
import { recalculateCommissions } from '../../commissions/commands/recalculate-commissions.js';
import { getRecalculationJob } from '../../commissions/queries/get-recalculation-job.js';
import { type Caller, serviceCaller } from '../../kernel/caller.js';
import { assertHarmlessRole } from '../../platform/database/pool.js';
import { createLog } from '../../platform/log.js';
import { compose, type Service } from '../composition.js';
import { assertWorkspace, withServer } from './database-access.js';
import { assertWorkspaceId, readWholeNumber } from './usage-error.js';

interface RecalculateOptions {
  readonly rep?: string;
  readonly plan?: string;
  readonly deal?: string;
  readonly wait?: boolean;
  readonly timeout: string;
  readonly json?: boolean;
}

/** Requests the calculation, which running workers do. */
export async function recalculate(
  workspaceId: string,
  { rep: repId, plan: planId, deal: dealId, wait = false, timeout, json = false }: RecalculateOptions,
): Promise<void> {
  assertWorkspaceId(workspaceId);
  const timeoutSeconds = readWholeNumber('--timeout', timeout, 1, 86_400);
  const scope = Object.fromEntries(Object.entries({ repId, planId, dealId }).filter(([, id]) => id !== undefined));
  await withService(async (service) => {
    await assertWorkspace(service.unitOfWork, workspaceId);
    const caller = { ...serviceCaller(workspaceId, 'command-line'), actor: 'command-line' };
    const raw = { params: {}, query: {}, body: { ...scope, async: true } };
    const { body: response } = await service.dispatcher.run(recalculateCommissions, raw, caller);
    const { jobId } = response as { jobId: string };
    const job = wait ? await waitForFinalStatus(service, caller, jobId, timeoutSeconds) : { jobId, status: 'running' };
    process.stdout.write(json ? `${JSON.stringify(job)}\n` : `${jobId} ${job.status}\n`);
    process.exitCode = job.status === 'failed' ? 1 : 0;
  });
}

/** The composed service, without a listening API and without workers. */
async function withService(work: (service: Service) => Promise<void>): Promise<void> {
  await withServer(async (server, config) => {
    const service = compose(config, server.appUrl, createLog('warn'));
    try {
      await assertHarmlessRole(service.database);
      await work(service);
    } finally {
      await service.close();
    }
  });
}

/** Fails when no rep was calculated for the given seconds. The request stays stored. */
async function waitForFinalStatus(
  service: Service,
  caller: Caller,
  jobId: string,
  timeoutSeconds: number,
): Promise<{ jobId: string; status: string }> {
  let [lastDone, changedAt] = [-1, performance.now()];
  for (;;) {
    const raw = { params: { jobId }, query: {}, body: undefined };
    const { body: response } = await service.dispatcher.run(getRecalculationJob, raw, caller);
    const job = response as { jobId: string; status: string; progress: { done: number; total: number } };
    const { done, total } = job.progress;
    if (done !== lastDone) {
      process.stderr.write(`calculated ${done} of ${total} reps\n`);
      [lastDone, changedAt] = [done, performance.now()];
    }
    if (job.status !== 'running') return job;
    if (performance.now() - changedAt >= timeoutSeconds * 1000)
      throw new Error(
        `Job ${jobId} is not done, and no rep was calculated for ${timeoutSeconds} s. Is a worker running (commissions serve)? The recalculation stays requested, and a worker does it when it runs.`,
      );
    await sleep(1000);
  }
}
