import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';

/** A sync or a poll of one CRM, running or ended. */
export const crmSyncRecord = z
  .object({
    id: z.string().describe('Id of the sync (UUID); for a sync also the id of its job'),
    kind: z
      .enum(['sync', 'poll'])
      .describe('sync: requested, reads everything; poll: by schedule, reads what has changed'),
    status: z.enum(['running', 'completed', 'failed']).describe('Whether it runs, or how it ended'),
    startedBy: z.string().describe('Who requested it; `orchestrator` for the schedule'),
    startedAt: z.string().describe('When it started, instant in ISO 8601'),
    endedAt: z.string().nullable().describe('When it ended, instant in ISO 8601; null while it runs'),
    durationMs: z.int().nullable().describe('How long it took, in milliseconds; null while it runs'),
    seen: z.int().describe('Number of deals that the CRM listed'),
    created: z.int().describe('Number of deals that were new'),
    changed: z.int().describe('Number of deals that had changed'),
    deleted: z.int().describe('Number of deals that the CRM no longer has'),
    unchanged: z.int().describe('Number of deals that were as stored'),
    skipped: z.int().describe('Number of new or changed deals that pay no rep, or of which fields were left out'),
    skippedDeals: z
      .array(
        z
          .object({
            dealId: fields.dealId,
            reason: z.string().describe('Why the deal pays no rep, or what was left out'),
          })
          .describe('A skipped deal with the reason'),
      )
      .describe('The first 100 skipped deals or more, with the reasons'),
    failure: z.string().nullable().describe('Code of the failure; null if it did not fail'),
    error: z.string().nullable().describe('What failed and what to do; null if it did not fail'),
  })
  .describe('A sync or a poll of a CRM');
export type CrmSyncRecord = z.input<typeof crmSyncRecord>;

/** What is known about the webhooks and polls of a connection. */
export const crmHealth = z
  .object({
    lastWebhookAt: z
      .string()
      .nullable()
      .describe('When the last delivery for this account arrived, instant in ISO 8601; null for none'),
    lastVerifiedAt: z
      .string()
      .nullable()
      .describe('When the last delivery with a valid signature arrived, instant in ISO 8601; null for none'),
    rejected: z
      .int()
      .describe(
        'Number of deliveries that named this account and had no valid signature, since it was connected; always 0 for crm-c, whose secret names the account',
      ),
    lastRejectedAt: z
      .string()
      .nullable()
      .describe('When the last such delivery arrived, instant in ISO 8601; null for none'),
    lastPollAt: z.string().nullable().describe('When the last poll ended, instant in ISO 8601; null for none'),
    nextPollAt: z
      .string()
      .nullable()
      .describe('When the next poll is due, instant in ISO 8601; null if none is planned'),
    lastSyncAt: z.string().nullable().describe('When the last sync ended, instant in ISO 8601; null for none'),
  })
  .describe('Health of the webhooks and of the schedule');
export type CrmHealth = z.input<typeof crmHealth>;

export const crmSyncExample = {
  id: sampleIds.jobId,
  kind: 'poll',
  status: 'completed',
  startedBy: 'orchestrator',
  startedAt: '2026-03-02T09:00:00.000Z',
  endedAt: '2026-03-02T09:00:01.250Z',
  durationMs: 1250,
  seen: 2,
  created: 1,
  changed: 1,
  deleted: 0,
  unchanged: 0,
  skipped: 1,
  skippedDeals: [{ dealId: sampleIds.dealId, reason: 'the owner is not a rep of this workspace' }],
  failure: null,
  error: null,
} as const;

export const crmHealthExample = {
  lastWebhookAt: '2026-03-02T08:59:30.000Z',
  lastVerifiedAt: '2026-03-02T08:59:30.000Z',
  rejected: 0,
  lastRejectedAt: null,
  lastPollAt: '2026-03-02T09:00:01.250Z',
  nextPollAt: '2026-03-02T09:05:01.250Z',
  lastSyncAt: '2026-03-01T08:00:00.000Z',
} as const;
