import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { type Period } from '../../kernel/period.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { maxCommentsPerPerson } from './comment.js';

/** Rejects the comment if its author has written too many on the statement. */
export async function insertComment(
  tx: Transaction,
  comment: {
    readonly repId: string;
    readonly period: Period;
    readonly dealId: string | null;
    readonly body: string;
    readonly authorId: string | null;
  },
): Promise<string> {
  const { repId, period, authorId } = comment;
  // The lock serializes the comments on a statement, so that concurrent comments count each other.
  const lock = `comments:${tx.workspaceId}:${repId}:${period}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx.db);
  const { own } = await tx.db
    .selectFrom('statement_comments')
    .select(({ fn }) => fn.countAll<string>().as('own'))
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('period', '=', period)
    .where(sql<boolean>`author_id is not distinct from ${authorId}::uuid`)
    .executeTakeFirstOrThrow();
  if (Number(own) >= maxCommentsPerPerson)
    throw new Failure(
      'too_many_comments',
      `You have written ${maxCommentsPerPerson} comments on this statement. Delete one first.`,
    );
  const commentId = newId();
  await tx.db
    .insertInto('statement_comments')
    .values({
      workspace_id: tx.workspaceId,
      comment_id: commentId,
      rep_id: repId,
      period,
      deal_id: comment.dealId,
      body: comment.body,
      author_id: authorId,
    })
    .execute();
  return commentId;
}

export async function deleteComment(tx: Transaction, commentId: string): Promise<void> {
  await tx.db
    .deleteFrom('statement_comments')
    .where('workspace_id', '=', tx.workspaceId)
    .where('comment_id', '=', commentId)
    .execute();
}
