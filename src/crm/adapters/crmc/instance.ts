import { CrmFailure } from '../port.js';

/**
 * Validates the URL of an organisation. Admins may type it, so without this check our requests, and the tokens in
 * them, could be sent anywhere.
 */
export function instanceOrigin(text: string, allowLoopback: boolean): string {
  const origin = vendorOrigin(text, allowLoopback);
  if (origin !== null) return origin;
  throw new CrmFailure('rejected', 'crmc: the instance URL must be https://<your domain>.my.salesforce.com');
}

/** Validates the URL of a consent page, to which the client secret is sent. */
export function loginOrigin(text: string, allowLoopback: boolean): string {
  const origin = vendorOrigin(text, allowLoopback);
  if (origin !== null) return origin;
  throw new CrmFailure(
    'rejected',
    'crmc: the login URL must be https://login.salesforce.com, https://test.salesforce.com for a sandbox, or https://<your domain>.my.salesforce.com',
  );
}

function vendorOrigin(text: string, allowLoopback: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '') return null;
  const isVendors = url.protocol === 'https:' && url.port === '' && url.hostname.endsWith('.salesforce.com');
  return isVendors || (allowLoopback && isLoopback(url)) ? url.origin : null;
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
