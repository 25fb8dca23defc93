import { sql } from 'kysely';
import { newId } from '../../kernel/ids.js';
import { type UnitOfWork, type Work } from '../database/unit-of-work.js';
import { type JobQueue } from '../jobs/job-queue.js';
import { type Secrets } from '../secrets/secrets.js';
import { assertHeaders, type Mail, type MailBody } from './mail.js';
import { sendMailJob } from './send-mail-job.js';

/** A mail ready to be kept: its body sealed under its id. */
export interface SealedMail {
  readonly mailId: string;
  readonly body: Buffer;
}

/**
 * Mail stands in the database in the transaction of what it tells, and is sent after the commit. Bodies are sealed:
 * some hold codes that sign people in.
 */
export class Outbox {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly queue: Pick<JobQueue, 'add'>,
  ) {}

  /** Keeps a mail of the transaction's workspace; its id is to be given to {@link wake} after the commit. */
  async post(trx: Work, mail: Mail): Promise<string> {
    const { mailId, body } = this.seal(mail);
    await sql`select post_mail(${mailId}, ${mail.to}, ${mail.subject}, ${body})`.execute(trx);
    return mailId;
  }

  seal(mail: Mail): SealedMail {
    assertHeaders(mail);
    const mailId = newId();
    const { text, html } = mail;
    return { mailId, body: this.secrets.seal(placeOf(mailId), JSON.stringify({ text, html })) };
  }

  async wake(mailIds: readonly string[]): Promise<void> {
    for (const mailId of mailIds) await this.queue.add(sendMailJob, { mailId });
  }

  /** The mail, if it is to be sent now and nobody else is about to; each taking is a try. */
  async take(mailId: string): Promise<Mail | null> {
    const { rows } = await this.unitOfWork.withoutTenant((trx) =>
      sql<{ recipient: string; subject: string; body: Buffer }>`select * from take_mail(${mailId})`.execute(trx),
    );
    const row = rows[0];
    return row === undefined
      ? null
      : { to: row.recipient, subject: row.subject, ...openMailBody(this.secrets, mailId, row.body) };
  }

  /** `held` keeps the mail unsent for good; `failed` lets it be tried again, later each time. */
  async settle(mailId: string, outcome: 'sent' | 'held' | 'failed', error: string | null = null): Promise<void> {
    await this.unitOfWork.withoutTenant((trx) => sql`select settle_mail(${mailId}, ${outcome}, ${error})`.execute(trx));
  }

  /** Mails whose job was lost, or that are to be tried again. */
  async due(atMost: number): Promise<string[]> {
    const { rows } = await this.unitOfWork.withoutTenant((trx) =>
      sql<{ mail_id: string }>`select mail_id from due_mails(${atMost})`.execute(trx),
    );
    return rows.map((row) => row.mail_id);
  }
}

export function openMailBody(secrets: Secrets, mailId: string, body: Buffer): MailBody {
  return JSON.parse(secrets.open(placeOf(mailId), body)) as MailBody;
}

function placeOf(mailId: string): string {
  return `mail_outbox ${mailId}`;
}
