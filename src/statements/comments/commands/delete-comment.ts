import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { mayActAs, maySee } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { notYours } from '../../../people/reps/rep.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { commentExample } from '../comment.js';
import { deleteComment as remove } from '../comment-store.js';
import { findComment } from '../comment-views.js';

const params = z.strictObject({ repId: pathIds.repId, commentId: pathIds.commentId });

export const deleteComment = operation({
  id: 'deleteComment',
  summary: 'Delete a comment. Managers may delete every comment, reps only their own',
  method: 'delete',
  path: '/v1/statements/:repId/comments/:commentId',
  access: 'rep',
  params,
  response: z.object({ deleted: z.boolean().describe('Always true: an unknown comment gets status 404') }),
  failures: { comment_not_found: 404 },
  example: { params: { repId: sampleIds.repId, commentId: commentExample.commentId }, response: { deleted: true } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { repId, commentId } }, caller, { unitOfWork }) {
    if (!maySee(caller, repId)) throw notYours();
    return unitOfWork.write(caller, async (tx) => {
      const found = await findComment(tx, repId, commentId);
      if (found === null) throw new Failure('comment_not_found', 'This rep has no comment with this id.');
      if (!mayActAs(caller, 'manager') && found.author.repId !== caller.repId)
        throw new Failure('forbidden', 'You may delete only your own comments. Managers may delete every comment.');
      await remove(tx, found.commentId);
      return { deleted: true };
    });
  },
});
