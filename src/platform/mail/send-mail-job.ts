import { z } from 'zod';
import { type JobDeclaration } from '../jobs/job-queue.js';

/** Sends one mail of the outbox. The outbox schedules retries, so the queue does not retry. */
export const sendMailJob: JobDeclaration<{ mailId: string }> = {
  name: 'send-mail.v1',
  payload: z.object({ mailId: z.uuid() }),
  attempts: 1,
  key: ({ mailId }) => `mail.${mailId}`,
};
