import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type RunOutcome } from './audit-tables.js';

export const runOutcomes = [
  'written',
  'no_change',
  'skipped',
  'statement_locked',
  'failed',
] as const satisfies readonly RunOutcome[];

/** One run of the engine, or one action of a person or key. */
export const auditRun = z
  .object({
    runId: z.string().describe('Id of the run (UUID)'),
    actor: z.string().describe('Who caused the run: a rep, an API key, a CRM or the service itself'),
    trigger: z.string().describe('What caused the run, such as deal_change or approval'),
    scope: z.string().describe('What the run is about, such as deal, rep or plan'),
    dealId: fields.dealId.optional(),
    repId: fields.repId.optional(),
    period: fields.period.optional(),
    outcome: z
      .enum(runOutcomes)
      .describe('What the run did. statement_locked: approved statements blocked every change'),
    counters: z
      .object({
        eventsWritten: z.int().describe('Number of commission events that were written'),
        eventsReversed: z.int().describe('Number of commission events that were reversed'),
        statementLocked: z.boolean().describe('Whether approved statements blocked changes; `blocked` lists them'),
        skipped: z.int().describe('Number of deals to which no rule applies'),
      })
      .describe('What the run changed'),
    blocked: z.unknown().optional().describe('Changes that approved statements blocked'),
    startedAt: fields.startedAt,
    durationMs: z.int().describe('Duration of the run in milliseconds'),
    error: z.string().optional().describe('Why the run failed; absent if it did not'),
    /**
     * Data that depends on the trigger, for example the reasons of a skipped deal or the previous value of an
     * adjustment.
     */
    details: z.record(z.string(), z.unknown()).optional().describe('Further data of the run, by name'),
  })
  .describe('A calculation, or an action of a caller such as an approval');
export type AuditRun = z.input<typeof auditRun>;
