import { type Config } from '../../platform/config.js';
import { crmaAdapter } from '../adapters/crma/adapter.js';
import { crmbAdapter } from '../adapters/crmb/adapter.js';
import { CrmcAdapter } from '../adapters/crmc/adapter.js';
import { realTiming } from '../adapters/http.js';
import { type CrmAdapters } from './crm-accounts.js';

/** One adapter per CRM, from the configuration. Without an OAuth client only entered tokens work. */
export function crmAdapters(config: Config): CrmAdapters {
  const timing = { ...realTiming, retryMs: config.CRM_RETRY_MS };
  return {
    crma: crmaAdapter(
      {
        apiBase: config.CRMA_API_BASE,
        authBase: config.CRMA_AUTH_BASE,
        clientId: config.CRMA_CLIENT_ID ?? '',
        clientSecret: config.CRMA_CLIENT_SECRET ?? '',
      },
      timing,
    ),
    crmb: crmbAdapter(
      {
        apiBase: config.CRMB_API_BASE,
        authBase: config.CRMB_AUTH_BASE,
        clientId: config.CRMB_CLIENT_ID ?? '',
        clientSecret: config.CRMB_CLIENT_SECRET ?? '',
        apiVersion: config.CRMB_API_VERSION,
        oauthVersion: config.CRMB_OAUTH_VERSION,
      },
      timing,
    ),
    crmc: new CrmcAdapter(
      {
        loginUrl: config.CRMC_LOGIN_BASE,
        apiVersion: config.CRMC_API_VERSION,
        clientId: config.CRMC_CLIENT_ID ?? '',
        clientSecret: config.CRMC_CLIENT_SECRET ?? '',
        allowLoopback: config.CRM_ALLOW_LOOPBACK,
      },
      timing,
    ),
  };
}
