import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { endpointExample, webhookEndpoint } from '../webhook-endpoint.js';
import { listEndpoints } from '../webhook-endpoint-views.js';

export const listWebhookEndpoints = operation({
  id: 'listWebhookEndpoints',
  summary: 'The webhook endpoints of the workspace, newest first; never their secrets',
  method: 'get',
  path: '/v1/webhook-endpoints',
  access: 'admin',
  response: z.object({ endpoints: z.array(webhookEndpoint).describe('The endpoints of the workspace') }),
  failures: {},
  example: { response: { endpoints: [endpointExample] } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    const endpoints = await unitOfWork.read(caller, (tx) => listEndpoints(tx));
    return { endpoints };
  },
});
