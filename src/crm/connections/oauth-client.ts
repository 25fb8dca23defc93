import { type Config } from '../../platform/config.js';
import { type CrmProvider } from '../adapters/port.js';

/** Receives the browser from the consent page of the CRM. */
export function callbackPath(provider: CrmProvider): string {
  return `/auth/${provider}/callback`;
}

/** Starts the consent in the browser of the admin. */
export function authorizePath(provider: CrmProvider): string {
  return `/auth/${provider}/authorize`;
}

/** Receives the decision of the admin on the account that the CRM has granted. */
export function confirmPath(provider: CrmProvider): string {
  return `/auth/${provider}/confirm`;
}

const clientIds = { crma: 'CRMA_CLIENT_ID', crmb: 'CRMB_CLIENT_ID', crmc: 'CRMC_CLIENT_ID' } as const;

/** The redirect URL of the consent page; null without an OAuth client or PUBLIC_URL. */
export function redirectUri(config: Config, provider: CrmProvider): string | null {
  if (config.PUBLIC_URL === undefined || config[clientIds[provider]] === undefined) return null;
  return `${config.PUBLIC_URL}${callbackPath(provider)}`;
}
