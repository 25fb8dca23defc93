import { timeLimit } from '../../kernel/time-limit.js';
import { type Config } from '../config.js';
import { type Mail } from './mail.js';

export interface MailTransport {
  send(mailId: string, mail: Mail): Promise<void>;
  /** Rejects if the server is unreachable or rejects the login. */
  verify(): Promise<void>;
  close(): void;
}

const timeoutMs = timeLimit(20_000);

/** The configured SMTP server; null if there is none. */
export async function createMailTransport(
  config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>,
): Promise<MailTransport | null> {
  if (config.SMTP_URL === undefined) return null;
  const { createTransport } = await import('nodemailer');
  const from = config.MAIL_FROM as string;
  const transport = createTransport({
    url: config.SMTP_URL,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Message content must never make the service read a file or fetch a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (mailId, { to, subject, text, html }) => {
      // Every attempt uses the same message id, so that receivers can discard a duplicate.
      const messageId = `<${mailId}@commissions>`;
      const headers = { 'Auto-Submitted': 'auto-generated' };
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, html, messageId, headers });
    },
    verify: async () => {
      await transport.verify();
    },
    close: () => transport.close(),
  };
}
