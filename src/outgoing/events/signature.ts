import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A signing key as Standard Webhooks defines it: 32 random bytes in base64. */
export function newEndpointSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`;
}

/**
 * The headers of Standard Webhooks for one attempt. Every attempt has its own timestamp. A receiver accepts the delivery
 * if one of the signatures is that of its key.
 */
export function signedHeaders(
  secrets: readonly string[],
  deliveryId: string,
  body: string,
  now: Date,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${deliveryId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': deliveryId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
