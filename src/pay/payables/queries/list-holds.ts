import { z } from 'zod';
import { dealId } from '../../../deals/deal.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { listOf } from '../../../platform/operations/list-of.js';
import { uuid } from '../../../platform/operations/schemas.js';
import { hold, holdExample } from '../hold.js';
import { listHolds as loadHolds } from '../hold-views.js';

const query = z.strictObject({
  repId: uuid.optional().describe('Only holds of this rep (UUID), and those of everyone'),
  dealId: dealId.optional().describe('Only holds of this deal'),
});

export const listHolds = listOf(
  {
    id: 'listHolds',
    summary: 'List holds of pay, the latest first',
    path: '/v1/payables/holds',
    access: 'admin',
    payroll: true,
    query,
    list: { name: 'holds', items: z.array(hold).describe('The holds, the latest first') },
    example: { query: { repId: sampleIds.repId }, items: [holdExample] },
  },
  (tx, { query: { repId, dealId: held } }) =>
    loadHolds(tx, { repIds: repId === undefined ? null : [repId], dealId: held }),
);
