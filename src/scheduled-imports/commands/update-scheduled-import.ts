import { z } from 'zod';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { invalid } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CONFIG } from '../../platform/injection-tokens.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { operation } from '../../platform/operations/operation.js';
import { requireUuid } from '../../platform/operations/schemas.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { assertCredentials, credentials, sealCredentials } from '../credentials.js';
import {
  assertAddress,
  assertSubject,
  importOptions,
  importPath,
  nameField,
  pausedField,
  type SourceAddress,
  schedule,
  scheduledImport,
  scheduledImportExample,
  sourceAddress,
  unknownScheduledImport,
} from '../scheduled-import.js';
import { runScheduledImportsJob } from '../scheduled-import-job.js';
import { updateScheduledImport as storeChange } from '../scheduled-import-store.js';
import { findScheduledImport } from '../scheduled-import-views.js';

const body = z
  .strictObject({
    name: nameField.optional(),
    source: sourceAddress.optional(),
    credentials: credentials.optional(),
    options: importOptions.optional(),
    schedule: schedule.optional(),
    paused: pausedField.optional(),
  })
  .describe('What is absent stays. Another source or other options need a new dry run and its confirmation');
type Change = z.infer<typeof body>;

interface Current {
  readonly hasCredentials: boolean;
  readonly source: Pick<SourceAddress, 'kind'>;
}

/** Stored credentials are sent to no other address than the one for which they were entered. */
function assertComplete({ hasCredentials, source }: Current, change: Change): void {
  if (change.source === undefined && change.credentials === undefined) return;
  if (change.credentials === undefined && hasCredentials)
    throw invalid({ path: 'credentials', message: 'must be given again with another source' });
  assertCredentials(change.source ?? source, change.credentials);
}

export const updateScheduledImport = operation({
  id: 'updateScheduledImport',
  summary: 'Change, pause or continue a scheduled import',
  method: 'patch',
  path: '/v1/scheduled-imports/:scheduledImportId',
  access: 'admin',
  stepUp: ({ body: { source, credentials: sentCredentials } }) => source !== undefined || sentCredentials !== undefined,
  params: z.strictObject(importPath),
  body,
  response: scheduledImport,
  failures: {},
  example: {
    params: { scheduledImportId: scheduledImportExample.id },
    body: { paused: true },
    response: { ...scheduledImportExample, paused: true, nextRunAt: null },
  },
  uses: { unitOfWork: UnitOfWork, secrets: Secrets, queue: JobQueue, config: CONFIG },
  async execute({ params: { scheduledImportId }, body: change }, caller, { unitOfWork, secrets, queue, config }) {
    if (Object.values(change).every((value) => value === undefined))
      throw invalid({ path: '', message: 'give at least one of name, source, credentials, options, schedule, paused' });
    const id = requireUuid(scheduledImportId, 'not_found', unknownScheduledImport);
    if (change.source !== undefined) assertAddress(change.source, config.CRM_ALLOW_LOOPBACK);
    const { credentials: sentCredentials, ...rest } = change;
    const changed = await unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const current = await findScheduledImport(tx, id);
      assertComplete(current, change);
      if (change.source !== undefined) assertSubject(current.subject, change.source);
      const secret = sentCredentials === undefined ? undefined : sealCredentials(secrets, id, sentCredentials);
      await storeChange(tx, id, { ...rest, secret });
      await recordAuditEntry(tx, caller, {
        trigger: 'scheduled_import_changed',
        scope: 'workspace',
        details: { scheduledImportId: id, changed: Object.keys(change) },
      });
      return findScheduledImport(tx, id);
    });
    await queue.add(runScheduledImportsJob, { workspaceId: caller.workspaceId });
    return changed;
  },
});
