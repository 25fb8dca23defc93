import { timingSafeEqual } from 'node:crypto';

/** Whether the hexadecimal text is the SHA-256 digest; compared in constant time. */
export function isDigest(hex: string | undefined, digest: Buffer): boolean {
  return hex !== undefined && /^[0-9a-f]{64}$/i.test(hex) && timingSafeEqual(Buffer.from(hex, 'hex'), digest);
}
