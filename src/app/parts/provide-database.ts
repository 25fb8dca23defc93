import { LaneRunner } from '../../ledger/lanes/lane-runner.js';
import { Notifications } from '../../outgoing/notifications/notifications.js';
import { requestAcceptances } from '../../plans/acceptance/request-acceptances.js';
import { createDatabase } from '../../platform/database/pool.js';
import { ReadReplica } from '../../platform/database/read-replica.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CONFIG, DATABASE, LOG, READ_REPLICA } from '../../platform/injection-tokens.js';
import { JobStatuses } from '../../platform/job-status/job-statuses.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { Leases } from '../../platform/jobs/leases.js';
import { deliverEventsJob } from '../../platform/outbound/delivery-job.js';
import { type PartContainer } from '../../platform/part-container.js';

/** The database of the service's tables, its replica, and transactions. */
export function provideDatabase(parts: PartContainer, appUrl: string): void {
  const onError = (error: Error) => parts.resolve(LOG).warn({ err: error }, 'database connection lost');
  parts
    .provide(
      DATABASE,
      () => createDatabase({ url: appUrl, size: parts.resolve(CONFIG).DATABASE_POOL_SIZE, onError }),
      (database) => database.destroy(),
    )
    .provide(READ_REPLICA, createReplica, async (replica) => replica?.close())
    .provide(UnitOfWork, createUnitOfWork)
    .provideClass(Leases, [UnitOfWork]);
}

function createReplica(parts: PartContainer): ReadReplica | undefined {
  const config = parts.resolve(CONFIG);
  const { DATABASE_READ_URL: url, DATABASE_READ_MAX_LAG_SECONDS: maxLagSeconds, DATABASE_POOL_SIZE: size } = config;
  if (url === undefined) return undefined;
  return new ReadReplica({ url, size, maxLagSeconds, primary: parts.resolve(DATABASE), log: parts.resolve(LOG) });
}

/** What a commit causes is resolved when it happens, because those parts write in transactions themselves. */
function createUnitOfWork(parts: PartContainer): UnitOfWork {
  return new UnitOfWork(parts.resolve(DATABASE), {
    concurrency: Math.max(2, Math.floor(parts.resolve(CONFIG).DATABASE_POOL_SIZE / 3)),
    replica: parts.resolve(READ_REPLICA),
    onReleased: (workspaceId, repIds) => parts.resolve(LaneRunner).wakeReleased(workspaceId, repIds),
    onJobs: (workspaceId, jobs) => parts.resolve(JobStatuses).changed(workspaceId, jobs),
    onEvents: (workspaceId) => void parts.resolve(JobQueue).add(deliverEventsJob, { workspaceId }),
    onRecorded: (tx, events) => parts.resolve(Notifications).send(tx, events),
    onTermsChanged: requestAcceptances,
  });
}
