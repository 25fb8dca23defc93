import { sql } from 'kysely';
import { z } from 'zod';
import { newId } from '../../kernel/ids.js';
import { type Transaction, type UnitOfWork } from '../database/unit-of-work.js';
import { type JobDeclaration, type JobQueue } from '../jobs/job-queue.js';
import { type Secrets } from '../secrets/secrets.js';
import { assertHeaders, type Mail, type MailBody } from './mail.js';

/** A mail with its body encrypted, ready to be stored. */
export interface SealedMail {
  readonly mailId: string;
  readonly body: Buffer;
}

/**
 * Mails are stored in the transaction of the change that they report, and sent after its commit. Bodies are
 * encrypted: some contain sign-in codes.
 */
export class Outbox {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly queue: Pick<JobQueue, 'add'>,
  ) {}

  /** Stores a mail of the transaction's workspace. Pass its id to {@link wake} after the commit. */
  async post(tx: Transaction, mail: Mail): Promise<string> {
    const { mailId, body } = this.seal(mail);
    await sql`select post_mail(${mailId}, ${mail.to}, ${mail.subject}, ${body})`.execute(tx.db);
    return mailId;
  }

  seal(mail: Mail): SealedMail {
    assertHeaders(mail);
    const mailId = newId();
    const { text, html } = mail;
    return { mailId, body: this.secrets.seal(mailEncryptionContext(mailId), JSON.stringify({ text, html })) };
  }

  async wake(mailIds: readonly string[]): Promise<void> {
    for (const mailId of mailIds) await this.queue.add(sendMailJob, { mailId });
  }

  /** Takes the mail if it is due and no other worker is sending it; counts as an attempt. Null otherwise. */
  async take(mailId: string): Promise<Mail | null> {
    const { rows } = await this.unitOfWork.withoutWorkspace((tx) =>
      sql<{ recipient: string; subject: string; body: Buffer }>`select * from take_mail(${mailId})`.execute(tx.db),
    );
    const row = rows[0];
    return row === undefined
      ? null
      : { to: row.recipient, subject: row.subject, ...openMailBody(this.secrets, mailId, row.body) };
  }

  /**
   * Records the result of an attempt. `held`: the mail is never sent. `failed`: it is retried, with a growing pause.
   */
  async recordResult(mailId: string, outcome: 'sent' | 'held' | 'failed', error: string | null = null): Promise<void> {
    await this.unitOfWork.withoutWorkspace((tx) =>
      sql`select record_mail_result(${mailId}, ${outcome}, ${error})`.execute(tx.db),
    );
  }

  /** Mails whose job was lost or whose next attempt is due. */
  async due(limit: number): Promise<string[]> {
    const { rows } = await this.unitOfWork.withoutWorkspace((tx) =>
      sql<{ mail_id: string }>`select mail_id from due_mails(${limit})`.execute(tx.db),
    );
    return rows.map((row) => row.mail_id);
  }
}

export function openMailBody(secrets: Secrets, mailId: string, body: Buffer): MailBody {
  return JSON.parse(secrets.open(mailEncryptionContext(mailId), body)) as MailBody;
}

export function mailEncryptionContext(mailId: string): string {
  return `mail_outbox ${mailId}`;
}

/** Sends one mail of the outbox. The outbox schedules retries, so the queue does not retry. */
export const sendMailJob: JobDeclaration<{ mailId: string }> = {
  name: 'send-mail.v1',
  payload: z.object({ mailId: z.uuid() }),
  attempts: 1,
  key: ({ mailId }) => `mail.${mailId}`,
};
