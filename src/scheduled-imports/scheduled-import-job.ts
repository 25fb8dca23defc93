import { z } from 'zod';
import { type JobDeclaration } from '../platform/jobs/job-queue.js';

/** Wakes a worker. The worker reads the due imports from the database. */
export const runScheduledImportsJob: JobDeclaration<{ workspaceId: string }> = {
  name: 'run-scheduled-imports.v1',
  payload: z.object({ workspaceId: z.uuid() }),
  attempts: 1,
  key: ({ workspaceId }) => `scheduled-imports.${workspaceId}`,
};
