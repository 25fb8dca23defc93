import { z } from 'zod';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { loadCalendar } from '../../../ledger/input/calendar.js';
import { narrowedReps, visibleAmong } from '../../../people/reps/rep.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation, Page } from '../../../platform/operations/operation.js';
import { commaList, countAllPages, flag, optionalPage, period, uuid } from '../../../platform/operations/schemas.js';
import { findPlanId } from '../../plan-views.js';
import { quota, quotaExample } from '../quota.js';
import { countQuotas, listCountedQuotas } from '../quota-views.js';
import { withCreditsToDate } from '../quotas-to-date.js';

const query = z.strictObject({
  repId: uuid.optional().describe('Only quotas of this rep (UUID)'),
  repIds: commaList(uuid, 200)
    .optional()
    .describe('Only quotas of these reps (UUID), separated by commas, at most 200'),
  planId: uuid.optional().describe('Only quotas of this plan (UUID)'),
  period: period.optional().describe('Only quotas of this attainment period, such as 2026-Q1'),
  containing: flag
    .default(false)
    .describe('true: also quotas of longer periods that contain the period, such as the quarter of a month'),
  ...optionalPage('quotas'),
});

/** The periods whose quotas are listed; all of them without a period. */
async function listedPeriods(tx: Transaction, { period: named, containing }: z.output<typeof query>) {
  if (named === undefined) return undefined;
  return containing ? (await loadCalendar(tx)).periodsContaining(named) : [named];
}

export const listQuotas = operation({
  id: 'listQuotas',
  summary: 'Quotas with current value and attainment',
  method: 'get',
  path: '/v1/quotas',
  access: 'rep',
  query,
  response: z.array(quota),
  failures: {},
  tool: {
    name: 'list_quotas',
    title: 'List quotas',
    hints: effects.reads,
    description: {
      purpose: 'Targets of reps with their current_value and attainment, where 1 is 100 %.',
      useWhen: 'you need an attainment or a quotaId.',
      notFor: 'what was earned (get_commissions).',
      formats: 'measure is the name of the rule.',
      changes: 'nothing.',
    },
    arguments: {
      repId: 'This rep',
      repIds: { always: undefined },
      planId: 'This plan',
      period: 'This period or one around it',
      containing: { always: true },
    },
    list: 'quotas',
    summary: (_quotas, _caller, total) => `Quotas: ${total}.`,
  },
  example: { query: { repId: sampleIds.repId, period: '2026-Q1' }, response: [quotaExample] },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: request }, caller, { unitOfWork, clock }) {
    const repIds = visibleAmong(narrowedReps(caller, request.repId), request.repIds);
    const page = { limit: request.limit, offset: request.offset };
    return unitOfWork.read(caller, async (tx) => {
      const planId = request.planId === undefined ? undefined : await findPlanId(tx, request.planId);
      if (request.planId !== undefined && planId === undefined) return [];
      const filter = { ...(repIds === null ? {} : { repIds }), planId, periods: await listedPeriods(tx, request) };
      const quotas = await listCountedQuotas(tx, { ...filter, page });
      const count = await countAllPages(page, quotas.length, () => countQuotas(tx, filter));
      return new Page(await withCreditsToDate(tx, quotas, await workspaceToday(tx, clock)), count);
    });
  },
});
