import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Kinds of bearer tokens. `agt` is the access token of a connected agent. */
export const tokenKinds = ['ws', 'sess', 'conn', 'int', 'agt'] as const;
export type TokenKind = (typeof tokenKinds)[number];
/** What the client of an agent exchanges for access tokens: authorization codes and refresh tokens. */
type GrantKind = 'agc' | 'agr';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const checksumLength = 6;
const tokenPattern = /^(ws|sess|conn|int|agt|agc|agr)_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/**
 * A bearer token or grant: kind, 256 random bits and a checksum, all in base 62. The checksum exposes a typing error, or a
 * false match of a secret scanner, without a database query.
 */
export function newToken(kind: TokenKind | GrantKind): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength);
  return `${kind}_${secret}${checksum(`${kind}_${secret}`)}`;
}

/** SHA-256 of the token, or null if its format or checksum is wrong. A fast hash is sufficient for 256 random bits. */
export function hashToken(token: string): Buffer | null {
  const match = tokenPattern.exec(token);
  if (match === null) return null;
  const [, kind, secret, sum] = match;
  if (checksum(`${kind}_${secret}`) !== sum) return null;
  return createHash('sha256').update(token).digest();
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), checksumLength);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = `${alphabet[Number(rest % 62n)]}${text}`;
  return text.padStart(length, '0');
}
