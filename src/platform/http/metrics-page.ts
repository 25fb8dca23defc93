import { createHash, timingSafeEqual } from 'node:crypto';
import { type Express } from 'express';
import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.js';
import { mapInParallel } from '../../kernel/waiting.js';
import { type Database } from '../database/pool.js';
import { type JobQueue } from '../jobs/job-queue.js';
import { queueName } from '../jobs/queue-name.js';
import { type Log } from '../log.js';
import { metrics, registry } from '../metrics.js';

interface Measured {
  readonly database: Database;
  readonly queue: JobQueue;
  readonly log: Log;
}

/** `GET /metrics`: the counters, and the current backlog and queue length. Requires the token, if one is given. */
export function metricsPage(measured: Measured, token: string | null): (app: Express) => void {
  return (app) => {
    app.get('/metrics', async (request, response) => {
      if (token !== null && !hasBearerToken(request.headers.authorization, token))
        throw new Failure(
          'unauthorized',
          'Send the metrics token in the header Authorization: Bearer <METRICS_TOKEN>.',
        );
      await measure(measured);
      response.type(registry.contentType).send(await registry.metrics());
    });
  };
}

/** Compares digests, whose length and comparison time reveal nothing about the secret. */
function hasBearerToken(authorization: string | undefined, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${secret}`));
}

/** A gauge that cannot be measured keeps its last value, and the others are still returned. */
async function measure({ database, queue, log }: Measured): Promise<void> {
  const parts = [() => measureBacklog(database), () => measureQueue(queue)];
  await mapInParallel(parts, (measurePart) =>
    measurePart().catch((error: unknown) => log.warn({ err: error }, 'measuring a part of the metrics failed')),
  );
}

async function measureBacklog(database: Database): Promise<void> {
  const { rows } = await sql<{ requests: string; oldest_seconds: number; parked: string }>`
    select * from calculation_backlog()`.execute(database);
  const [backlog] = rows;
  metrics.calculationRequests.set(Number(backlog?.requests ?? 0));
  metrics.calculationRequestAge.set(backlog?.oldest_seconds ?? 0);
  metrics.parkedLanes.set(Number(backlog?.parked ?? 0));
}

async function measureQueue(queue: JobQueue): Promise<void> {
  for (const [state, count] of Object.entries(await queue.counts()))
    metrics.queueJobs.set({ queue: queueName, state }, count);
}
