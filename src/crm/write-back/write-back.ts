import { z } from 'zod';
import { deriveId } from '../../kernel/ids.js';
import { type JobDeclaration } from '../../platform/jobs/job-queue.js';
import { findingCodes } from '../adapters/write-back.js';
import { provider } from '../connections/crm-connection.js';

const writeFinding = z
  .object({
    code: z.enum(findingCodes).describe('What is wrong'),
    field: z.string().nullable().describe("The CRM's name of the field; null if it is about none"),
    message: z.string().describe('What to grant or to create'),
  })
  .describe('What prevents writing');

const instant = z.string().nullable();

export const writeBackStatus = z
  .object({
    provider,
    enabled: z.boolean().describe('Whether the CRM is connected and its settings name fields to write'),
    checkedAt: instant.describe('When permission and fields were last checked, ISO 8601; null: not yet'),
    findings: z.array(writeFinding).describe('What the check has found. Nothing is written until it finds nothing'),
    waiting: z.int().describe('Number of deals whose values are not written yet'),
    written: z.int().describe('Number of deals that have their values in the CRM'),
    lastWrittenAt: instant.describe('When the CRM last accepted values, ISO 8601; null for never'),
    pausedUntil: instant.describe('When writing continues, ISO 8601, if the CRM is unavailable or limits requests'),
    error: z.string().nullable().describe('Why it is paused; null if it is not'),
    failed: z.int().describe('Number of deals that the CRM rejects. They are tried again with growing pauses'),
    failures: z
      .array(
        z
          .object({
            dealId: z.string().describe('Id of the deal at the CRM'),
            reason: z.string().describe('Why the CRM rejects it'),
            failedAt: z.string().describe('When it was last tried, instant in ISO 8601'),
            attempts: z.int().describe('How often it was tried'),
          })
          .describe('A deal that the CRM rejects'),
      )
      .describe('The latest of the rejected deals, at most 100'),
  })
  .describe('What is written to the deals of a CRM');
export type WriteBackStatus = z.input<typeof writeBackStatus>;

export const writeBackExample = {
  provider: 'crmb',
  enabled: true,
  checkedAt: '2026-01-31T08:00:00.000Z',
  findings: [],
  waiting: 0,
  written: 412,
  lastWrittenAt: '2026-01-31T09:12:00.000Z',
  pausedUntil: null,
  error: null,
  failed: 1,
  failures: [
    {
      dealId: '123',
      reason: 'the CRM rejects the values: VALIDATION_ERROR',
      failedAt: '2026-01-31T09:12:00.000Z',
      attempts: 3,
    },
  ],
} as const;

export interface WriteBackPayload {
  readonly workspaceId: string;
  /** The generation of the lease at the sweep: a job of a dead worker must not count as this one. */
  readonly generation?: number | undefined;
  readonly slot?: number | undefined;
}

/** Writes what is due to the CRMs of the workspace. */
export const writeBackJob: JobDeclaration<WriteBackPayload> = {
  name: 'crm-write-back.v1',
  payload: z.object({ workspaceId: z.uuid(), generation: z.int().optional(), slot: z.int().optional() }),
  attempts: 1,
  key: ({ workspaceId, generation = '', slot = '' }) => deriveId(`write back|${workspaceId}|${generation}|${slot}`),
};

/** Name of the lease; `due_write_backs` uses the same name. */
export const writeBackLease = 'write back';
