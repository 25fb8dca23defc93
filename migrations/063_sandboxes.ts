import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';

/**
 * Workspaces for tries. Only they have a test day: the check keeps it out of every other workspace. They post no mails, and a person who signs in without naming a workspace does not find them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table workspaces
      add column is_sandbox boolean not null default false,
      add column test_day date,
      add constraint workspaces_test_day_check check (test_day is null or is_sandbox)`.execute(db);
  await sql`
    create trigger bump_configuration_revision_of_test_day before update of test_day on workspaces
    for each row execute function bump_own_configuration_revision()`.execute(db);
  await sql`
    create trigger bump_workspace_cache_version_of_test_day after update of test_day on workspaces
    for each statement execute function bump_workspace_cache_version()`.execute(db);
  await sql`drop function workspaces_with_periodic_rules()`.execute(db);
  await sql`
    create function workspaces_with_periodic_rules()
    returns table (workspace_id uuid, timezone text, periodic_through date, test_day date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.periodic_through, w.test_day
      from workspaces w
      where exists (select from plan_rules r where r.workspace_id = w.workspace_id and r.phase = 'periodic')
        or exists (
          select from plan_versions v where v.workspace_id = w.workspace_id and v.fx->>'date' = 'period_end'
        )
    $$`.execute(db);
  await grantToService(db, ['workspaces_with_periodic_rules()']);
  await sql`
    create or replace function find_sign_ins(address text, in_workspace uuid)
    returns table (workspace_id uuid, workspace_name text, rep_id uuid)
    language sql stable ${asOwner} as $$
      select r.workspace_id, w.name, r.rep_id
      from reps r join workspaces w on w.workspace_id = r.workspace_id
      where r.email = address and r.active
        and (case when in_workspace is null then not w.is_sandbox else r.workspace_id = in_workspace end)
      order by w.created_at, r.workspace_id
    $$`.execute(db);
  await sql`
    create or replace function post_mail(new_mail uuid, address text, mail_subject text, mail_body bytea) returns void
    language sql ${asOwner} as $$
      insert into mail_outbox (mail_id, workspace_id, recipient, subject, body)
      select new_mail, w.workspace_id, address, mail_subject, mail_body
      from workspaces w
      where w.workspace_id = current_setting('app.workspace_id')::uuid and not w.is_sandbox
    $$`.execute(db);
}
