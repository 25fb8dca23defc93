import { createHash, timingSafeEqual } from 'node:crypto';
import { type Express } from 'express';
import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.js';
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

/** `GET /metrics`: what was counted, and how much is waiting at this moment. With a token for whoever shows it. */
export function metricsPage(measured: Measured, token: string | null): (app: Express) => void {
  return (app) => {
    app.get('/metrics', async (request, response) => {
      if (token !== null && !hasBearerToken(request.headers.authorization, token))
        throw new Failure('unauthorized', 'The metrics need their token: Authorization: Bearer <METRICS_TOKEN>.');
      await measure(measured);
      response.type(registry.contentType).send(await registry.metrics());
    });
  };
}

/** Compares digests, whose length and time tell nothing of the secret. */
export function hasBearerToken(authorization: string | undefined, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${secret}`));
}

/** What cannot be asked keeps its last value; that it is old shows in the logs, and the rest is still told. */
async function measure({ database, queue, log }: Measured): Promise<void> {
  const asked = await Promise.allSettled([measureBacklog(database), measureQueue(queue)]);
  for (const answer of asked)
    if (answer.status === 'rejected') log.warn({ err: answer.reason }, 'a part of the metrics could not be measured');
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
