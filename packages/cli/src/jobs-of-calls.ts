import { jobReaders } from '../../../src/client-jobs.js';
import { type JobState, waitUntilEnded } from '../../client/src/jobs.js';

type LooseClient = Readonly<Record<string, (input: object) => Promise<unknown>>>;

/** The call whose response is waited for. */
interface Made {
  readonly operation: string;
  readonly input: { readonly params?: object };
}

interface WithJobs {
  readonly jobId?: unknown;
  readonly job?: JobState & { readonly jobId: string };
  /** Syncs of several CRMs have a job each. */
  readonly results?: Readonly<Record<string, { readonly jobId?: unknown }>>;
}

/** The response of the call; of one that is made again for the result of its job, the response with the result. */
export async function readResult(client: LooseClient, { operation, input }: Made, answer: unknown): Promise<unknown> {
  const call = client[operation];
  const { job } = answer as WithJobs;
  if (jobReaders[operation] !== operation || call === undefined || job === undefined) return answer;
  let result = answer;
  await waitUntilEnded(async () => {
    result = await call(input);
    return (result as WithJobs).job ?? { status: 'completed' };
  }, job.jobId);
  return result;
}

/** Waits for the jobs of a response, and returns them as they have ended. */
export async function waitForJobs(
  client: LooseClient,
  { operation, input }: Made,
  answer: unknown,
): Promise<readonly JobState[]> {
  const read = client[jobReaders[operation] ?? ''];
  if (read === undefined) return [];
  const ended: JobState[] = [];
  for (const jobId of jobIdsOf(answer as WithJobs))
    ended.push(await waitUntilEnded(() => read({ params: { ...input.params, jobId } }) as Promise<JobState>, jobId));
  return ended;
}

function jobIdsOf({ jobId, job, results = {} }: WithJobs): readonly string[] {
  const all = [jobId, job?.jobId, ...Object.values(results).map((result) => result.jobId)];
  return [...new Set(all.filter((id) => typeof id === 'string'))];
}
