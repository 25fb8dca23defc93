import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { setSyncEnabled } from '../crm-connection-store.js';

const body = z.strictObject({ enabled: z.boolean().describe('Whether crm-c is polled for changes') });

export const setCrmcSync = operation({
  id: 'setCrmcSync',
  summary: 'Switch polling of crmc for this workspace on or off; connection and history stay',
  method: 'post',
  path: '/auth/workspace/crmc/sync-enabled',
  access: 'admin',
  body,
  response: z.object({ enabled: z.boolean().describe('Whether crm-c is polled for changes') }),
  failures: {},
  example: { body: { enabled: false }, response: { enabled: false } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body: { enabled } }, caller, { unitOfWork }) {
    await unitOfWork.write(caller, (tx) => setSyncEnabled(tx, 'crmc', enabled));
    return { enabled };
  },
});
