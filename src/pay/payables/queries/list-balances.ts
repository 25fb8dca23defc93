import { z } from 'zod';
import { fields } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { narrowedReps, repIdQuery } from '../../../people/reps/rep.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { asOfQuery } from '../../../platform/operations/schemas.js';
import { loadBalances } from '../load-balances.js';

const query = z.strictObject({
  repId: repIdQuery.optional().describe('Only this rep, by id (UUID); reps may see only their own'),
  asOf: asOfQuery,
});

const response = z.object({
  balances: z
    .array(
      z
        .object({
          repId: fields.repId,
          repName: fields.repName,
          currency: fields.currency,
          takenBack: z.number().describe('What statements took back and have not recovered yet'),
          draws: z
            .array(
              z
                .object({
                  drawId: z.string().describe('Id of the draw (UUID)'),
                  owed: z.number().describe('What is to be paid back of it'),
                })
                .describe('A draw of which something is owed'),
            )
            .describe('The draws of which something is owed'),
          owed: z.number().describe('The sum of both'),
        })
        .describe('What a person owes in one currency'),
    )
    .describe('By person; people who owe nothing are left out'),
  count: z.int().describe('Number of balances'),
});

export const listBalances = operation({
  id: 'listBalances',
  summary: 'What people owe after their approved statements, also people who left',
  method: 'get',
  path: '/v1/balances',
  access: 'rep',
  payroll: true,
  query,
  response,
  failures: { rep_not_found: 404 },
  example: {
    query: { repId: sampleIds.repId },
    response: {
      balances: [
        {
          repId: sampleIds.repId,
          repName: 'Ben',
          currency: 'USD',
          takenBack: 0,
          draws: [{ drawId: sampleIds.drawId, owed: 800 }],
          owed: 800,
        },
      ],
      count: 1,
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: { repId, asOf } }, caller, { unitOfWork, clock }) {
    const repIds = narrowedReps(caller, repId);
    const balances = await unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, async (tx) =>
      loadBalances(tx, repIds, await workspaceToday(tx, asOf === undefined ? clock : { now: () => asOf })),
    );
    return {
      balances: balances.map(({ takenBack, draws, owed, ...balance }) => ({
        ...balance,
        takenBack: takenBack.toNumber(),
        draws: draws.map((draw) => ({ drawId: draw.drawId, owed: draw.owed.toNumber() })),
        owed: owed.toNumber(),
      })),
      count: balances.length,
    };
  },
});
