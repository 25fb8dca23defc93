import { type InferResult, sql } from 'kysely';
import { isUuid } from '../../kernel/ids.js';
import { toAuthor } from '../../people/reps/author.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type StatementKey } from '../statement.js';
import { type Comment } from './comment.js';

/** A page of the comments on the rep's statement of the period, oldest first. */
export async function listComments(
  tx: Transaction,
  { repId, period }: StatementKey,
  page: { readonly limit: number; readonly offset: number },
): Promise<Comment[]> {
  const rows = await selectComments(tx, repId)
    .where('c.period', '=', period)
    .orderBy('c.created_at')
    .orderBy('c.comment_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return rows.map(toComment);
}

/**
 * The newest comments on the rep's statement of the period, oldest first; only those about the deal, or about none for
 * null, if it is given. In a transaction with `asOf`, those that existed at that instant and were not deleted since.
 */
export async function listNewestComments(
  tx: Transaction,
  { repId, period }: StatementKey,
  { limit, dealId }: { readonly limit: number; readonly dealId?: string | null },
): Promise<Comment[]> {
  let query = selectComments(tx, repId)
    .where('c.period', '=', period)
    .where(sql<boolean>`c.created_at <= ${tx.until}::timestamptz`);
  if (dealId !== undefined) query = query.where(sql<boolean>`c.deal_id is not distinct from ${dealId}`);
  const rows = await query.orderBy('c.created_at', 'desc').orderBy('c.comment_id', 'desc').limit(limit).execute();
  return rows.reverse().map(toComment);
}

export async function findComment(tx: Transaction, repId: string, commentId: string): Promise<Comment | null> {
  if (!isUuid(repId) || !isUuid(commentId)) return null;
  const row = await selectComments(tx, repId).where('c.comment_id', '=', commentId).executeTakeFirst();
  return row === undefined ? null : toComment(row);
}

function selectComments(tx: Transaction, repId: string) {
  return tx.db
    .selectFrom('statement_comments as c')
    .leftJoin('reps as r', (join) =>
      join.onRef('r.workspace_id', '=', 'c.workspace_id').onRef('r.rep_id', '=', 'c.author_id'),
    )
    .select(['c.comment_id as commentId', 'c.rep_id as repId', 'c.period', 'c.deal_id as dealId', 'c.body'])
    .select(['c.author_id as authorId', 'r.name as authorName', 'c.created_at as createdAt'])
    .where('c.workspace_id', '=', tx.workspaceId)
    .where('c.rep_id', '=', repId);
}

type CommentRow = InferResult<ReturnType<typeof selectComments>>[number];

function toComment({ authorId, authorName, createdAt, ...same }: CommentRow): Comment {
  return { ...same, author: toAuthor(authorId, authorName), createdAt: createdAt.toISOString() };
}
