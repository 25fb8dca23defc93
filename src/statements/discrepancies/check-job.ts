import { z } from 'zod';
import { deriveId } from '../../kernel/ids.js';
import { type WakeChecks } from '../../ledger/lanes/lane-runner.js';
import { type JobDeclaration, type JobQueue } from '../../platform/jobs/job-queue.js';

/** Wakes the checker for one rep. The work is in the rep's period checks. */
export const checkPeriodsJob: JobDeclaration<{ workspaceId: string; repId: string }> = {
  name: 'check-periods.v1',
  payload: z.object({ workspaceId: z.uuid(), repId: z.uuid() }),
  attempts: 2,
  key: ({ workspaceId, repId }) => deriveId(`check|${workspaceId}|${repId}`),
  share: ({ workspaceId }) => ({ tenant: workspaceId, units: 1 }),
};

export function wakeChecksThrough(queue: JobQueue): WakeChecks {
  return (workspaceId, repIds) => queue.add(checkPeriodsJob, ...repIds.map((repId) => ({ workspaceId, repId })));
}
