// `import type` is removed by the compiler: the web app and the command line load this file.
import type { CrmProvider } from '../adapters/port.js';

/** The products behind the neutral names of the API. */
export const productNames: Readonly<Record<CrmProvider, string>> = {
  crma: 'Attio',
  crmb: 'HubSpot',
  crmc: 'Salesforce',
};
