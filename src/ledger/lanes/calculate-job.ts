import { z } from 'zod';
import { chunk } from '../../kernel/chunk.js';
import { deriveId } from '../../kernel/ids.js';
import { failpoint } from '../../platform/failpoint.js';
import { type JobDeclaration, type JobQueue } from '../../platform/jobs/job-queue.js';
import { type WakeLanes } from './lane-runner.js';

/** Wakes one lane or a chunk of lanes. Their work is in their calculation requests. */
export const calculateJob: JobDeclaration<{ workspaceId: string; repIds: string[] }> = {
  name: 'calculate.v1',
  payload: z.object({ workspaceId: z.uuid(), repIds: z.array(z.uuid()).min(1) }),
  attempts: 5,
  key: ({ workspaceId, repIds }) => deriveId(`${workspaceId}|${repIds.join()}`),
  share: ({ workspaceId, repIds }) => ({ tenant: workspaceId, units: repIds.length }),
};

/** Lanes of one job at most: enough for a batch of reps with few deals. */
const maxLanesPerJob = 500;

/** The minimum number of jobs for the lanes of one wake-up, so that several workers share them. */
export const minChunks = 4;

/** Wakes lanes through the queue. Returns whether it has taken them. */
export type QueueLanes = (...lanes: Parameters<WakeLanes>) => Promise<boolean>;

export function wakeLanesThrough(queue: JobQueue): QueueLanes {
  return async (workspaceId, repIds) => {
    const size = Math.min(maxLanesPerJob, Math.ceil(repIds.length / minChunks));
    await failpoint('wake.beforeAdd');
    const jobs = chunk(repIds, size).map((chunk) => ({ workspaceId, repIds: chunk }));
    const isAdded = await queue.tryAdd(calculateJob, ...jobs);
    await failpoint('wake.afterAdd');
    return isAdded;
  };
}
