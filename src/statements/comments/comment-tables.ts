import { type GeneratedInstant } from '../../platform/database/tables.js';

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
