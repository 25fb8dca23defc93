import { z } from 'zod';
import { text } from '../operations/schemas.js';

export const mailSettings = z.object({
  host: text(253)
    .regex(/^[A-Za-z0-9.:_-]+$/, 'must be the name or address of a server, such as smtp.acme.com')
    .describe('Mail server, such as smtp.acme.com'),
  port: z.int().min(1).max(65_535).describe('Port, usually 465 with tls and 587 with starttls'),
  security: z
    .enum(['tls', 'starttls', 'none'])
    .describe('tls: encrypted from the start; starttls: encrypted before the login; none: not encrypted'),
  username: text(320).nullable().describe('User name at the mail server; null if it needs no login'),
  from: text(320)
    .regex(/^[^\r\n]*[^\s@<]@[^\s@>][^\r\n]*$/, 'must be one line with an e-mail address')
    .describe('Sender of mail, such as Acme Pay <pay@acme.com>'),
});

/** A mail server that an admin has set up in the app. */
export type MailSettings = z.output<typeof mailSettings>;

export const mailPasswordEncryptionContext = 'installation mail_password';
