import { z } from 'zod';

/** The name of who acts with an API key. */
export const keyAuthor = 'API key';

/** The author of what a person did with a session, or someone with an API key. */
export const author = z.object({
  repId: z.string().nullable().describe('Id of the rep (UUID); null for an API key'),
  name: z.string().describe('Name of the person or the API key'),
});

/** The person who did something, also with an API key that they created. */
export const personBehindKey = z.object({
  repId: z.string().nullable().describe('Id of the person (UUID); null for a key of the command line'),
  name: z.string().describe('Name of the person, or API key'),
});

/** The person with their name; null for a key. */
export function toAuthor(repId: string | null, name: string | null): z.input<typeof author> {
  return { repId, name: name ?? keyAuthor };
}
