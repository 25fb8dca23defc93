import { createHmac } from 'node:crypto';
import { isDigest } from '../platform/secrets/signature.js';

const toleranceSeconds = 300;
const maxHeaderLength = 4096;

/**
 * Whether the provider signed these bytes recently. During a secret rotation it signs with both, so one of several
 * signatures suffices. Future timestamps are rejected too: they would extend the validity of a delivery.
 */
export function verifyBillingSignature(secret: string, bytes: Buffer, header: string | undefined, now: Date): boolean {
  if (header === undefined || header.length > maxHeaderLength) return false;
  const parts = header.split(',').map((part) => part.trim());
  const [timestamp, ...others] = readValues(parts, 't');
  if (timestamp === undefined || others.length > 0 || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(bytes).digest();
  return readValues(parts, 'v1').some((hex) => isDigest(hex, expected));
}

function readValues(parts: readonly string[], name: string): string[] {
  return parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
}
