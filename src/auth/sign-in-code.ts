import { randomBytes, randomInt } from 'node:crypto';
import { bodyOf, type Mail } from '../platform/mail/mail.js';
import { type Secrets } from '../platform/secrets/secrets.js';

/** A code as it is stored: without the key that is not in the database, a million guesses at it would all look right. */
export interface StoredCode {
  readonly codeId: string;
  readonly salt: Buffer;
  readonly hmac: Buffer;
}

export const codePattern = /^[0-9]{6}$/;

export function newCode(): string {
  return String(randomInt(0, 1_000_000)).padStart(6, '0');
}

export function newSalt(): Buffer {
  return randomBytes(16);
}

/** What the address is known by where codes are kept. */
export function emailHash(secrets: Secrets, email: string): Buffer {
  return secrets.mac('sign-in-email', email);
}

export function codeHmac(secrets: Secrets, email: string, codeId: string, salt: Buffer, code: string): Buffer {
  return secrets.mac('sign-in-code', salt, email, codeId, code);
}

/** The subject is shown on locked screens, so the code is not in it. */
export function codeMail(to: string, code: string): Mail {
  return {
    to,
    subject: 'Your sign-in code',
    ...bodyOf([
      'Your code to sign in:',
      { big: code },
      'It is valid for 10 minutes and can be used once. Nobody from us will ever ask you for it.',
      'If you did not ask to sign in, you can ignore this mail.',
    ]),
  };
}
