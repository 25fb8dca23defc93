import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { forceRowSecurity, tenantTable } from './tenant-table.js';

/** Agents that people have connected, and changes that agents have requested and people decide about. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createAgentConnections(db);
  await createClients(db);
  await createAgentFunctions(db);
  await createChangeRequests(db);
  await createEnds(db);
  await createChangeRequestFunctions(db);
}

/** Agents that people have connected over OAuth, and what their clients exchange for access tokens. */
async function createAgentConnections(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table agent_connections (
      workspace_id uuid not null references workspaces,
      connection_id uuid not null,
      -- the person for whom the agent acts
      rep_id uuid not null,
      -- the URL of a metadata document, or the id of a registration
      client_id text not null check (length(client_id) between 1 and 2000),
      client_name text not null check (length(client_name) between 1 and 100),
      -- the address of the MCP endpoint for which the tokens are valid
      audience text not null,
      scopes text[] not null check (scopes <@ array['read', 'write'] and cardinality(scopes) > 0),
      created_at timestamptz not null default now(),
      primary key (workspace_id, connection_id),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await sql`create index agent_connections_by_rep on agent_connections (workspace_id, rep_id)`.execute(db);
  await tenantTable(db, 'agent_connections');
  await sql`
    create table agent_grants (
      workspace_id uuid not null,
      -- SHA-256 of the code or refresh token
      grant_hash bytea not null check (length(grant_hash) = 32),
      kind text not null check (kind in ('code', 'refresh')),
      connection_id uuid not null,
      -- of a code: what the exchange must repeat or prove
      redirect_uri text check ((kind = 'code') = (redirect_uri is not null)),
      code_challenge text check ((kind = 'code') = (code_challenge is not null)),
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      -- a second use ends the connection
      used_at timestamptz,
      primary key (workspace_id, grant_hash),
      foreign key (workspace_id, connection_id) references agent_connections on delete cascade
    )`.execute(db);
  await sql`create index agent_grants_by_hash on agent_grants (grant_hash)`.execute(db);
  await sql`create index agent_grants_by_connection on agent_grants (workspace_id, connection_id)`.execute(db);
  await tenantTable(db, 'agent_grants');
}

/** Belongs to no workspace: a client registers before a person has signed in. */
async function createClients(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table agent_clients (
      client_id text primary key,
      metadata jsonb not null,
      created_at timestamptz not null default now(),
      -- when a person was last sent here by the client; null for never
      used_at timestamptz,
      -- a keyed hash of the network that registered the client
      network_hash bytea
    )`.execute(db);
  await sql`create index agent_clients_by_age on agent_clients (created_at)`.execute(db);
  await sql`create index agent_clients_by_network on agent_clients (network_hash, created_at)`.execute(db);
  await forceRowSecurity(db, 'agent_clients');
}

async function createAgentFunctions(db: Kysely<unknown>): Promise<void> {
  // A code or refresh token is presented before its workspace is known.
  await sql`
    create function find_agent_grant(hash bytea) returns table (workspace_id uuid)
    language sql stable ${asOwner} as $$
      select g.workspace_id from agent_grants g where g.grant_hash = hash
    $$`.execute(db);
  await sql`
    create function find_agent_client(id text) returns table (metadata jsonb)
    language sql volatile ${asOwner} as $$
      update agent_clients c set used_at = now() where c.client_id = id returning c.metadata
    $$`.execute(db);
  // Anyone can register a client, so a flood of registrations must not fill the disk. A network that has reached its
  // limit does not count against the limit of all.
  await sql`
    create function register_agent_client(id text, client_metadata jsonb, network bytea)
    returns text
    language plpgsql volatile ${asOwner} as $$
    begin
      perform pg_advisory_xact_lock(hashtextextended(encode(network, 'hex'), 7302));
      if (select count(*) from agent_clients c
          where c.network_hash = network and c.created_at > now() - interval '1 hour') >= 100 then
        return 'network_limit';
      end if;
      if (select count(*) from agent_clients c where c.created_at > now() - interval '1 hour') >= 20000 then
        return 'limit';
      end if;
      insert into agent_clients (client_id, metadata, network_hash) values (id, client_metadata, network);
      return 'registered';
    end $$`.execute(db);
  await grantToService(db, [
    'find_agent_grant(bytea)',
    'find_agent_client(text)',
    'register_agent_client(text, jsonb, bytea)',
  ]);
}

async function createChangeRequests(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table change_requests (
      workspace_id uuid not null references workspaces,
      request_id uuid not null,
      -- the person for whom the agent acts; null for a key
      rep_id uuid,
      -- the connection of the agent; null for a key or a session
      connection_id uuid,
      -- the key; null for an agent or a session
      token_id uuid,
      -- who requested the change, with the rights that they had
      caller jsonb not null,
      tool text not null,
      title text not null,
      -- path, query and body of the operation
      input jsonb not null,
      -- what the change would do, as calculated when it was requested or later; null for a change without figures
      preview jsonb,
      -- the state that the preview was calculated with; see src/agents/change-requests/basis.ts
      basis jsonb not null,
      -- the reps whose commission the change moves, as previewed
      moves uuid[] not null default '{}',
      -- what an approval found to have changed since the preview
      outdated jsonb,
      -- running: approved, without an outcome yet
      status text not null check (status in ('pending', 'running', 'done', 'failed', 'rejected')),
      -- the actor of the decision
      decided_by text check ((status = 'pending') = (decided_by is null)),
      decided_at timestamptz check ((status = 'pending') = (decided_at is null)),
      reason text,
      -- why a request waits no more; its time ends with it
      ended_because text check (ended_because is null
        or ended_because in ('agent_disconnected', 'key_invalid', 'person_deactivated', 'role_changed')),
      -- the response or the error; null for a large response, and for one that was lost with its process
      outcome jsonb,
      -- the run of an approved change; no other run may write
      run_id uuid,
      -- whether a transaction of the run has committed
      has_written boolean not null default false,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (workspace_id, request_id)
    )`.execute(db);
  await sql`create index change_requests_in_order on change_requests (workspace_id, created_at)`.execute(db);
  await sql`create index change_requests_running on change_requests (workspace_id) where status = 'running'`.execute(
    db,
  );
  await sql`create index change_requests_pending on change_requests (workspace_id) where status in ('pending', 'running')`.execute(
    db,
  );
  await tenantTable(db, 'change_requests');
}

/** Triggers, so that a request ends whatever ends its agent, key or person. A running change ends if it is not stored. */
async function createEnds(db: Kysely<unknown>): Promise<void> {
  const end = (reason: string, whose: string) => sql`
    update change_requests set ended_because = ${sql.raw(reason)}, expires_at = least(expires_at, now())
    where workspace_id = old.workspace_id and ${sql.raw(whose)} and status in ('pending', 'running')
      and expires_at > now()`;
  await sql`
    create function end_change_requests_of_person() returns trigger language plpgsql as $$
    begin
      ${end(`case when new.active then 'role_changed' else 'person_deactivated' end`, 'rep_id = old.rep_id')};
      return null;
    end $$`.execute(db);
  await sql`
    create trigger end_change_requests after update of role, active on reps for each row
    when (old.role is distinct from new.role or (old.active and not new.active))
    execute function end_change_requests_of_person()`.execute(db);
  await sql`
    create function end_change_requests_of_agent() returns trigger language plpgsql as $$
    begin
      ${end(`'agent_disconnected'`, 'connection_id = old.connection_id')};
      return null;
    end $$`.execute(db);
  await sql`
    create trigger end_change_requests after delete on agent_connections for each row
    execute function end_change_requests_of_agent()`.execute(db);
  await sql`
    create function end_change_requests_of_key() returns trigger language plpgsql as $$
    begin
      ${end(`'key_invalid'`, 'token_id = old.token_id')};
      return null;
    end $$`.execute(db);
}

async function createChangeRequestFunctions(db: Kysely<unknown>): Promise<void> {
  // A run lasts longer than any change takes only if its process has ended; one that continues nevertheless cannot write
  // any more. A key that has expired ends its requests without a change of its row.
  await sql`
    create function end_lost_change_requests() returns void
    language plpgsql volatile ${asOwner} as $$
    begin
      update change_requests set
        status = case when has_written then 'done' else 'pending' end,
        decided_by = case when has_written then decided_by end,
        decided_at = case when has_written then decided_at end,
        run_id = null
      where status = 'running' and decided_at < now() - interval '2 minutes';
      update change_requests c set ended_because = 'key_invalid', expires_at = least(c.expires_at, now())
      where c.status = 'pending' and c.expires_at > now() and c.token_id is not null and not exists (
        select from tokens t where t.workspace_id = c.workspace_id and t.token_id = c.token_id
          and (t.expires_at is null or t.expires_at > now()));
    end $$`.execute(db);
  await sql`
    create function delete_old_change_requests() returns void
    language sql volatile ${asOwner} as $$
      delete from change_requests where created_at < now() - interval '90 days' and status <> 'running'
    $$`.execute(db);
  await grantToService(db, ['end_lost_change_requests()', 'delete_old_change_requests()']);
}
