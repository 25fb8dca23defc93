import { z } from 'zod';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CONFIG } from '../../platform/injection-tokens.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { operation } from '../../platform/operations/operation.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { assertCredentials, credentials, sealCredentials } from '../credentials.js';
import {
  assertAddress,
  assertSubject,
  importOptions,
  importSubjects,
  maxScheduledImports,
  nameField,
  schedule,
  scheduledImport,
  scheduledImportExample,
  sourceAddress,
} from '../scheduled-import.js';
import { runScheduledImportsJob } from '../scheduled-import-job.js';
import { insertScheduledImport } from '../scheduled-import-store.js';
import { findScheduledImport, listScheduledImportsOf } from '../scheduled-import-views.js';

const body = z.strictObject({
  name: nameField,
  subject: z.enum(importSubjects).describe('What the files hold'),
  source: sourceAddress,
  credentials: credentials.optional(),
  options: importOptions.default({}),
  schedule,
});

export const createScheduledImport = operation({
  id: 'createScheduledImport',
  summary:
    'Import files of a URL, an S3-compatible store or SFTP, or the invoices of Stripe, by a schedule, after a confirmed dry run of the first',
  method: 'post',
  path: '/v1/scheduled-imports',
  access: 'admin',
  stepUp: 'always',
  body,
  response: scheduledImport,
  status: 201,
  failures: { too_many_scheduled_imports: 409 },
  example: {
    body: {
      name: scheduledImportExample.name,
      subject: scheduledImportExample.subject,
      source: scheduledImportExample.source,
      credentials: { password: 'a long secret' },
      options: scheduledImportExample.options,
      schedule: scheduledImportExample.schedule,
    },
    response: { ...scheduledImportExample, confirmedAt: null, lastRunAt: null, isRunning: true },
  },
  uses: { unitOfWork: UnitOfWork, secrets: Secrets, queue: JobQueue, config: CONFIG },
  /** The first run, which makes the dry run, begins at once. */
  async execute({ body: { credentials: sentCredentials, ...added } }, caller, { unitOfWork, secrets, queue, config }) {
    assertSubject(added.subject, added.source);
    assertAddress(added.source, config.CRM_ALLOW_LOOPBACK);
    assertCredentials(added.source, sentCredentials);
    const id = newId();
    const secret = sealCredentials(secrets, id, sentCredentials);
    const created = await unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      if ((await listScheduledImportsOf(tx)).length >= maxScheduledImports)
        throw new Failure(
          'too_many_scheduled_imports',
          `The workspace has ${maxScheduledImports} scheduled imports. Delete one that is not used any more.`,
        );
      await insertScheduledImport(tx, { id, secret, ...added });
      await recordAuditEntry(tx, caller, {
        trigger: 'scheduled_import_created',
        scope: 'workspace',
        details: { scheduledImportId: id },
      });
      return findScheduledImport(tx, id);
    });
    await queue.add(runScheduledImportsJob, { workspaceId: caller.workspaceId });
    return created;
  },
});
