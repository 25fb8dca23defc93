import { z } from 'zod';
import { type JobDeclaration, type JobQueue } from '../platform/jobs/job-queue.js';
import { type WakeLanes } from './lane-runner.js';

/** Wakes one lane, or a chunk of them. What they have to do stands in their calculation requests. */
export const calculateJob: JobDeclaration<{ workspaceId: string; repIds: string[] }> = {
  name: 'calculate.v1',
  payload: z.object({ workspaceId: z.uuid(), repIds: z.array(z.uuid()).min(1) }),
  attempts: 5,
  key: ({ workspaceId, repIds }) => `${workspaceId}.${repIds.join('.')}`,
};

/** A chunk is worked by one worker: small enough to spread a workspace, large enough not to drown in jobs. */
const lanesPerJob = 16;

export function wakeLanesThrough(queue: JobQueue): WakeLanes {
  return async (workspaceId, repIds) => {
    const size = repIds.length <= 4 ? 1 : lanesPerJob;
    for (let start = 0; start < repIds.length; start += size) {
      await queue.add(calculateJob, { workspaceId, repIds: repIds.slice(start, start + size) });
    }
  };
}
