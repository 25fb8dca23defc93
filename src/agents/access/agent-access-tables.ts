import { type AgentScope } from '../../kernel/caller.js';
import { type GeneratedInstant, type Instant } from '../../platform/database/tables.js';

/** Rows of the tables of connected agents. */
export interface AgentAccessTables {
  agent_connections: {
    workspace_id: string;
    connection_id: string;
    rep_id: string;
    client_id: string;
    client_name: string;
    audience: string;
    scopes: AgentScope[];
    created_at: GeneratedInstant;
  };
  agent_grants: {
    workspace_id: string;
    grant_hash: Buffer;
    kind: 'code' | 'refresh';
    connection_id: string;
    redirect_uri: string | null;
    code_challenge: string | null;
    created_at: GeneratedInstant;
    expires_at: Instant;
    used_at: Instant | null;
  };
}
