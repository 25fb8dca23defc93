import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';

/** Outgoing mail. The table belongs to no workspace: the service accesses it only through the functions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table mail_outbox (
      mail_id uuid primary key,
      workspace_id uuid,
      -- Null if no rep has the address. The row exists so that such a request does the same work as any other.
      recipient text,
      subject text not null,
      -- text and HTML, encrypted; null after the mail was sent
      body bytea,
      attempts integer not null default 0,
      not_before timestamptz not null default now(),
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      sent_at timestamptz,
      last_error text
    )`.execute(db);
  await sql`create index mail_outbox_due on mail_outbox (not_before) where sent_at is null`.execute(db);
  await sql`alter table mail_outbox enable row level security`.execute(db);

  await sql`
    create function post_mail(new_mail uuid, address text, mail_subject text, mail_body bytea) returns void
    language sql volatile ${asOwner} as $$
      insert into mail_outbox (mail_id, workspace_id, recipient, subject, body)
      values (new_mail, current_setting('app.workspace_id')::uuid, address, mail_subject, mail_body)
    $$`.execute(db);
  await sql`
    create function delete_mails_to(address text) returns integer
    language sql volatile ${asOwner} as $$
      with deleted as (
        delete from mail_outbox m
        where m.workspace_id = current_setting('app.workspace_id')::uuid and m.recipient = address
        returning 1
      )
      select count(*)::integer from deleted
    $$`.execute(db);
  // The worker that takes a mail has two minutes to send it; after that, any worker may take it.
  await sql`
    create function take_mail(mail uuid)
    returns table (recipient text, subject text, body bytea)
    language plpgsql volatile ${asOwner} as $$
    begin
      delete from mail_outbox m where m.mail_id = mail and m.recipient is null;
      return query
        update mail_outbox m set attempts = m.attempts + 1, not_before = now() + interval '2 minutes'
        where m.mail_id = mail and m.sent_at is null and m.not_before <= now() and m.attempts < 8
          and (m.expires_at is null or m.expires_at > now())
        returning m.recipient, m.subject, m.body;
    end $$`.execute(db);
  // A mail that failed is sent again after 5, 15, 45, ... seconds.
  await sql`
    create function record_mail_result(mail uuid, result text, error text) returns void
    language sql volatile ${asOwner} as $$
      update mail_outbox set
        sent_at = case when result = 'sent' then now() end,
        body = case when result = 'sent' then null else body end,
        not_before = case result
          when 'held' then 'infinity' else now() + interval '5 seconds' * power(3, least(attempts, 8) - 1) end,
        last_error = error
      where mail_id = mail and sent_at is null
    $$`.execute(db);
  await sql`
    create function due_mails(max_mails integer) returns table (mail_id uuid)
    language sql stable ${asOwner} as $$
      select m.mail_id from mail_outbox m
      where m.sent_at is null and m.not_before < now() - interval '2 seconds' and m.attempts < 8
        and (m.expires_at is null or m.expires_at > now())
      order by m.not_before
      limit max_mails
    $$`.execute(db);
  await grantToService(db, [
    'post_mail(uuid, text, text, bytea)',
    'delete_mails_to(text)',
    'take_mail(uuid)',
    'record_mail_result(uuid, text, text)',
    'due_mails(integer)',
  ]);
}
