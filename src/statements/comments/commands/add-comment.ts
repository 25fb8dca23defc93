import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { dealId } from '../../../deals/deal.js';
import { assertMayNameDeal } from '../../../deals/deal-views.js';
import { maySee } from '../../../kernel/caller.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { notYours } from '../../../people/reps/rep.js';
import { assertRepExists } from '../../../people/reps/rep-views.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { period, text } from '../../../platform/operations/schemas.js';
import { type Comment, comment, commentExample } from '../comment.js';
import { insertComment } from '../comment-store.js';
import { findComment } from '../comment-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({
  period: period.describe('Period of the statement that the comment is about'),
  body: text(4000).describe('The text of the comment'),
  dealId: dealId.optional().describe('Deal that the comment is about, by its id in the CRM'),
});

export const addComment = operation({
  id: 'addComment',
  summary: "Comment on a rep's statement of a period, or on one deal in it",
  method: 'post',
  path: '/v1/statements/:repId/comments',
  access: 'rep',
  params,
  body,
  response: comment,
  status: 201,
  failures: { rep_not_found: 404, deal_not_found: 404, too_many_comments: 409 },
  example: {
    params: { repId: sampleIds.repId },
    body: { period: '2026-02', dealId: sampleIds.dealId, body: 'Was this deal split?' },
    response: commentExample,
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { repId }, body: request }, caller, { unitOfWork }): Promise<Comment> {
    if (!maySee(caller, repId)) throw notYours();
    return unitOfWork.write(caller, async (tx) => {
      await assertRepExists(tx, repId);
      if (request.dealId !== undefined) await assertMayNameDeal(tx, caller, repId, request.dealId);
      const commentId = await insertComment(tx, {
        repId,
        period: request.period,
        dealId: request.dealId ?? null,
        body: request.body,
        authorId: caller.repId,
      });
      return (await findComment(tx, repId, commentId)) as Comment;
    });
  },
});
