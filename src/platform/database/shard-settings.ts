import { z } from 'zod';
import { url } from '../setting-schemas.js';

/** The name of the database of DATABASE_URL, which has the directory. */
export const mainShard = 'main';

const postgres = url(['postgres', 'postgresql']);

const shard = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, 'must consist of at most 40 lower-case letters, digits and dashes')
    .refine((name) => name !== mainShard, 'is the name of the database of DATABASE_URL'),
  url: postgres,
  ownerUrl: postgres.optional(),
  readUrl: postgres.optional(),
  queueUrl: postgres.optional(),
});

export const configuredShards = z
  .array(shard)
  .max(64)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two databases have the same name');
