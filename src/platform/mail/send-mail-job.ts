import { z } from 'zod';
import { type JobDeclaration } from '../jobs/job-queue.js';

/** Sends one mail of the outbox. The outbox decides on further tries, so the queue makes none. */
export const sendMailJob: JobDeclaration<{ mailId: string }> = {
  name: 'send-mail.v1',
  payload: z.object({ mailId: z.uuid() }),
  attempts: 1,
  key: ({ mailId }) => `mail.${mailId}`,
};
