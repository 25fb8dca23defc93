import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { author } from '../../people/reps/author.js';

export const comment = z
  .object({
    commentId: z.string().describe('Id of the comment (UUID)'),
    repId: fields.repId,
    period: fields.period,
    dealId: fields.dealId.nullable(),
    body: z.string().describe('The text of the comment'),
    author: author.describe('Who wrote the comment'),
    createdAt: fields.createdAt,
  })
  .describe('A comment on a statement');
export type Comment = z.input<typeof comment>;

/** The comments of one person, or of all keys, on one statement. */
export const maxCommentsPerPerson = 200;

/** The comments that one response contains. */
export const maxCommentsPerPage = 500;

export const commentExample = {
  commentId: '3c4d5e6f-7a8b-4c0d-9e2f-3a4b5c6d7e8f',
  repId: sampleIds.repId,
  period: '2026-02',
  dealId: sampleIds.dealId,
  body: 'Was this deal split?',
  author: { repId: sampleIds.repId, name: 'Ben' },
  createdAt: '2026-03-02T10:00:00.000Z',
};
