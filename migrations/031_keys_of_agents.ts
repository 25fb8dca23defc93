import { type Kysely, sql } from 'kysely';
import { asOwnerWithIndexes, grantToService } from './owner-functions.js';

/** Marks integration keys that agents use, which change nothing over REST. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table tokens add column is_agent boolean not null default false
    constraint tokens_of_agents check (not is_agent or kind = 'int')`.execute(db);
  // A function of its own: processes of the previous release call admit_requests, whose columns must not change.
  await sql`
    create function admit_callers(hashes bytea[], requested integer[], with_cache_versions boolean[], max_requests integer)
    returns table (hash bytea, workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean,
      created_by uuid, scopes text[], agent jsonb, admitted integer, remaining integer, reset_second bigint,
      now_second double precision, cache_versions text, team uuid[], is_agent boolean)
    language plpgsql volatile ${asOwnerWithIndexes} as $$
    #variable_conflict use_column
    begin
      return query
        select a.*, a.kind = 'int' and exists (
          select from tokens t where t.workspace_id = a.workspace_id and t.token_id = a.token_id and t.is_agent)
        from admit_requests(hashes, requested, with_cache_versions, max_requests) a;
    end $$`.execute(db);
  await grantToService(db, ['admit_callers(bytea[], integer[], boolean[], integer)']);
}
