import { z } from 'zod';
import { type JobDeclaration } from '../jobs/job-queue.js';

/** Wakes a worker after a transaction has stored outgoing events. The worker reads them from the database. */
export const deliverEventsJob: JobDeclaration<{ workspaceId: string }> = {
  name: 'deliver-events.v1',
  payload: z.object({ workspaceId: z.uuid() }),
  attempts: 1,
  key: ({ workspaceId }) => `events.${workspaceId}`,
};
