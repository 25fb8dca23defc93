import { z } from 'zod';
import { chunk } from '../kernel/chunk.js';
import { idOf } from '../kernel/ids.js';
import { failpoint } from '../platform/failpoint.js';
import { type JobDeclaration, type JobQueue } from '../platform/jobs/job-queue.js';
import { type WakeLanes } from './lane-runner.js';

/** Wakes one lane, or a chunk of them. What they have to do stands in their calculation requests. */
export const calculateJob: JobDeclaration<{ workspaceId: string; repIds: string[] }> = {
  name: 'calculate.v1',
  payload: z.object({ workspaceId: z.uuid(), repIds: z.array(z.uuid()).min(1) }),
  attempts: 5,
  key: ({ workspaceId, repIds }) => idOf(`${workspaceId}|${repIds.join()}`),
  share: ({ workspaceId, repIds }) => ({ tenant: workspaceId, units: repIds.length }),
};

/** What one worker works in a row, at most: enough not to drown in jobs. */
const mostLanesPerJob = 16;

/**
 * Lanes are woken in so many parts at least, as far as they go, so that they are worked beside each other: the few of a
 * change, and what one worker has left of a batch at its end.
 */
export const minChunks = 4;

export function wakeLanesThrough(queue: JobQueue): WakeLanes {
  return async (workspaceId, repIds) => {
    const size = Math.min(mostLanesPerJob, Math.ceil(repIds.length / minChunks));
    await failpoint('wake.beforeAdd');
    await queue.add(calculateJob, ...chunk(repIds, size).map((chunk) => ({ workspaceId, repIds: chunk })));
    await failpoint('wake.afterAdd');
  };
}
