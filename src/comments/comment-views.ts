import { isUuid } from '../kernel/ids.js';
import { type Period } from '../kernel/period.js';
import { asOfInstant, type Work } from '../platform/database/unit-of-work.js';
import { authorOf } from '../reps/author.js';
import { type Comment } from './comment.js';

/**
 * The comments on the rep's statement of the period, oldest first. In a transaction with `asOf`, those that existed at
 * that instant and were not deleted since.
 */
export async function listComments(trx: Work, workspaceId: string, repId: string, period: Period): Promise<Comment[]> {
  const asOf = asOfInstant(trx);
  const ofPeriod = selectComments(trx, workspaceId, repId).where('statement_comments.period', '=', period);
  const rows = await (asOf === null ? ofPeriod : ofPeriod.where('statement_comments.created_at', '<=', asOf))
    .orderBy('statement_comments.created_at')
    .orderBy('statement_comments.comment_id')
    .execute();
  return rows.map(commentOf);
}

export async function findComment(
  trx: Work,
  workspaceId: string,
  repId: string,
  commentId: string,
): Promise<Comment | null> {
  if (!isUuid(repId) || !isUuid(commentId)) return null;
  const row = await selectComments(trx, workspaceId, repId)
    .where('statement_comments.comment_id', '=', commentId)
    .executeTakeFirst();
  return row === undefined ? null : commentOf(row);
}

function selectComments(trx: Work, workspaceId: string, repId: string) {
  return trx
    .selectFrom('statement_comments')
    .leftJoin('reps', (join) =>
      join
        .onRef('reps.workspace_id', '=', 'statement_comments.workspace_id')
        .onRef('reps.rep_id', '=', 'statement_comments.author_id'),
    )
    .select([
      'statement_comments.comment_id as commentId',
      'statement_comments.rep_id as repId',
      'statement_comments.period',
      'statement_comments.deal_id as dealId',
      'statement_comments.body',
      'statement_comments.author_id as authorId',
      'reps.name as authorName',
      'statement_comments.created_at as createdAt',
    ])
    .where('statement_comments.workspace_id', '=', workspaceId)
    .where('statement_comments.rep_id', '=', repId);
}

interface CommentRow extends Omit<Comment, 'author' | 'createdAt'> {
  readonly authorId: string | null;
  readonly authorName: string | null;
  readonly createdAt: Date;
}

function commentOf({ authorId, authorName, createdAt, ...same }: CommentRow): Comment {
  return { ...same, author: authorOf(authorId, authorName), createdAt: createdAt.toISOString() };
}
