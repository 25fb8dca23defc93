import { z } from 'zod';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { personBehind } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { operation } from '../../platform/operations/operation.js';
import { requireUuid, uuid } from '../../platform/operations/schemas.js';
import { importPath, scheduledImport, scheduledImportExample, unknownScheduledImport } from '../scheduled-import.js';
import { runScheduledImportsJob } from '../scheduled-import-job.js';
import { confirmFile } from '../scheduled-import-store.js';
import { findScheduledImport } from '../scheduled-import-views.js';

export const confirmScheduledImport = operation({
  id: 'confirmScheduledImport',
  summary: 'Confirm the dry run of a file: it is imported now, and later files with its columns by the schedule',
  method: 'post',
  path: '/v1/scheduled-imports/:scheduledImportId/confirm',
  access: 'admin',
  stepUp: 'always',
  params: z.strictObject(importPath),
  body: z.strictObject({ fileId: uuid.describe('The file whose dry run was read (UUID)') }),
  response: scheduledImport,
  status: 202,
  failures: { file_not_waiting: 409 },
  example: {
    params: { scheduledImportId: scheduledImportExample.id },
    body: { fileId: '0b9d8a5e-6c1f-4d7a-8f52-9c3a1e0d7b44' },
    response: { ...scheduledImportExample, isRunning: true },
  },
  uses: { unitOfWork: UnitOfWork, queue: JobQueue },
  async execute({ params: { scheduledImportId }, body: { fileId } }, caller, { unitOfWork, queue }) {
    const id = requireUuid(scheduledImportId, 'not_found', unknownScheduledImport);
    const confirmed = await unitOfWork.write(caller, async (tx) => {
      await findScheduledImport(tx, id);
      if (!(await confirmFile(tx, id, fileId, personBehind(caller))))
        throw new Failure(
          'file_not_waiting',
          'This file does not wait for a confirmation any more. Read the list again.',
        );
      await recordAuditEntry(tx, caller, {
        trigger: 'scheduled_import_confirmed',
        scope: 'workspace',
        details: { scheduledImportId: id, fileId },
      });
      return findScheduledImport(tx, id);
    });
    await queue.add(runScheduledImportsJob, { workspaceId: caller.workspaceId });
    return confirmed;
  },
});
