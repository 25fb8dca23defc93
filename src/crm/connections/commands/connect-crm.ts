import { z } from 'zod';
import { operation } from '../../../platform/operations/operation.js';
import { text } from '../../../platform/operations/schemas.js';
import { type CrmProvider } from '../../adapters/port.js';
import { previousDealsChoices } from '../account-change.js';
import { CrmAccounts } from '../crm-accounts.js';
import { connectedExample, connectedResponse } from '../crm-connection.js';
import { CrmConnector } from '../crm-connector.js';
import { callingCrm, crmFailures } from '../crm-failures.js';

const token = text(8000);
const body = z.strictObject({
  accessToken: token.describe('Access token of the CRM'),
  refreshToken: token.optional().describe('Refresh token of the CRM, if it has one'),
  previousDeals: z
    .enum(previousDealsChoices)
    .optional()
    .describe('Required if stored deals are from another account: keep them, or remove them after the next import'),
});
/** Every organisation of crm-c has its own URL. */
const crmcBody = body.extend({ instanceUrl: z.url().max(500).describe('URL of the organization at crm-c') });

function connect<const Id extends string, const BodySchema extends typeof body | typeof crmcBody>(
  id: Id,
  provider: CrmProvider,
  bodySchema: BodySchema,
  example: z.input<BodySchema>,
) {
  return operation({
    id,
    summary: `Connect ${provider} with a token created in the CRM, without a consent page`,
    method: 'post',
    path: `/auth/workspace/connect-${provider}`,
    access: 'admin',
    body: bodySchema,
    response: connectedResponse,
    secret: true,
    failures: { ...crmFailures, account_changed: 409 },
    example: { body: example, response: connectedExample(provider) },
    uses: { accounts: CrmAccounts, connector: CrmConnector },
    /** Verifies the token with the CRM, and whose it is, before anything is stored. */
    async execute({ body: { previousDeals = null, ...pasted } }, caller, { accounts, connector }) {
      const connected = await callingCrm(async () => {
        const credentials = await accounts.adapters[provider].verify(pasted);
        return connector.connect(caller, provider, credentials, previousDeals);
      });
      return { connected: true as const, provider, ...connected, warnings: [...connected.warnings] };
    },
  });
}

const tokenExample = { accessToken: '…' };
const crmcExample = { accessToken: '…', refreshToken: '…', instanceUrl: 'https://acme.my.salesforce.com' };

export const connectCrma = connect('connectCrma', 'crma', body, tokenExample);
export const connectCrmb = connect('connectCrmb', 'crmb', body, tokenExample);
export const connectCrmc = connect('connectCrmc', 'crmc', crmcBody, crmcExample);
