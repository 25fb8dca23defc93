import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { loadFailedLanes } from '../../ledger/lanes/failed-lanes.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';

export const listFailedCalculations = operation({
  id: 'listFailedCalculations',
  summary: 'The reps whose commission cannot be calculated at present, those whose calculation has stopped first',
  method: 'get',
  path: '/v1/commissions/failed-calculations',
  access: 'admin',
  response: z.object({
    failed: z
      .array(
        z
          .object({
            repId: fields.repId,
            repName: fields.repName,
            attempts: z.int().describe('How often the calculation has failed in a row'),
            error: z.string().describe('The error of the last attempt'),
            requestedAt: z
              .string()
              .describe('When the oldest change was made that the commission does not contain, instant in ISO 8601'),
            nextAttemptAt: z
              .string()
              .nullable()
              .describe('Earliest time of the next attempt, instant in ISO 8601; null if it has stopped'),
            parkedAt: z
              .string()
              .nullable()
              .describe(
                'When it stopped after the last of eight attempts, instant in ISO 8601; null before. The next change or recalculation of the rep tries again',
              ),
          })
          .describe('A rep with what failed'),
      )
      .describe('Those whose calculation has stopped, then by the time of the oldest change'),
    count: z.int().describe('Number of reps in the list'),
  }),
  failures: {},
  example: {
    response: {
      failed: [
        {
          repId: sampleIds.repId,
          repName: 'Mia',
          attempts: 8,
          error: 'terminating connection due to idle-in-transaction timeout',
          requestedAt: '2026-02-10T09:30:00.000Z',
          nextAttemptAt: null,
          parkedAt: '2026-02-10T09:34:00.000Z',
        },
      ],
      count: 1,
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    const lanes = await unitOfWork.read(caller, (tx) => loadFailedLanes(tx));
    const failed = lanes.map(({ requestedAt, nextAttemptAt, parkedAt, ...lane }) => ({
      ...lane,
      requestedAt: requestedAt.toISOString(),
      nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
      parkedAt: parkedAt?.toISOString() ?? null,
    }));
    return { failed, count: failed.length };
  },
});
