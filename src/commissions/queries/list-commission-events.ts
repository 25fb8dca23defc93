import { sql } from 'kysely';
import { z } from 'zod';
import { feedFormat, moreField, nextCursorField, sampleCursor, toNdjson } from '../../api/feed-fields.js';
import { fields } from '../../api/resource-fields.js';
import { commissionEvent, toEventResponse } from '../../earnings/commission-event.js';
import { eventFeed, listChangedEvents } from '../../earnings/event-feed.js';
import { assertDayOrder } from '../../kernel/day-order.js';
import { invalid } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { narrowedReps, repIdQuery } from '../../people/reps/rep.js';
import { feedCursor, readFeed } from '../../platform/database/feed.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { day, instant, wholeNumber } from '../../platform/operations/schemas.js';

const query = z.strictObject({
  repId: repIdQuery.optional().describe('Only events of this rep, by id (UUID)'),
  earnedFrom: day.optional().describe('First day on which the amount was earned, YYYY-MM-DD'),
  earnedTo: day.optional().describe('Last day on which the amount was earned, YYYY-MM-DD'),
  updatedSince: instant
    .optional()
    .describe(
      'Without cursor: only events that changed or were deleted at this time or later, ISO 8601. Continue with nextCursor and not with a time: a change is listed when it is committed, which may be long after its updatedAt',
    ),
  cursor: feedCursor(eventFeed)
    .optional()
    .describe(
      'The nextCursor of the page before, of this run or an earlier one; everything from the first page on by default',
    ),
  limit: wholeNumber(1, 1000)
    .default(500)
    .describe('Max number of events, and of deleted ones, on the page, 1 to 1,000'),
  format: feedFormat,
});

const response = z.object({
  events: z
    .array(commissionEvent)
    .describe(
      'Events that are new or changed since the cursor, earned and reversed, without traces. `repName`, `dealName` and `planName` are those of the time of the call: a new name does not list the event again',
    ),
  deleted: z
    .array(z.object({ eventId: fields.eventId, repId: fields.repId }).describe('An event that no longer exists'))
    .describe('Events that were deleted since the cursor, by a person or a reset'),
  nextCursor: nextCursorField,
  more: moreField,
});

export const listCommissionEvents = operation({
  id: 'listCommissionEvents',
  summary: 'Commission events as a feed for data warehouses: what is new, changed or deleted since a cursor',
  method: 'get',
  path: '/v1/commission-events',
  access: 'manager',
  payroll: true,
  query,
  response,
  files: ['application/json', 'application/x-ndjson'],
  failures: {},
  example: {
    query: { earnedFrom: '2026-01-01', earnedTo: '2026-03-31', limit: '500' },
    response: {
      events: [
        {
          eventId: sampleIds.eventId,
          repId: sampleIds.repId,
          repName: 'Ben',
          dealId: sampleIds.dealId,
          dealName: null,
          planId: sampleIds.planId,
          planName: 'AE',
          ruleId: sampleIds.ruleId,
          ruleName: 'New business',
          kind: 'commission_earned',
          category: 'commission',
          status: 'earned',
          amount: 9600,
          base: 120000,
          tierName: 'Base',
          credit: 120000,
          currency: 'USD',
          period: '2026-Q1',
          earnedOn: '2026-02-10',
          updatedAt: '2026-02-11T08:30:00.000Z',
        },
      ],
      deleted: [],
      nextCursor: sampleCursor,
      more: false,
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { repId, cursor, updatedSince, limit, format, ...days } }, caller, { unitOfWork }) {
    assertDayOrder(['earnedFrom', days.earnedFrom], ['earnedTo', days.earnedTo]);
    if (cursor !== undefined && updatedSince !== undefined)
      throw invalid({ path: 'updatedSince', message: 'is not used with cursor, which contains it' });
    const repIds = narrowedReps(caller, repId)?.filter(isUuid) ?? null;
    const request = { feed: eventFeed, cursor, updatedSince, limit };
    const page = await unitOfWork.read(caller, (tx) =>
      readFeed(
        tx,
        request,
        (range) => listChangedEvents(tx, { repIds, ...days }, range),
        repIds === null ? null : sql`r.rep_id = any(${repIds}::uuid[])`,
      ),
    );
    const events = page.rows.map((row) => toEventResponse(row, null));
    const deleted = page.removed.map(({ key: eventId, repId: ofRep }) => ({ eventId, repId: ofRep ?? '' }));
    const { nextCursor, more } = page;
    if (format === 'json') return { events, deleted, nextCursor, more };
    const lines = [...events, ...deleted.map((keys) => ({ ...keys, deleted: true }))];
    return toNdjson('commission-events', lines, { nextCursor, more });
  },
});
