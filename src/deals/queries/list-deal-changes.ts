import { sql } from 'kysely';
import { z } from 'zod';
import { feedFormat, moreField, nextCursorField, sampleCursor, toNdjson } from '../../api/feed-fields.js';
import { fields } from '../../api/resource-fields.js';
import { visibleReps } from '../../kernel/caller.js';
import { feedCursor, readFeed } from '../../platform/database/feed.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { wholeNumber } from '../../platform/operations/schemas.js';
import { dealExample, dealRecord } from '../deal.js';
import { dealFeed, listChangedDeals, loadLinesOfPage } from '../deal-feed.js';
import { dealLine } from '../deal-lines.js';

const query = z.strictObject({
  cursor: feedCursor(dealFeed)
    .optional()
    .describe(
      'The nextCursor of the page before, of this run or an earlier one; everything from the first page on by default',
    ),
  limit: wholeNumber(1, 500).default(500).describe('Max number of deals, and of removed ones, on the page, 1 to 500'),
  format: feedFormat,
});

const response = z.object({
  deals: z
    .array(
      dealRecord
        .extend({ lines: z.array(dealLine).optional().describe('The products of the deal; absent if it has none') })
        .describe('A deal with its products'),
    )
    .describe(
      'Deals that are new or changed since the cursor; one that was deleted has a time in deleted_at. `repName` and `crmUrl` are those of the time of the call: a new name of the rep or a new address of the CRM does not list the deal again',
    ),
  deleted: z
    .array(z.object({ deal_id: fields.dealId }).describe('A deal that no longer exists'))
    .describe('Deals that were removed with their history since the cursor'),
  nextCursor: nextCursorField,
  more: moreField,
});

export const listDealChanges = operation({
  id: 'listDealChanges',
  summary: 'Deals as a feed for data warehouses: what is new, changed or deleted since a cursor',
  method: 'get',
  path: '/v1/deal-changes',
  access: 'manager',
  query,
  response,
  files: ['application/json', 'application/x-ndjson'],
  failures: {},
  example: {
    query: { limit: '500' },
    response: { deals: [dealExample], deleted: [], nextCursor: sampleCursor, more: false },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { cursor, limit, format } }, caller, { unitOfWork }) {
    const repIds = visibleReps(caller);
    const { page, lines: linesOf } = await unitOfWork.read(caller, async (tx) => {
      const read = await readFeed(
        tx,
        { feed: dealFeed, cursor, limit },
        (range) => listChangedDeals(tx, repIds, range),
        // A deal that no longer exists has no owner who could be compared.
        repIds === null ? null : sql`false`,
      );
      return { page: read, lines: await loadLinesOfPage(tx, caller, read.rows) };
    });
    const deals = page.rows.map(({ key, deal }) => ({ ...deal, ...linesOf.get(key) }));
    const deleted = page.removed.map(({ key }) => ({ deal_id: key }));
    const { nextCursor, more } = page;
    if (format === 'json') return { deals, deleted, nextCursor, more };
    const lines = [...deals, ...deleted.map((keys) => ({ ...keys, deleted: true }))];
    return toNdjson('deal-changes', lines, { nextCursor, more });
  },
});
