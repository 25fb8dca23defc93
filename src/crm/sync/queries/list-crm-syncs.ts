import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { cursorPage } from '../../../platform/operations/schemas.js';
import { providerParams } from '../../connections/crm-connection.js';
import { findHealth } from '../../connections/crm-health.js';
import { listSyncHistory } from '../crm-sync-history.js';
import { crmHealth, crmHealthExample, crmSyncExample, crmSyncRecord } from '../crm-sync-record.js';

const query = z.strictObject(cursorPage('syncs', 100));

export const listCrmSyncs = operation({
  id: 'listCrmSyncs',
  summary:
    'Syncs and polls of a CRM in the last 90 days, newest first, with skipped deals and the health of its webhooks',
  method: 'get',
  path: '/v1/integrations/:provider/syncs',
  access: 'admin',
  params: providerParams,
  query,
  response: z.object({
    health: crmHealth,
    syncs: z.array(crmSyncRecord).describe('The syncs of the page; the first page also has those that run'),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last page'),
  }),
  failures: {},
  example: {
    params: { provider: 'crma' },
    query: { limit: '20' },
    response: { health: crmHealthExample, syncs: [crmSyncExample], nextCursor: null },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { provider }, query: { limit, cursor } }, caller, { unitOfWork }) {
    return unitOfWork.read(caller, async (tx) => {
      const { syncs, next } = await listSyncHistory(tx, provider, {
        limit,
        before: cursor ?? null,
      });
      return { health: await findHealth(tx, provider), syncs, nextCursor: next };
    });
  },
});
