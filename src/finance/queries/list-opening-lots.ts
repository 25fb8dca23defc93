import { z } from 'zod';
import { fields, pageFields } from '../../api/resource-fields.js';
import { findDealHeads } from '../../deals/deal-heads.js';
import { Decimal } from '../../kernel/decimal.js';
import { findRepNames } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery, offsetPage } from '../../platform/operations/schemas.js';
import { loadBookMonths } from '../book-months.js';
import { entityCode } from '../entity.js';
import { openingLot, openingLotExample } from '../opening-lot.js';
import { entersIn, openingLotFacts } from '../opening-lot-facts.js';
import { mainEntity } from '../settings-views.js';
import { readAsOf } from './get-liability.js';

const lot = z
  .object({
    ...openingLot.shape,
    repId: fields.repId,
    dealId: fields.dealId,
    repName: fields.repName,
    dealName: fields.dealName.nullable(),
    left: z.number().describe('Cost less what is amortised'),
    month: z.string().describe('Month in which it enters the books, YYYY-MM'),
  })
  .describe('A lot that another system has begun');

const response = z.object({
  lots: z.array(lot).describe('The lots of the page, by id of the deal'),
  ...pageFields,
});

export const listOpeningLots = operation({
  id: 'listOpeningLots',
  summary: 'The lots that other systems have begun, with what is left to amortise of each; the import enters them',
  method: 'get',
  path: '/v1/accounting/opening-lots',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  query: z.strictObject({
    entity: entityCode.optional().describe('Only those of this entity, by code'),
    asOf: asOfQuery,
    ...offsetPage('lots', 1000, 200),
  }),
  response,
  failures: { accounting_off: 409 },
  example: {
    query: { entity: mainEntity },
    response: {
      lots: [{ ...openingLotExample, repName: 'Ben', dealName: 'Acme', left: 2400, month: '2026-01' }],
      count: 1,
      limit: 200,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: { entity, asOf, limit, offset } }, caller, parts): Promise<z.input<typeof response>> {
    return readAsOf(caller, parts, asOf, async (tx, today) => {
      const { calendar } = await loadBookMonths(tx, today);
      const all = await openingLotFacts.list(tx, entity === undefined ? {} : { entity: [entity] });
      const page = all.slice(offset, offset + limit);
      const names = await findRepNames(tx, [...new Set(page.map(({ repId }) => repId))]);
      const deals = await findDealHeads(
        tx,
        page.map(({ dealId }) => dealId),
      );
      const lots = page.map(({ updatedAt: _, ...stored }) => ({
        ...stored,
        repName: names.get(stored.repId) ?? '',
        dealName: deals.get(stored.dealId)?.dealName ?? null,
        left: Decimal.of(stored.cost).minus(Decimal.of(stored.amortised)).toNumber(),
        month: entersIn(stored, calendar),
      }));
      return { lots, count: all.length, limit, offset };
    });
  },
});
