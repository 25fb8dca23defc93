import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A signing key as Standard Webhooks defines it: 32 random bytes in base64. */
export function newEndpointSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`;
}

/** The headers of Standard Webhooks for one attempt. Every attempt has its own timestamp. */
export function signedHeaders(
  secret: string,
  deliveryId: string,
  body: string,
  now: Date,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${deliveryId}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': deliveryId, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
