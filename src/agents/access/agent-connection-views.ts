import { sql } from 'kysely';
import { type AgentScope } from '../../kernel/caller.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type AgentConnection, readClientHost } from './agent-connection.js';

interface ConnectionRow {
  readonly id: string;
  readonly repId: string;
  readonly personName: string;
  readonly clientName: string;
  readonly clientId: string;
  readonly scopes: AgentScope[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** The agents of the person, or of everyone for null, newest first. A connection without tokens is not complete yet. */
export async function listConnections(tx: Transaction, repId: string | null): Promise<AgentConnection[]> {
  const { rows } = await sql<ConnectionRow>`
    select c.connection_id as id, c.rep_id as "repId", r.name as "personName", c.client_name as "clientName",
      c.client_id as "clientId", c.scopes, c.created_at as "createdAt",
      greatest(max(t.last_used_at), max(g.used_at) filter (where g.kind = 'refresh')) as "lastUsedAt"
    from agent_connections c
    join reps r on r.workspace_id = c.workspace_id and r.rep_id = c.rep_id
    join agent_grants g on g.workspace_id = c.workspace_id and g.connection_id = c.connection_id
    left join tokens t on t.workspace_id = c.workspace_id and t.connection_id = c.connection_id
    where c.workspace_id = ${tx.workspaceId} and (${repId}::uuid is null or c.rep_id = ${repId})
    group by c.workspace_id, c.connection_id, r.name
    having bool_or(g.kind = 'refresh' and g.expires_at > now())
    order by c.created_at desc, c.connection_id`.execute(tx.db);
  return rows.map(({ clientId, createdAt, lastUsedAt, ...row }) => ({
    ...row,
    clientAddress: readClientHost(clientId),
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }));
}

export async function countConnections(tx: Transaction, repId: string): Promise<number> {
  const { count } = await tx.db
    .selectFrom('agent_connections')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirstOrThrow();
  return count;
}
