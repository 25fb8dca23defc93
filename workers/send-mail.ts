import { type JobHandler } from '#src/platform/jobs/job-queue.js';
import { type Log } from '#src/platform/log.js';
import { type Outbox, sendMailJob } from '#src/platform/mail/outbox.js';
import { type MailTransport } from '#src/platform/mail/transport.js';

/**
 * Sends a mail. Running it twice is harmless: a mail is taken before it is sent, and a sent mail cannot be taken
 * again. Without an SMTP server the text is logged, for trials; not in production, because it may contain a sign-in
 * code.
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
      await outbox.recordResult(mailId, 'held');
      log.info(production ? { mailId } : { mailId, text: mail.text }, 'mail not sent: no SMTP server is configured');
      return;
    }
    try {
      await transport.send(mailId, mail);
    } catch (error) {
      const reason = formatReason(error);
      await outbox.recordResult(mailId, 'failed', reason);
      log.warn({ mailId, reason }, 'sending a mail failed; it is retried');
      return;
    }
    await outbox.recordResult(mailId, 'sent');
  };
  return { declaration: sendMailJob, run };
}

/** Only the server's code is stored: its message may repeat the address or the text. */
function formatReason(error: unknown): string {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  return (
    [code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ') || 'unknown'
  );
}
