import { createTransport } from 'nodemailer';
import { type Config } from '../config.js';
import { type Mail } from './mail.js';

/** What carries mail away. */
export interface MailTransport {
  send(mailId: string, mail: Mail): Promise<void>;
  /** Rejects when the server cannot be reached or refuses the login. */
  verify(): Promise<void>;
  close(): void;
}

const timeoutMs = 20_000;

/** The configured server; null when there is none. */
export function mailTransport(config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>): MailTransport | null {
  if (config.SMTP_URL === undefined) return null;
  const from = config.MAIL_FROM as string;
  const transport = createTransport({
    url: config.SMTP_URL,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Bodies are texts of ours: nothing in them may make the service read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (mailId, { to, subject, text, html }) => {
      // The same id for each try: a mail that was sent, and then not noted as sent, is one mail to the receiver.
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
