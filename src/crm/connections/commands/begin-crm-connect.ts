import { z } from 'zod';
import { operation, Redirect } from '../../../platform/operations/operation.js';
import { flag } from '../../../platform/operations/schemas.js';
import { type CrmProvider } from '../../adapters/port.js';
import { CrmConsents } from '../crm-consents.js';
import { crmFailures } from '../crm-failures.js';

const query = z.strictObject({
  redirect: flag.default(false).describe('true: redirect the browser to the page; false: return its URL'),
});
/** Production and sandboxes of crm-c have different login hosts. */
const crmcQuery = query.extend({
  loginUrl: z
    .url()
    .max(500)
    .optional()
    .describe('Where the admin signs in: https://test.salesforce.com for a sandbox, or the own domain'),
});
const response = z.object({
  authorizeUrl: z
    .string()
    .describe('URL of a page of this service, valid for ten minutes: an admin signs in there and continues to the CRM'),
});

function begin<const Id extends string>(id: Id, provider: CrmProvider, querySchema: typeof query | typeof crmcQuery) {
  return operation({
    id,
    summary: `Start connecting ${provider}: returns the page to open in a browser within ten minutes`,
    method: 'get',
    path: `/auth/${provider}/connect`,
    access: 'admin',
    query: querySchema,
    response,
    otherStatus: 302,
    startsWork: true,
    failures: crmFailures,
    example: { response: { authorizeUrl: 'https://pay.acme.com/auth/crma/authorize?start=…' } },
    uses: { consents: CrmConsents },
    async execute({ query: requested }, caller, { consents }) {
      const loginUrl = 'loginUrl' in requested ? (requested.loginUrl ?? null) : null;
      const authorizeUrl = await consents.startUrl(provider, caller, loginUrl);
      return requested.redirect ? new Redirect(authorizeUrl) : { authorizeUrl };
    },
  });
}

export const beginCrmaConnect = begin('beginCrmaConnect', 'crma', query);
export const beginCrmbConnect = begin('beginCrmbConnect', 'crmb', query);
export const beginCrmcConnect = begin('beginCrmcConnect', 'crmc', crmcQuery);
