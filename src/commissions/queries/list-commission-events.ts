import { z } from 'zod';
import { commissionEvent, toEventResponse } from '../../earnings/commission-event.js';
import { listEventsByRep } from '../../earnings/commission-views.js';
import { assertDayOrder } from '../../kernel/day-order.js';
import { isUuid } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { day, instant, wholeNumber } from '../../platform/operations/schemas.js';
import { narrowedReps, repIdQuery } from '../../reps/rep.js';

const query = z.strictObject({
  repId: repIdQuery.optional().describe('Only events of this rep, by id (UUID)'),
  earnedFrom: day.optional().describe('First day on which the amount was earned, YYYY-MM-DD'),
  earnedTo: day.optional().describe('Last day on which the amount was earned, YYYY-MM-DD'),
  updatedSince: instant
    .optional()
    .describe(
      'Only events that changed at this time or later, ISO 8601. A change is listed when it is committed, which may be a minute after its updatedAt: let two readings overlap',
    ),
  after: z
    .string()
    .refine(
      (cursor) => cursor.split('.').every(isUuid) && cursor.split('.').length === 2,
      'must be the nextAfter of a page',
    )
    .optional()
    .describe('The nextAfter of the previous page; the first page by default'),
  limit: wholeNumber(1, 1000).default(500).describe('Max number of events on the page, 1 to 1,000'),
});

const response = z.object({
  events: z
    .array(commissionEvent)
    .describe('The events of the page in the order of their ids, earned and reversed, without traces'),
  nextAfter: z
    .string()
    .nullable()
    .describe(
      'Cursor of the next page; null on the last page. Events that change meanwhile are neither skipped nor listed twice',
    ),
});

export const listCommissionEvents = operation({
  id: 'listCommissionEvents',
  summary: 'Every commission event, page by page, for a data warehouse',
  method: 'get',
  path: '/v1/commission-events',
  access: 'manager',
  payroll: true,
  query,
  response,
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
      nextAfter: null,
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute(
    { query: { repId, limit, after, ...filter } },
    caller,
    { unitOfWork },
  ): Promise<z.input<typeof response>> {
    assertDayOrder(['earnedFrom', filter.earnedFrom], ['earnedTo', filter.earnedTo]);
    const [afterRep = null, afterEvent = null] = after?.split('.') ?? [];
    const rows = await unitOfWork.run(caller, { lock: 'none', access: 'read', replica: true }, (tx) =>
      listEventsByRep(tx, narrowedReps(caller, repId), { ...filter, afterRep, afterEvent, limit: limit + 1 }),
    );
    const events = rows.slice(0, limit).map((row) => toEventResponse(row, null));
    const last = events.at(-1);
    return { events, nextAfter: rows.length > limit && last !== undefined ? `${last.repId}.${last.eventId}` : null };
  },
});
