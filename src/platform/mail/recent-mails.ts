import { sql } from 'kysely';
import { withDatabase } from '../database/pool.js';
import { type Secrets } from '../secrets/secrets.js';
import { openMailBody } from './outbox.js';

/** A mail for the command line. The text is absent in production and after the mail was sent. */
export interface RecentMail {
  readonly createdAt: string;
  readonly to: string;
  readonly subject: string;
  readonly sentAt: string | null;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly text?: string;
}

interface MailRow {
  readonly mail_id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly body: Buffer | null;
  readonly created_at: Date;
  readonly sent_at: Date | null;
  readonly attempts: number;
  readonly last_error: string | null;
}

/**
 * The latest mails, newest first. Read as the owner, since the service's role can only take due mails one at a time.
 */
export async function listRecentMails(ownerUrl: string, secrets: Secrets | null, limit: number): Promise<RecentMail[]> {
  const { rows } = await withDatabase({ url: ownerUrl, asOwner: true }, (database) =>
    sql<MailRow>`
      select * from mail_outbox where recipient is not null order by created_at desc limit ${limit}`.execute(database),
  );
  return rows.map((row) => ({
    createdAt: row.created_at.toISOString(),
    to: row.recipient,
    subject: row.subject,
    sentAt: row.sent_at?.toISOString() ?? null,
    attempts: row.attempts,
    lastError: row.last_error,
    ...(secrets === null || row.body === null ? {} : { text: openMailBody(secrets, row.mail_id, row.body).text }),
  }));
}
