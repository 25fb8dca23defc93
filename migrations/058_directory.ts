import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { forceRowSecurity } from './tenant-table.js';

/**
 * The directory of a service with several databases. Only that of the first database is used. It names a workspace in
 * columns of its own, since its rows belong to the service: they stay when a workspace moves.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table directory_workspaces (
      workspace uuid primary key,
      shard text not null check (length(shard) between 1 and 40),
      -- between two databases: no process serves the workspace
      is_moving boolean not null default false
    )`.execute(db);
  await forceRowSecurity(db, 'directory_workspaces');
  await sql`
    create table directory_keys (
      kind text not null check (kind in ('token', 'email', 'route')),
      -- SHA-256, or a keyed hash of an e-mail address
      key_hash bytea not null check (length(key_hash) = 32),
      workspace uuid not null,
      noted_at timestamptz not null default now(),
      primary key (kind, key_hash, workspace)
    )`.execute(db);
  await sql`create index directory_keys_by_workspace on directory_keys (workspace, kind)`.execute(db);
  await sql`create index directory_keys_by_age on directory_keys (kind, noted_at)`.execute(db);
  await forceRowSecurity(db, 'directory_keys');
  await createDirectoryFunctions(db);
  await createFunctionsOfEachDatabase(db);
  await grantToService(db, [
    'directory_find(text, bytea)',
    'directory_place(uuid)',
    'directory_note(text, bytea, uuid, text)',
    'directory_replace(text, uuid, text, bytea[])',
    'directory_delete_old()',
    'listed_workspaces()',
    'listed_routes()',
  ]);
}

/** What processes read from the directory and write to it. */
async function createDirectoryFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function directory_find(of_kind text, hash bytea)
    returns table (workspace uuid, shard text, is_moving boolean)
    language sql stable ${asOwner} as $$
      select k.workspace, w.shard, w.is_moving
      from directory_keys k join directory_workspaces w on w.workspace = k.workspace
      where k.kind = of_kind and k.key_hash = hash
      order by k.noted_at, k.workspace
    $$`.execute(db);
  await sql`
    create function directory_place(of_workspace uuid) returns table (shard text, is_moving boolean)
    language sql stable ${asOwner} as $$
      select w.shard, w.is_moving from directory_workspaces w where w.workspace = of_workspace
    $$`.execute(db);
  // A workspace that is listed stays where it is listed. The hash is null to note the workspace alone.
  await sql`
    create function directory_note(of_kind text, hash bytea, of_workspace uuid, in_shard text) returns void
    language plpgsql volatile ${asOwner} as $$
    begin
      insert into directory_workspaces (workspace, shard) values (of_workspace, in_shard) on conflict do nothing;
      if hash is not null then
        insert into directory_keys (kind, key_hash, workspace) values (of_kind, hash, of_workspace)
        on conflict do nothing;
      end if;
    end $$`.execute(db);
  // Keys that stay keep the time at which they were noted, which orders them.
  await sql`
    create function directory_replace(of_kind text, of_workspace uuid, in_shard text, hashes bytea[]) returns void
    language plpgsql volatile ${asOwner} as $$
    begin
      insert into directory_workspaces (workspace, shard) values (of_workspace, in_shard) on conflict do nothing;
      if not exists (select from directory_workspaces w where w.workspace = of_workspace and w.shard = in_shard) then
        return;
      end if;
      delete from directory_keys k
      where k.workspace = of_workspace and k.kind = of_kind and k.key_hash <> all(hashes);
      insert into directory_keys (kind, key_hash, workspace)
      select of_kind, h, of_workspace from unnest(hashes) h order by h
      on conflict do nothing;
    end $$`.execute(db);
  // A token that is still used is found in its database and noted again.
  await sql`
    create function directory_delete_old() returns void
    language sql volatile ${asOwner} as $$
      delete from directory_keys k where k.kind = 'token' and k.noted_at < now() - interval '30 days'
    $$`.execute(db);
}

/** What the directory takes from each database. */
async function createFunctionsOfEachDatabase(db: Kysely<unknown>): Promise<void> {
  // The version changes with every change of a person; see cache_versions.
  await sql`
    create function listed_workspaces() returns table (workspace uuid, version uuid)
    language sql stable ${asOwner} as $$
      select w.workspace_id, v.version
      from workspaces w left join cache_versions v on v.workspace_id = w.workspace_id and v.scope = 65
    $$`.execute(db);
  await sql`
    create function listed_routes() returns table (workspace uuid, source text, route text)
    language sql stable ${asOwner} as $$
      select r.workspace_id, r.source, r.route from inbound_routes r
    $$`.execute(db);
}
