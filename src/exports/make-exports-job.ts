import { z } from 'zod';
import { type JobDeclaration } from '../platform/jobs/job-queue.js';

/** Tells a worker that documents wait; which, it reads from the database. */
export const makeDocumentsJob: JobDeclaration<{ workspaceId: string }> = {
  name: 'make-documents.v1',
  payload: z.object({ workspaceId: z.uuid() }),
  attempts: 1,
  key: ({ workspaceId }) => `documents.${workspaceId}`,
};
