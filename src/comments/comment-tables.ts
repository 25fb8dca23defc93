import { type GeneratedInstant } from '../platform/database/tables.js';

/** Rows of the tables of comments. */
export interface CommentTables {
  statement_comments: {
    workspace_id: string;
    comment_id: string;
    rep_id: string;
    period: string;
    deal_id: string | null;
    body: string;
    author_id: string | null;
    created_at: GeneratedInstant;
  };
}
