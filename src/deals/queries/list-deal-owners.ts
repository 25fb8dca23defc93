import { z } from 'zod';
import { pageFields } from '../../api/resource-fields.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { wholeNumber } from '../../platform/operations/schemas.js';
import { listUnmatchedOwners } from '../unmatched-owners.js';

const query = z.strictObject({
  limit: wholeNumber(1, 500).default(100).describe('Max number of owners on the page, 1 to 500'),
  offset: wholeNumber(0, 1_000_000).default(0).describe('Number of owners to skip'),
});

const response = z.object({
  owners: z
    .array(
      z
        .object({
          owner: z.string().describe('The owner as the deals name it: an id of the CRM, an address or a name'),
          deals: z.int().describe('Number of deals of this owner that belong to no rep'),
          lastCloseDate: z.string().nullable().describe('Latest close date of these deals, YYYY-MM-DD'),
        })
        .describe('One owner'),
    )
    .describe('Owners whom no rep is, those of the most deals first'),
  dealsWithoutOwner: z.int().describe('Number of deals that belong to no rep and name no owner'),
  ...pageFields,
});

export const listDealOwners = operation({
  id: 'listDealOwners',
  summary: 'Owners that deals name and no rep is, with the number of their deals, which pay nobody',
  method: 'get',
  path: '/v1/deal-owners',
  access: 'admin',
  query,
  response,
  failures: {},
  example: {
    query: { limit: '100', offset: '0' },
    response: {
      owners: [{ owner: 'h.gone@acme.test', deals: 9, lastCloseDate: '2026-02-10' }],
      dealsWithoutOwner: 2,
      count: 1,
      limit: 100,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: page }, caller, { unitOfWork }): Promise<z.input<typeof response>> {
    const listed = await unitOfWork.read(caller, (tx) => listUnmatchedOwners(tx, page));
    return { ...listed, ...page };
  },
});
