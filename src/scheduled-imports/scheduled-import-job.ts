import { z } from 'zod';
import { type JobDeclaration } from '../platform/jobs/job-queue.js';

/** Wakes a worker. The worker reads the due imports from the database. */
export const runScheduledImportsJob: JobDeclaration<{ workspaceId: string }> = {
  name: 'run-scheduled-imports.v1',
  payload: z.object({ workspaceId: z.uuid() }),
  attempts: 1,
  key: ({ workspaceId }) => `scheduled-imports.${workspaceId}`,
};

/** Imports that one process runs at the same time. They wait for the network, and each has a worker thread. */
export const importSlots = 8;

/** Begins the names of the leases of runs. */
export const importLease = 'scheduled import';
