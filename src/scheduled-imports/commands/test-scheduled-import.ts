import { z } from 'zod';
import { timeLimit } from '../../kernel/time-limit.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CONFIG } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { requireUuid } from '../../platform/operations/schemas.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { openCredentials } from '../credentials.js';
import { importPath, scheduledImportExample, unknownScheduledImport } from '../scheduled-import.js';
import { readAccess } from '../scheduled-import-views.js';
import { SourceThreads } from '../sources/source-threads.js';

const maxListed = 20;
const maxBytes = 32 * 1024 * 1024;
const totalMs = timeLimit(30_000);

const response = z.object({
  files: z
    .array(
      z
        .object({
          name: z.string().describe('Name of the file'),
          bytes: z.int().nullable().describe('Size in bytes; null if the source does not say it'),
          modifiedAt: z.string().nullable().describe('When it was written, instant in ISO 8601; null if unknown'),
        })
        .describe('A file of the source'),
    )
    .describe(`The latest CSV files, at most ${maxListed}`),
  count: z.int().describe('Number of all CSV files'),
  hostKey: z.string().nullable().describe('Fingerprint of the key of an SFTP server; null for others'),
});

export const testScheduledImport = operation({
  id: 'testScheduledImport',
  summary: 'Connect to the source of a scheduled import and list its files; nothing is imported',
  method: 'post',
  path: '/v1/scheduled-imports/:scheduledImportId/test',
  access: 'admin',
  params: z.strictObject(importPath),
  response,
  failures: { source_unreachable: 502 },
  example: {
    params: { scheduledImportId: scheduledImportExample.id },
    response: {
      files: [{ name: 'bookings-2026-02-11.csv', bytes: 18_204, modifiedAt: '2026-02-11T05:00:00.000Z' }],
      count: 1,
      hostKey: 'SHA256:FzA2wnUXJ0zB5WkzYQ6y0bJc3m1n4o5p6q7r8s9t0uE',
    },
  },
  uses: { unitOfWork: UnitOfWork, secrets: Secrets, threads: SourceThreads, config: CONFIG },
  async execute({ params: { scheduledImportId } }, caller, { unitOfWork, secrets, threads, config }) {
    const id = requireUuid(scheduledImportId, 'not_found', unknownScheduledImport);
    const { source: address, secret } = await unitOfWork.read(caller, (tx) => readAccess(tx, id));
    const settings = {
      allowLoopback: config.CRM_ALLOW_LOOPBACK,
      timeoutMs: timeLimit(15_000),
      stripeBase: config.BILLING_API_BASE,
      timeZone: 'UTC',
      dealField: undefined,
    };
    const limits = { totalMs, signal: caller.left ?? new AbortController().signal };
    const open = [address, openCredentials(secrets, id, secret), settings] as const;
    return threads.use(caller.workspaceId, open, limits, async (source) => {
      const files = await source.list();
      const [only] = files;
      // A URL lists its file without asking the server.
      if (address.kind === 'url' && only !== undefined) await source.download(only, maxBytes);
      const latest = files.slice(-maxListed).map(({ name, bytes, modifiedAt }) => ({ name, bytes, modifiedAt }));
      return { files: latest.reverse(), count: files.length, hostKey: source.hostKey };
    });
  },
});
