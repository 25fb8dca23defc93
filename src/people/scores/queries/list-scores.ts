import { z } from 'zod';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { commaList, optionalPage, period, uuid } from '../../../platform/operations/schemas.js';
import { score, scoreExample, scoreField } from '../score.js';
import { listScores as loadScores } from '../score-views.js';

export const listScores = operation({
  id: 'listScores',
  summary: 'Scores of people that were entered for periods',
  method: 'get',
  path: '/v1/scores',
  access: 'admin',
  query: z.strictObject({
    field: scoreField.optional().describe('Only scores in this field, such as mbo_points'),
    repId: uuid.optional().describe('Only scores of this rep (UUID)'),
    repIds: commaList(uuid, 200)
      .optional()
      .describe('Only scores of these reps (UUID), separated by commas, at most 200'),
    period: period.optional().describe('Only scores of this period, such as 2026-Q1'),
    ...optionalPage('scores'),
  }),
  response: z.object({ scores: z.array(score).describe('The scores, by person and period') }),
  failures: {},
  example: {
    query: { field: 'mbo_points', repId: sampleIds.repId },
    response: { scores: [scoreExample] },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query }, caller, { unitOfWork }) {
    return { scores: await unitOfWork.read(caller, (tx) => loadScores(tx, query)) };
  },
});
