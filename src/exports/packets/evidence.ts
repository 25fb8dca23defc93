import { z } from 'zod';
import { type Day } from '../../kernel/day.js';
import { text } from '../../platform/operations/schemas.js';

/** The days that a packet is about, and the sample in it. */
export interface EvidenceRange {
  readonly from: Day;
  readonly to: Day;
  readonly sample?: Sample;
}

/** Lines of statements that are drawn by a seed, which everyone can repeat. */
export type Sample = z.output<typeof sample>;

export const sample = z
  .strictObject({
    size: z.int().min(1).max(1000).describe('Number of lines, 1 to 1000'),
    seed: text(100).describe('Text that decides which lines are drawn; it is published in the packet'),
  })
  .describe('A sample of the lines of approved statements, with their traces and the deals behind them');

/** What one role may do: the separation of duties as the declarations of the operations state it. */
export interface OperationRights {
  readonly operation: string;
  readonly request: string;
  readonly summary: string;
  readonly changes: boolean;
  readonly roles: readonly string[];
  readonly keyScope: string;
  readonly recentProof: 'always' | 'sometimes' | 'never';
}
