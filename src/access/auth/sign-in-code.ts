import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { isUuid } from '../../kernel/ids.js';
import { toNetwork } from '../../platform/limits/attempt-limits.js';
import { buildBody, type Mail } from '../../platform/mail/mail.js';
import { type Secrets } from '../../platform/secrets/secrets.js';

/**
 * A stored code. Without the key, which is not in the database, its HMAC reveals nothing about the million possible
 * codes.
 */
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

/** The address as it is stored beside codes. */
export function emailHash(secrets: Secrets, email: string): Buffer {
  return secrets.mac('sign-in-email', email);
}

export function codeHmac(secrets: Secrets, email: string, codeId: string, salt: Buffer, code: string): Buffer {
  return secrets.mac('sign-in-code', salt, email, codeId, code);
}

/** The network of a request as it is stored beside codes. */
export function networkHash(secrets: Secrets, address: string): Buffer {
  return secrets.mac('sign-in-network', toNetwork(address));
}

/**
 * Names the code of a request to the client that sent the request. Attempts with it are counted apart from those of
 * strangers, who cannot guess it. It is the same for addresses without a person, and nothing is stored for it.
 */
export function createNonce(secrets: Secrets, email: string, codeId: string): string {
  return `${codeId}.${secrets.mac('sign-in-nonce', email, codeId).toString('base64url')}`;
}

/** The code that the nonce names; null if the nonce was not made for the address. */
export function readCodeId(secrets: Secrets, email: string, nonce: string): string | null {
  const codeId = nonce.slice(0, 36);
  if (!isUuid(codeId)) return null;
  const [actual, expected] = [Buffer.from(nonce), Buffer.from(createNonce(secrets, email, codeId))];
  return actual.length === expected.length && timingSafeEqual(actual, expected) ? codeId : null;
}

/**
 * A link to the sign-in page with address and code filled in. They are in the fragment, which browsers do not send, so
 * that they are in no log.
 */
function signInLink(publicUrl: string, email: string, code: string): string {
  return `${publicUrl}/login#${new URLSearchParams({ email, code })}`;
}

/** Lock screens show the subject, so it does not contain the code. */
export function codeMail(to: string, code: string, publicUrl: string | undefined): Mail {
  const link = publicUrl === undefined ? [] : [`Or open this link: ${signInLink(publicUrl, to, code)}`];
  return {
    to,
    subject: 'Your sign-in code',
    ...buildBody([
      'Your code to sign in:',
      { big: code },
      ...link,
      'It is valid for 10 minutes and can be used once. We will never ask you for it.',
      'If you did not try to sign in, ignore this mail.',
    ]),
  };
}
