import { type ColumnType } from 'kysely';
import { type GeneratedInstant, type Instant } from '../platform/database/tables.js';

/** Rows of the tables of tokens. */
export interface AuthTables {
  tokens: {
    workspace_id: string;
    token_id: string;
    kind: 'ws' | 'sess' | 'conn';
    token_hash: Buffer;
    rep_id: string | null;
    label: string | null;
    created_at: GeneratedInstant;
    expires_at: Instant | null;
    last_used_at: ColumnType<Date | null, Date | string | undefined, Date | string>;
  };
}
