import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type CrmProvider } from '../../crm/port.js';
import { type Caller } from '../../kernel/caller.js';
import { type Input, operation } from '../../platform/operation.js';
import { text } from '../../platform/schemas.js';
import { CrmAccounts } from '../crm-accounts.js';
import { connectedAnswer, connectedExample } from '../crm-connection.js';
import { CrmConnector } from '../crm-connector.js';
import { crmFailures, toCrmFailure } from '../crm-failures.js';

const token = text(8000);
const body = z.strictObject({
  accessToken: token.describe('Access token of the CRM'),
  refreshToken: token.optional().describe('Refresh token of the CRM, if it has one'),
});
/** Every organisation of crm-c has its own URL. */
const crmcBody = body.extend({ instanceUrl: z.url().max(500).describe('URL of the organization at crm-c') });
type Body = z.infer<typeof body> & Partial<z.infer<typeof crmcBody>>;

function connect<const Id extends string, const Given extends typeof body | typeof crmcBody>(
  id: Id,
  provider: CrmProvider,
  given: Given,
  example: z.input<Given>,
) {
  @injectable()
  class ConnectCrm {
    constructor(
      @inject(CrmAccounts) readonly accounts: CrmAccounts,
      @inject(CrmConnector) readonly connector: CrmConnector,
    ) {}

    /** Verifies the token with the CRM, and whose it is, before anything is stored. */
    async execute({ body: pasted }: Input<unknown, unknown, Body>, caller: Caller) {
      try {
        const credentials = await this.accounts.adapters[provider].verify(pasted);
        return { connected: true as const, provider, ...(await this.connector.connect(caller, provider, credentials)) };
      } catch (error) {
        throw toCrmFailure(error);
      }
    }
  }

  return operation({
    id,
    summary: `Connect ${provider} with a token created in the CRM, without a consent page`,
    method: 'post',
    path: `/auth/workspace/connect-${provider}`,
    access: 'admin',
    body: given,
    response: connectedAnswer,
    secret: true,
    failures: crmFailures,
    example: { body: example, answer: connectedExample(provider) },
    handler: ConnectCrm,
  });
}

const tokenExample = { accessToken: '…' };
const crmcExample = { accessToken: '…', refreshToken: '…', instanceUrl: 'https://acme.my.salesforce.com' };

export const connectCrma = connect('connectCrma', 'crma', body, tokenExample);
export const connectCrmb = connect('connectCrmb', 'crmb', body, tokenExample);
export const connectCrmc = connect('connectCrmc', 'crmc', crmcBody, crmcExample);
