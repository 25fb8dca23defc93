import { sql } from 'kysely';

/** Whether the agent or the key of the request `c` still has access. */
const hasAccess = sql`
  (c.connection_id is null or exists (select from agent_connections a
    where a.workspace_id = c.workspace_id and a.connection_id = c.connection_id))
  and (c.token_id is null or exists (select from tokens t
    where t.workspace_id = c.workspace_id and t.token_id = c.token_id and (t.expires_at is null or t.expires_at > now())))`;

/** The present status of the request `c`. */
export const presentStatus = sql<string>`
  case
    when c.status <> 'pending' then c.status
    when c.ended_because is not null then 'ended'
    when c.expires_at <= now() then 'expired'
    when not (${hasAccess}) then 'ended'
    else 'pending'
  end`;
