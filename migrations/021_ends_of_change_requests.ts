import { type Kysely, sql } from 'kysely';
import { asOwner } from './owner-functions.js';

/** What an approval of a change depends on, and the end of requests whose agent, key or person has lost its rights. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table change_requests
      -- the connection of the agent; null for a key or a session
      add column connection_id uuid,
      -- the key; null for an agent or a session
      add column token_id uuid,
      -- the state that the preview was calculated with; see src/agents/change-requests/basis.ts. Null for an earlier release
      add column basis jsonb,
      -- the reps whose commission the change moves, as previewed
      add column moves uuid[] not null default '{}',
      -- what an approval found to have changed since the preview
      add column outdated jsonb,
      -- Why a request waits no more. Its time ends with it, so that processes of an earlier release do not run it either.
      add column ended_because text check (ended_because is null
        or ended_because in ('agent_disconnected', 'key_invalid', 'person_deactivated', 'role_changed'))`.execute(db);
  await sql`alter table disputes add column approved_by uuid`.execute(db);
  await sql`create index change_requests_pending on change_requests (workspace_id) where status in ('pending', 'running')`.execute(
    db,
  );
  await createEnds(db);
  // A key that has expired ends its requests without a change of its row.
  await sql`
    create or replace function end_lost_change_requests() returns void
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
  await sql`
    create trigger end_change_requests after delete on tokens for each row when (old.kind in ('ws', 'int'))
    execute function end_change_requests_of_key()`.execute(db);
}
