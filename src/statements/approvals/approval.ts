import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';

const person = z
  .object({ repId: fields.repId, name: z.string().describe('Name of the person') })
  .describe('A person; absent for reps');

const stepSignature = {
  signedBy: person.optional(),
  onBehalfOf: person.optional().describe('The person whose delegate signed; absent where they signed themself'),
  signedAt: z.string().optional().describe('When the step was signed, instant in ISO 8601; absent before'),
  version: fields.version.optional().describe('The version that was signed; absent before'),
};

export const approval = z
  .object({
    done: z.int().describe('Number of steps that are signed'),
    of: z.int().describe('Number of steps that the statement needs'),
    contentHash: z.string().describe('Stands for the content of the version: lines, totals and what is payable'),
    next: z
      .object({
        name: z.string().describe('Name of the step'),
        by: z.array(person).optional().describe('Who may sign; absent for reps'),
        consent: z.literal(true).optional().describe('The rep signs it'),
        since: z.string().describe('Since when the step waits, instant in ISO 8601'),
        due: z.string().nullable().describe('Last day on which it is not overdue, YYYY-MM-DD; null for none'),
        overdue: z.literal(true).optional().describe('The day has passed'),
        blockedBy: z
          .literal('no_signer')
          .optional()
          .describe('No one may sign it: an admin names others with POST /v1/statements/:repId/reassign'),
        waitsForMe: z.literal(true).optional().describe('The caller may sign it'),
      })
      .optional()
      .describe('The step that waits; absent if none does'),
    steps: z
      .array(
        z
          .object({
            name: z.string().describe('Name of the step'),
            status: z
              .enum(['signed', 'no_answer', 'next', 'waiting'])
              .describe('no_answer: the rep did not answer in time'),
            ...stepSignature,
            carried: z
              .number()
              .optional()
              .describe('By how much the statement differs since the signature, which still counts'),
          })
          .describe('A step'),
      )
      .describe('The steps in their order'),
    history: z
      .array(
        z
          .object({
            name: z.string().describe('Name of the step'),
            ...stepSignature,
            endedAt: z.string().describe('Since when it does not count, instant in ISO 8601'),
            endedBy: z
              .enum(['changed', 'withdrawn', 'unlocked', 'chain_changed', 'disputed'])
              .describe('changed: a new version has another content'),
          })
          .describe('A signature that counts no longer'),
      )
      .optional()
      .describe('Signatures that count no longer, the earliest first; absent in lists'),
  })
  .describe('Who signs the statement before it is approved; absent where one person approves');
export type Approval = z.input<typeof approval>;
