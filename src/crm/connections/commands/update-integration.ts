import { z } from 'zod';
import { Failure, invalid } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { integration, providerParams, unconnectedExample } from '../crm-connection.js';
import { updatePolling } from '../crm-connection-store.js';
import { listIntegrations } from '../crm-connection-views.js';

const body = z.strictObject({
  syncEnabled: z.boolean().optional().describe('Whether the CRM is polled for changes'),
  pollSeconds: z
    .int()
    .min(60)
    .max(86_400)
    .nullable()
    .optional()
    .describe('Interval of the polls in seconds, from a minute to a day; null for the default of the service'),
});

export const updateIntegration = operation({
  id: 'updateIntegration',
  summary: 'Change how often a connected CRM is polled for changes, or switch polling on or off',
  method: 'patch',
  path: '/v1/integrations/:provider',
  access: 'admin',
  params: providerParams,
  body,
  response: integration,
  failures: { no_crm_configured: 400 },
  example: {
    params: { provider: 'crmb' },
    body: { pollSeconds: 600 },
    response: {
      ...unconnectedExample,
      provider: 'crmb',
      connected: true,
      connectedAt: '2026-01-02T09:00:00.000Z',
      pollSeconds: 600,
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { provider }, body: change }, caller, { unitOfWork }) {
    if (Object.values(change).every((value) => value === undefined))
      throw invalid({ path: '', message: 'give at least one of syncEnabled, pollSeconds' });
    return unitOfWork.write(caller, async (tx) => {
      if (!(await updatePolling(tx, provider, change)))
        throw new Failure('no_crm_configured', `${provider} is not connected to this workspace.`);
      const all = await listIntegrations(tx);
      return all.find((crm) => crm.provider === provider) as z.input<typeof integration>;
    });
  },
});
