import { type ColumnType, type Generated } from 'kysely';
import { type KeyScope } from '../../kernel/caller.js';
import { type GeneratedInstant, type Instant } from '../../platform/database/tables.js';
import { type TokenKind } from '../../platform/secrets/token.js';

export interface AuthTables {
  tokens: {
    workspace_id: string;
    token_id: string;
    kind: TokenKind;
    token_hash: Buffer;
    rep_id: string | null;
    label: string | null;
    /** The person who created or rotated the key; null for keys of the command line. */
    created_by: ColumnType<string | null, string | null | undefined, string | null>;
    /** The scopes of an integration key; null for other tokens. */
    scopes: ColumnType<KeyScope[] | null, KeyScope[] | null | undefined, KeyScope[] | null>;
    /** Whether an agent uses the integration key. */
    is_agent: Generated<boolean>;
    created_at: GeneratedInstant;
    expires_at: Instant | null;
    last_used_at: ColumnType<Date | null, Date | string | undefined, Date | string>;
    /** When the person of a session last entered a code or signed in at an identity provider. */
    proved_at: ColumnType<Date | null, Date | string | null | undefined, Date | string>;
    /** The connected agent whose access token this is. */
    connection_id: ColumnType<string | null, string | null | undefined, never>;
  };
}
