import { type Client } from '../../../src/client.js';

type CalculationJob = Awaited<ReturnType<Client['getRecalculationJob']>>;

interface WaitOptions<Job> {
  /** Milliseconds between two calls. Default: 1,000. */
  readonly intervalMs?: number;
  /** Milliseconds after which waiting ends with an error. Default: an hour. */
  readonly timeoutMs?: number;
  readonly onProgress?: (job: Job) => void;
}

/** What jobs of all kinds have. */
export interface JobState {
  readonly status: string;
  readonly error?: string | undefined;
}

/** The recalculation, import or sync when it has ended. It throws if the job failed. */
export function waitForJob(
  client: Pick<Client, 'getRecalculationJob'>,
  jobId: string,
  options?: WaitOptions<CalculationJob>,
): Promise<CalculationJob> {
  return waitUntilEnded(() => client.getRecalculationJob({ params: { jobId } }), jobId, options);
}

/** The job of any kind when it has ended. It throws if the job failed. */
export async function waitUntilEnded<Job extends JobState>(
  read: () => Promise<Job>,
  jobId: string,
  { intervalMs = 1000, timeoutMs = 3_600_000, onProgress }: WaitOptions<Job> = {},
): Promise<Job> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const job = await read();
    onProgress?.(job);
    if (job.status === 'completed') return job;
    if (job.status === 'failed') throw new Error(`Job ${jobId} failed: ${job.error ?? 'no reason is known'}`);
    if (Date.now() >= end) throw new Error(`Job ${jobId} still runs after ${timeoutMs / 1000} seconds.`);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
