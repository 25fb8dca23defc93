import { z } from 'zod';
import { type CrmProvider } from '../../crm/port.js';
import { operation, Redirect } from '../../platform/operation.js';
import { flag } from '../../platform/schemas.js';
import { CrmConsents } from '../crm-consents.js';

const query = z.strictObject({
  redirect: flag.default(false).describe('true: redirect the browser to the page; false: return its URL'),
});
const response = z.object({
  authorizeUrl: z
    .string()
    .describe('URL of a page of this service, valid for ten minutes: an admin signs in there and continues to the CRM'),
});

function begin<const Id extends string>(id: Id, provider: CrmProvider) {
  return operation({
    id,
    summary: `Start connecting ${provider}: returns the page to open in a browser within ten minutes`,
    method: 'get',
    path: `/auth/${provider}/connect`,
    access: 'admin',
    query,
    response,
    otherStatus: 302,
    failures: {},
    example: { answer: { authorizeUrl: 'https://pay.acme.com/auth/crma/authorize?start=…' } },
    uses: [CrmConsents],
    async execute({ query: { redirect } }, caller, consents) {
      const authorizeUrl = consents.startAddress(provider, caller);
      return redirect ? new Redirect(authorizeUrl) : { authorizeUrl };
    },
  });
}

export const beginCrmaConnect = begin('beginCrmaConnect', 'crma');
export const beginCrmbConnect = begin('beginCrmbConnect', 'crmb');
export const beginCrmcConnect = begin('beginCrmcConnect', 'crmc');
