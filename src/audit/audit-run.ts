import { z } from 'zod';

/** One run of the engine, or one action of a person or key. */
export const auditRun = z.object({
  runId: z.string(),
  actor: z.string(),
  trigger: z.string(),
  scope: z.string(),
  dealId: z.string().optional(),
  repId: z.string().optional(),
  period: z.string().optional(),
  outcome: z.enum(['written', 'no_change', 'skipped', 'statement_locked', 'failed']),
  counters: z.object({
    eventsWritten: z.int(),
    eventsReversed: z.int(),
    statementLocked: z.boolean().describe('Whether approved statements blocked changes; `blocked` lists them'),
    skipped: z.int(),
  }),
  blocked: z.unknown().optional(),
  startedAt: z.string(),
  durationMs: z.int(),
  error: z.string().optional(),
  /**
   * Data that depends on the trigger, for example the reasons of a skipped deal or the previous value of an
   * adjustment.
   */
  details: z.record(z.string(), z.unknown()).optional(),
});
export type AuditRun = z.input<typeof auditRun>;
