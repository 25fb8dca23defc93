import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CONFIG } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { integration, unconnectedExample } from '../crm-connection.js';
import { listIntegrations as load } from '../crm-connection-views.js';
import { redirectUri } from '../oauth-client.js';

const response = z.object({
  crma: z.boolean().describe('Whether crm-a is connected'),
  crmb: z.boolean().describe('Whether crm-b is connected'),
  crmc: z.boolean().describe('Whether crm-c is connected'),
  integrations: z
    .array(
      integration
        .extend({
          canSignIn: z
            .boolean()
            .describe('Whether an admin can connect by signing in at the CRM: the service has an OAuth client there'),
        })
        .describe('The connection to one CRM'),
    )
    .describe('The connection to every CRM'),
});

export const listIntegrations = operation({
  id: 'listIntegrations',
  summary: 'List the CRM connections of the workspace',
  method: 'get',
  path: '/auth/workspace/integrations',
  access: 'connection',
  response,
  failures: {},
  example: {
    response: {
      crma: true,
      crmb: false,
      crmc: false,
      integrations: [
        {
          ...unconnectedExample,
          provider: 'crma',
          canSignIn: true,
          connected: true,
          connectedAt: '2026-01-02T09:00:00.000Z',
        },
        { ...unconnectedExample, provider: 'crmb', canSignIn: false },
        { ...unconnectedExample, provider: 'crmc', canSignIn: false, syncEnabled: false },
      ],
    },
  },
  uses: { unitOfWork: UnitOfWork, config: CONFIG },
  async execute(_input, caller, { unitOfWork, config }): Promise<z.input<typeof response>> {
    const integrations = await unitOfWork.read(caller, (tx) => load(tx));
    const connected = new Set(integrations.filter((crm) => crm.connected).map((crm) => crm.provider));
    return {
      crma: connected.has('crma'),
      crmb: connected.has('crmb'),
      crmc: connected.has('crmc'),
      integrations: integrations.map((crm) => ({ ...crm, canSignIn: redirectUri(config, crm.provider) !== null })),
    };
  },
});
