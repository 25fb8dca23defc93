import { z } from 'zod';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { scheduledImport, scheduledImportExample } from '../scheduled-import.js';
import { listScheduledImportsOf } from '../scheduled-import-views.js';

export const listScheduledImports = operation({
  id: 'listScheduledImports',
  summary: 'The scheduled imports of the workspace, by name; never their credentials',
  method: 'get',
  path: '/v1/scheduled-imports',
  access: 'admin',
  response: z.object({ scheduledImports: z.array(scheduledImport).describe('The scheduled imports') }),
  failures: {},
  example: { response: { scheduledImports: [scheduledImportExample] } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    return { scheduledImports: await unitOfWork.read(caller, (tx) => listScheduledImportsOf(tx)) };
  },
});
