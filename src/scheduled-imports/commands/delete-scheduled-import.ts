import { z } from 'zod';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { requireUuid } from '../../platform/operations/schemas.js';
import {
  importPath,
  scheduledImportExample,
  scheduledImportNotFound,
  unknownScheduledImport,
} from '../scheduled-import.js';
import { deleteScheduledImport as deleteStored } from '../scheduled-import-store.js';

export const deleteScheduledImport = operation({
  id: 'deleteScheduledImport',
  summary: 'Delete a scheduled import with its credentials and its list of files. What it imported stays',
  method: 'delete',
  path: '/v1/scheduled-imports/:scheduledImportId',
  access: 'admin',
  params: z.strictObject(importPath),
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown scheduled import gets status 404'),
    id: z.string().describe('Id of the scheduled import (UUID)'),
  }),
  failures: {},
  example: {
    params: { scheduledImportId: scheduledImportExample.id },
    response: { deleted: true, id: scheduledImportExample.id },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { scheduledImportId } }, caller, { unitOfWork }) {
    const id = requireUuid(scheduledImportId, 'not_found', unknownScheduledImport);
    await unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      if (!(await deleteStored(tx, id))) throw scheduledImportNotFound();
      await recordAuditEntry(tx, caller, {
        trigger: 'scheduled_import_deleted',
        scope: 'workspace',
        details: { scheduledImportId: id },
      });
    });
    return { deleted: true, id };
  },
});
