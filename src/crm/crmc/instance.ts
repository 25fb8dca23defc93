import { CrmFailure } from '../port.js';

/**
 * Validates the URL of an organisation. Admins may type it, so without this check our requests, and the tokens in
 * them, could be sent anywhere.
 */
export function instanceOrigin(text: string, allowLoopback: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && url.username === '' && url.password === '') {
    const isOrg = url.protocol === 'https:' && url.port === '' && url.hostname.endsWith('.salesforce.com');
    if (isOrg || (allowLoopback && isLoopback(url))) return url.origin;
  }
  throw new CrmFailure('rejected', 'crmc: the instance URL must be https://<your domain>.my.salesforce.com');
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
