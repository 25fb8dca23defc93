import { type CrmProvider } from '../crm/port.js';
import { type Config } from '../platform/config.js';

export function callbackPath<const Provider extends CrmProvider>(provider: Provider): `/auth/${Provider}/callback` {
  return `/auth/${provider}/callback`;
}

const clientIds = { crma: 'CRMA_CLIENT_ID', crmb: 'CRMB_CLIENT_ID', crmc: 'CRMC_CLIENT_ID' } as const;

/** The redirect URL of the consent page; null without an OAuth client or PUBLIC_URL. */
export function redirectUri(config: Config, provider: CrmProvider): string | null {
  if (config.PUBLIC_URL === undefined || config[clientIds[provider]] === undefined) return null;
  return `${config.PUBLIC_URL.replace(/\/+$/, '')}${callbackPath(provider)}`;
}
