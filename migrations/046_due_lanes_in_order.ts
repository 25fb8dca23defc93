import { type Kysely, sql } from 'kysely';

/**
 * The lanes that a sweep takes, found without reading all that wait. Each workspace gives the lanes of its oldest
 * requests, an equal number from each at first, and more in the next round if these are too few. The planner may plan
 * the function while the tables are empty, so only plans in the order of an index remain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index calculation_requests_by_age on calculation_requests (workspace_id, request_id)`.execute(db);
  await sql`
    create or replace function due_lanes(older_than interval, max_lanes integer)
    returns table (workspace_id uuid, rep_id uuid)
    language plpgsql stable security definer set search_path = public, pg_temp
    set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set enable_hashjoin = off set enable_mergejoin = off set enable_material = off as $$
    #variable_conflict use_column
    declare
      before timestamptz := now() - older_than;
      waiting uuid[];
      lanes_of_each integer;
      due_workspaces uuid[];
      due_reps uuid[];
    begin
      with recursive w as (
        (select q.workspace_id from calculation_requests q order by q.workspace_id limit 1)
        union all
        select (select q.workspace_id from calculation_requests q where q.workspace_id > w.workspace_id
          order by q.workspace_id limit 1)
        from w where w.workspace_id is not null
      )
      select array_agg(w.workspace_id) into waiting from w where w.workspace_id is not null;
      if waiting is null then
        return;
      end if;
      lanes_of_each := ceil(max_lanes::numeric / cardinality(waiting));
      loop
        select array_agg(due.workspace_id order by due.place), array_agg(due.rep_id order by due.place)
          into due_workspaces, due_reps
          from unnest(waiting) w(workspace_id), lateral (
            select q.workspace_id, q.rep_id, row_number() over (order by q.request_id) as place
            from calculation_requests q
            left join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id
            where q.workspace_id = w.workspace_id and q.requested_at < before and l.parked_at is null
              and (l.not_before is null or l.not_before <= now())
              and not exists (select from crm_pulls p where p.workspace_id = q.workspace_id and p.pull_id = q.pull_id
                and p.failing_since is null)
              and not exists (select from calculation_requests e
                where e.workspace_id = q.workspace_id and e.rep_id = q.rep_id and e.request_id < q.request_id
                  and e.requested_at < before and not exists (select from crm_pulls p
                    where p.workspace_id = e.workspace_id and p.pull_id = e.pull_id and p.failing_since is null))
            order by q.request_id
            limit lanes_of_each
          ) due;
        exit when lanes_of_each >= max_lanes or cardinality(due_reps) >= max_lanes;
        lanes_of_each := least(max_lanes, lanes_of_each * 8);
      end loop;
      return query select u.w, u.r from unnest(due_workspaces, due_reps) u(w, r) limit max_lanes;
    end $$`.execute(db);
}
