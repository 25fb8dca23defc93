import { newId } from '../kernel/ids.js';
import { type Period } from '../kernel/period.js';
import { type Work } from '../platform/database/unit-of-work.js';

export async function insertComment(
  trx: Work,
  workspaceId: string,
  comment: {
    readonly repId: string;
    readonly period: Period;
    readonly dealId: string | null;
    readonly body: string;
    readonly authorId: string | null;
  },
): Promise<string> {
  const commentId = newId();
  await trx
    .insertInto('statement_comments')
    .values({
      workspace_id: workspaceId,
      comment_id: commentId,
      rep_id: comment.repId,
      period: comment.period,
      deal_id: comment.dealId,
      body: comment.body,
      author_id: comment.authorId,
    })
    .execute();
  return commentId;
}

export async function deleteComment(trx: Work, workspaceId: string, commentId: string): Promise<void> {
  await trx
    .deleteFrom('statement_comments')
    .where('workspace_id', '=', workspaceId)
    .where('comment_id', '=', commentId)
    .execute();
}
