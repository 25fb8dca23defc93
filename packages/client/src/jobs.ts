import { type Client } from '../../../src/client.js';

type Job = Awaited<ReturnType<Client['getRecalculationJob']>>;

interface WaitOptions {
  /** Milliseconds between two calls. Default: 1,000. */
  readonly intervalMs?: number;
  /** Milliseconds after which waiting ends with an error. Default: an hour. */
  readonly timeoutMs?: number;
  readonly onProgress?: (job: Job) => void;
}

/** The recalculation, import or sync when it has ended. It throws if the job failed. */
export async function waitForJob(
  client: Pick<Client, 'getRecalculationJob'>,
  jobId: string,
  { intervalMs = 1000, timeoutMs = 3_600_000, onProgress }: WaitOptions = {},
): Promise<Job> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const job = await client.getRecalculationJob({ params: { jobId } });
    onProgress?.(job);
    if (job.status === 'completed') return job;
    if (job.status === 'failed') throw new Error(`Job ${jobId} failed: ${job.error ?? 'no reason is known'}`);
    if (Date.now() >= end) throw new Error(`Job ${jobId} still runs after ${timeoutMs / 1000} seconds.`);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
