import { z } from 'zod';
import { operation } from '../../../platform/operations/operation.js';
import { connectedResponse } from '../crm-connection.js';
import { CrmConnector } from '../crm-connector.js';

export const rotateCrmcSecret = operation({
  id: 'rotateCrmcSecret',
  summary:
    'Replace the secret of the deliveries of crmc, if it is lost or has leaked. The previous one is rejected at once; polls read what changes until the Flow has the new one',
  method: 'post',
  path: '/auth/workspace/crmc/rotate-secret',
  access: 'admin',
  response: z.object({
    webhookUrl: connectedResponse.shape.webhookUrl,
    webhookSecret: z.string().describe('The new bearer secret of webhook deliveries, returned only once'),
  }),
  secret: true,
  failures: { no_crm_configured: 400 },
  example: { response: { webhookUrl: 'https://pay.acme.com/webhooks/crmc', webhookSecret: '…' } },
  uses: { connector: CrmConnector },
  async execute(_input, caller, { connector }) {
    return connector.rotateSecret(caller);
  },
});
