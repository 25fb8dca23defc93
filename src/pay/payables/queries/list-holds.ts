import { z } from 'zod';
import { dealId } from '../../../deals/deal.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { uuid } from '../../../platform/operations/schemas.js';
import { hold, holdExample } from '../hold.js';
import { listHolds as loadHolds } from '../hold-views.js';

const query = z.strictObject({
  repId: uuid.optional().describe('Only holds of this rep (UUID), and those of everyone'),
  dealId: dealId.optional().describe('Only holds of this deal'),
});

export const listHolds = operation({
  id: 'listHolds',
  summary: 'List holds of pay, the latest first',
  method: 'get',
  path: '/v1/payables/holds',
  access: 'admin',
  payroll: true,
  query,
  response: z.object({
    holds: z.array(hold).describe('The holds, the latest first'),
    count: z.int().describe('Number of holds'),
  }),
  failures: {},
  example: { query: { repId: sampleIds.repId }, response: { holds: [holdExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { repId, dealId: held } }, caller, { unitOfWork }) {
    const repIds = repId === undefined ? null : [repId];
    const holds = await unitOfWork.read(caller, (tx) => loadHolds(tx, { repIds, dealId: held }));
    return { holds, count: holds.length };
  },
});
