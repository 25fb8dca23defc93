import { z } from 'zod';
import { idOf } from '../kernel/ids.js';
import { partsOf } from '../kernel/parts-of.js';
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

/** A chunk is worked by one worker: small enough to spread a workspace, large enough not to drown in jobs. */
const lanesPerJob = 16;

/** Up to so many lanes are woken one by one, so that they run beside each other. More are a batch, spread over all workers. */
export const fewLanes = 4;

export function wakeLanesThrough(queue: JobQueue): WakeLanes {
  return async (workspaceId, repIds) => {
    const size = repIds.length <= fewLanes ? 1 : lanesPerJob;
    await failpoint('wake.beforeAdd');
    await queue.add(calculateJob, ...partsOf(repIds, size).map((chunk) => ({ workspaceId, repIds: chunk })));
    await failpoint('wake.afterAdd');
  };
}
