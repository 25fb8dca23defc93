import { type Service } from '#src/composition.js';
import { type JobHandler, JobWorker } from '#src/platform/jobs/job-queue.js';
import { calculateHandler } from './calculate.js';
import { Sweep } from './sweep.js';

export interface Workers {
  stop(): Promise<void>;
}

/** Starts everything that works in the background: every job of the service, and the sweep. */
export async function startWorkers(service: Service): Promise<Workers> {
  const { config, database, unitOfWork, queueBackend, laneRunner, clock, log } = service;
  const handlers = [calculateHandler(laneRunner)];
  const worker = new JobWorker(
    queueBackend,
    handlers as unknown as JobHandler<never>[],
    config.WORKER_CONCURRENCY,
    log,
  );
  await worker.start();
  const sweep = new Sweep(database, unitOfWork, service.wakeLanes, clock, log);
  sweep.start();
  return {
    stop: async () => {
      await sweep.stop();
      await worker.close();
    },
  };
}
