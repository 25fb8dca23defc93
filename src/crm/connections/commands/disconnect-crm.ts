import { z } from 'zod';
import { operation } from '../../../platform/operations/operation.js';
import { type CrmProvider, crmProviders } from '../../adapters/port.js';
import { CrmConnector } from '../crm-connector.js';

const response = z.object({
  disconnected: z.boolean().describe('Whether a connection existed'),
  provider: z.enum(crmProviders).describe('The CRM'),
});

function disconnect<const Id extends string>(id: Id, provider: CrmProvider) {
  return operation({
    id,
    summary: `Disconnect ${provider}: deletes its credentials and keeps its settings, deals and reps`,
    method: 'post',
    path: `/auth/workspace/disconnect-${provider}`,
    access: 'admin',
    response,
    failures: {},
    example: { response: { disconnected: true, provider } },
    uses: { connector: CrmConnector },
    async execute(_input, caller, { connector }) {
      return { disconnected: await connector.disconnect(caller, provider), provider };
    },
  });
}

export const disconnectCrma = disconnect('disconnectCrma', 'crma');
export const disconnectCrmb = disconnect('disconnectCrmb', 'crmb');
export const disconnectCrmc = disconnect('disconnectCrmc', 'crmc');
