import { z } from 'zod';
import { Failure } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { operation } from '../../platform/operations/operation.js';
import { requireUuid } from '../../platform/operations/schemas.js';
import { importPath, scheduledImport, scheduledImportExample, unknownScheduledImport } from '../scheduled-import.js';
import { runScheduledImportsJob } from '../scheduled-import-job.js';
import { requestRun } from '../scheduled-import-store.js';
import { findScheduledImport } from '../scheduled-import-views.js';

export const runScheduledImport = operation({
  id: 'runScheduledImport',
  summary: 'Read the source of a scheduled import now; a worker does it, and the schedule stays',
  method: 'post',
  path: '/v1/scheduled-imports/:scheduledImportId/run',
  access: 'admin',
  params: z.strictObject(importPath),
  response: scheduledImport,
  status: 202,
  failures: { scheduled_import_paused: 409 },
  example: {
    params: { scheduledImportId: scheduledImportExample.id },
    response: { ...scheduledImportExample, isRunning: true },
  },
  uses: { unitOfWork: UnitOfWork, queue: JobQueue },
  async execute({ params: { scheduledImportId } }, caller, { unitOfWork, queue }) {
    const id = requireUuid(scheduledImportId, 'not_found', unknownScheduledImport);
    const requested = await unitOfWork.write(caller, async (tx) => {
      const { paused } = await findScheduledImport(tx, id);
      if (paused) throw new Failure('scheduled_import_paused', 'The scheduled import is paused. Continue it first.');
      await requestRun(tx, id);
      return findScheduledImport(tx, id);
    });
    await queue.add(runScheduledImportsJob, { workspaceId: caller.workspaceId });
    return requested;
  },
});
