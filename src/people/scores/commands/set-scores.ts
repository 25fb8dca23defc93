import { z } from 'zod';
import { changeDeals } from '../../../deals/deal-write-effect.js';
import { invalid } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { flag, period, uuid } from '../../../platform/operations/schemas.js';
import { commissionEffect } from '../../../simulation/write-effect.js';
import { scoreField } from '../score.js';
import { type EnteredScore, writeScores } from '../write-scores.js';

const maxScore = 1_000_000_000;

const query = z.strictObject({
  dryRun: flag.default(false).describe('true: count without writing'),
  effect: flag.default(false).describe('true with dryRun: also the effect on commission'),
});
const body = z.strictObject({
  field: scoreField,
  scores: z
    .array(
      z
        .strictObject({
          repId: uuid.describe('Id of the rep (UUID)'),
          period,
          score: z.number().min(-maxScore).max(maxScore).nullable().describe('The score; null removes it'),
        })
        .describe('The score of a rep for a period'),
    )
    .min(1)
    .max(10_000)
    .describe('The scores to set. Others stay as they are'),
});
const response = z.object({
  changed: z.int().describe('Number of scores that were stored'),
  unchanged: z.int().describe('Number of scores that were stored before'),
  removed: z.int().describe('Number of scores that were removed'),
  dryRun: z.literal(true).optional().describe('Present for a dry run, which writes nothing'),
  effect: commissionEffect
    .nullable()
    .optional()
    .describe('With effect=true. null: more scores change than can be calculated at once'),
});
type Response = z.input<typeof response>;

export const setScores = operation({
  id: 'setScores',
  summary: 'Set scores of people for periods, all or none; each is a deal of the person with the score in the field',
  method: 'put',
  path: '/v1/scores',
  access: 'admin',
  query,
  body,
  response,
  failures: { rep_not_found: 404 },
  example: {
    query: { dryRun: 'false' },
    body: { field: 'mbo_points', scores: [{ repId: sampleIds.repId, period: '2026-Q1', score: 85 }] },
    response: { changed: 1, unchanged: 0, removed: 0 },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ query, body: { field, scores } }, caller, uses): Promise<Response> {
    assertEachOnce(scores);
    return changeDeals(uses, caller, {
      ...query,
      trigger: 'deal_change',
      write: (tx) => writeScores(tx, field, scores, uses.clock),
      count: ({ changed, unchanged, removed }) => ({ changed, unchanged, removed }),
      audit: ({ changed, removed }) => ({ changed, deleted: removed }),
    });
  },
});

function assertEachOnce(scores: readonly EnteredScore[]): void {
  const seen = new Set<string>();
  for (const [index, { repId, period: of }] of scores.entries()) {
    const key = `${repId} ${of}`;
    if (seen.has(key))
      throw invalid({ path: `scores.${index}`, message: 'is a second score of the rep for the period' });
    seen.add(key);
  }
}
