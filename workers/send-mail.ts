import { type JobHandler } from '#src/platform/jobs/job-queue.js';
import { type Log } from '#src/platform/log.js';
import { type MailServer } from '#src/platform/mail/mail-server.js';
import { type Outbox, sendMailJob } from '#src/platform/mail/outbox.js';
import { mailFailureCode } from '#src/platform/mail/transport.js';

/**
 * Sends a mail. Running it twice is harmless: a mail is taken before it is sent, and a sent mail cannot be taken
 * again. Without a mail server the text is logged, for trials; not in production, because it may contain a sign-in
 * code.
 */
export function sendMailHandler(
  outbox: Outbox,
  server: Pick<MailServer, 'transport'>,
  log: Log,
  production: boolean,
): JobHandler<{ mailId: string }> {
  const run = async ({ mailId }: { mailId: string }) => {
    const mail = await outbox.take(mailId);
    if (mail === null) return;
    const transport = await server.transport();
    if (transport === null) {
      await outbox.recordResult(mailId, 'held');
      log.info(production ? { mailId } : { mailId, text: mail.text }, 'mail not sent: no mail server is set up');
      return;
    }
    try {
      await transport.send(mailId, mail);
    } catch (error) {
      const reason = mailFailureCode(error);
      await outbox.recordResult(mailId, 'failed', reason);
      log.warn({ mailId, reason }, 'sending a mail failed; it is retried');
      return;
    }
    await outbox.recordResult(mailId, 'sent');
  };
  return { declaration: sendMailJob, run };
}
