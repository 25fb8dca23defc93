import { type JobHandler } from '#src/platform/jobs/job-queue.js';
import { type Log } from '#src/platform/log.js';
import { type Outbox } from '#src/platform/mail/outbox.js';
import { sendMailJob } from '#src/platform/mail/send-mail-job.js';
import { type MailTransport } from '#src/platform/mail/transport.js';

/**
 * Sends a mail. Twice is harmless: a mail is taken before it is sent, and one that was sent cannot be taken again.
 * Without a server the text goes to the log, for trials; in production it would be a code in a log, so it does not.
 */
export function sendMailHandler(
  outbox: Outbox,
  transport: MailTransport | null,
  log: Log,
  production: boolean,
): JobHandler<{ mailId: string }> {
  const run = async ({ mailId }: { mailId: string }) => {
    const mail = await outbox.take(mailId);
    if (mail === null) return;
    if (transport === null) {
      await outbox.settle(mailId, 'held');
      log.info(production ? { mailId } : { mailId, text: mail.text }, 'mail not sent, no SMTP');
      return;
    }
    try {
      await transport.send(mailId, mail);
    } catch (error) {
      const reason = reasonOf(error);
      await outbox.settle(mailId, 'failed', reason);
      log.warn({ mailId, reason }, 'a mail could not be sent; it is tried again');
      return;
    }
    await outbox.settle(mailId, 'sent');
  };
  return { declaration: sendMailJob, run };
}

/** The mail server's words may repeat the address or the text, so only its code is kept. */
function reasonOf(error: unknown): string {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  return (
    [code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ') || 'unknown'
  );
}
