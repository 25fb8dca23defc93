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

/** `GET /metrics`: the counters, of all databases together, and the current backlog and queue length. Requires the token, if one is given. */
export function metricsPage(measured: () => readonly Measured[], token: string | null): (app: Express) => void {
  return (app) => {
    app.get('/metrics', async (request, response) => {
      if (token !== null && !hasBearerToken(request.headers.authorization, token))
        throw new Failure(
          'unauthorized',
          'Send the metrics token in the header Authorization: Bearer <METRICS_TOKEN>.',
        );
      await measure(measured());
      response.type(registry.contentType).send(await registry.metrics());
    });
  };
}

/** Compares digests, whose length and comparison time reveal nothing about the secret. */
function hasBearerToken(authorization: string | undefined, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${secret}`));
}

/** Gauges keep their last value where one of the databases cannot be measured, and the others are still returned. */
async function measure(measured: readonly Measured[]): Promise<void> {
  const databases = measured.map(({ database }) => database);
  const queues = measured.map(({ queue }) => queue);
  const parts = [() => measureBacklog(databases), () => measureQueue(queues)];
  await mapInParallel(parts, (measurePart) =>
    measurePart().catch((error: unknown) =>
      measured[0]?.log.warn({ err: error }, 'measuring a part of the metrics failed'),
    ),
  );
}

async function measureBacklog(databases: readonly Database[]): Promise<void> {
  const backlogs = await mapInParallel(databases, async (database) => {
    const { rows } = await sql<{ requests: string; oldest_seconds: number; parked: string }>`
      select * from calculation_backlog()`.execute(database);
    return rows[0];
  });
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  metrics.calculationRequests.set(sum(backlogs.map((backlog) => Number(backlog?.requests ?? 0))));
  metrics.calculationRequestAge.set(Math.max(0, ...backlogs.map((backlog) => backlog?.oldest_seconds ?? 0)));
  metrics.parkedLanes.set(sum(backlogs.map((backlog) => Number(backlog?.parked ?? 0))));
}

async function measureQueue(queues: readonly JobQueue[]): Promise<void> {
  const totals = new Map<string, number>();
  for (const counts of await mapInParallel(queues, (queue) => queue.counts()))
    for (const [state, count] of Object.entries(counts)) totals.set(state, (totals.get(state) ?? 0) + count);
  for (const [state, count] of totals) metrics.queueJobs.set({ queue: queueName, state }, count);
}
