import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';

/** A workspace sees whether its mails leave, and whether the invitation of a person did. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table reps add column invite_mail_id uuid`.execute(db);
  await sql`create index mail_outbox_unsent on mail_outbox (workspace_id) where sent_at is null`.execute(db);
  await sql`
    create function unsent_mails() returns table (mail_id uuid, attempts integer)
    language sql stable ${asOwner} as $$
      select m.mail_id, m.attempts from mail_outbox m
      where m.workspace_id = current_setting('app.workspace_id')::uuid and m.sent_at is null
    $$`.execute(db);
  // Null before the first attempt.
  await sql`
    create function was_last_mail_sent() returns boolean
    language sql stable ${asOwner} as $$
      select m.sent_at is not null from mail_outbox m
      where m.workspace_id = current_setting('app.workspace_id')::uuid and m.attempts > 0
      order by m.created_at desc limit 1
    $$`.execute(db);
  // An invitation that was not sent stays, because the state of its person depends on it.
  await sql`
    create or replace function delete_old_sign_ins() returns void
    language plpgsql volatile ${asOwner} as $$
    begin
      delete from sign_in_codes where created_at < now() - interval '2 days';
      delete from sign_in_failures where day < (now() at time zone 'UTC')::date - 2;
      delete from sign_in_states where expires_at < now();
      delete from attempt_counters where window_start < now() - interval '1 day';
      delete from mail_outbox m where m.created_at < now() - interval '7 days'
        and (m.sent_at is not null or not exists (
          select from reps r where r.workspace_id = m.workspace_id and r.invite_mail_id = m.mail_id));
      delete from mail_outbox where recipient is null and created_at < now() - interval '10 minutes';
      delete from tokens where kind = 'sess' and (expires_at < now()
        or coalesce(last_used_at, created_at) < now() - interval '12 hours' or created_at < now() - interval '30 days');
      delete from tokens where kind = 'agt' and expires_at < now();
      delete from agent_grants where expires_at < now();
      -- a connection whose refresh tokens have all expired
      delete from agent_connections c where not exists (
        select from agent_grants g where g.workspace_id = c.workspace_id and g.connection_id = c.connection_id);
      delete from agent_clients where coalesce(used_at, created_at) < now() - case when used_at is null
        then interval '1 hour' else interval '90 days' end;
    end $$`.execute(db);
  await grantToService(db, ['unsent_mails()', 'was_last_mail_sent()']);
}
