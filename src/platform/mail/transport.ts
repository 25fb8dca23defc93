import { timeLimit } from '../../kernel/time-limit.js';
import { type Config } from '../config.js';
import { type Mail } from './mail.js';
import { type MailSettings } from './mail-settings.js';

export interface MailTransport {
  send(mailId: string, mail: Mail): Promise<void>;
  /** Rejects if the server is unreachable or rejects the login. */
  verify(): Promise<void>;
  close(): void;
}

const timeoutMs = timeLimit(20_000);

/** The SMTP server of the environment; null if there is none. */
export async function createMailTransport({
  SMTP_URL: url,
  MAIL_FROM: from = '',
}: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>): Promise<MailTransport | null> {
  return url === undefined ? null : open({ url }, from);
}

/** The SMTP server that was set up in the app. A password is never sent without encryption. */
export function openMailServer(
  { host, port, security, username, from }: MailSettings,
  password: string | null,
): Promise<MailTransport> {
  const auth = username === null ? {} : { auth: { user: username, pass: password ?? '' } };
  const encryption = {
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
  };
  return open({ host, port, ...encryption, ...auth }, from);
}

async function open(server: object, from: string): Promise<MailTransport> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    ...server,
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

/** What a mail server reported, without its message, which may repeat the address or the text. */
export function mailFailureCode(error: unknown): string {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  return (
    [code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ') || 'unknown'
  );
}
