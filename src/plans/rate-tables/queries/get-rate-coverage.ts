import { z } from 'zod';
import { visibleReps } from '../../../kernel/caller.js';
import { addDays } from '../../../kernel/day.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { existing } from '../change-rate-table.js';
import { computeCoverage, maxCoveredDeals, maxMissing } from '../rate-coverage.js';
import { tableParams } from '../rate-table.js';
import { findTableRevision } from '../rate-table-views.js';

const response = z.object({
  from: z.string().describe('First close date of the deals, YYYY-MM-DD'),
  to: z.string().describe('Last close date, YYYY-MM-DD: today'),
  deals: z.int().describe('Number of deals that were looked up; of a table for lines, those with lines'),
  missingDeals: z.int().describe('Number of deals for which a row is missing'),
  truncated: z.boolean().describe(`true: older deals than the latest ${maxCoveredDeals} were not looked at`),
  missing: z
    .array(
      z
        .object({
          keys: z.record(z.string(), z.unknown()).describe('Values by the name of the key; null for an absent one'),
          deals: z.int().describe('Number of deals'),
          lookups: z.int().describe('Number of look-ups: of lines, or of deals'),
          dealIds: z.array(z.string()).describe('Ids of the latest of these deals, at most 5'),
          lastDay: z.string().describe('Close date of the latest of these deals, YYYY-MM-DD'),
        })
        .describe('Values without a row'),
    )
    .describe(`Values without a row, those of most deals first; at most ${maxMissing}`),
});

const daysOfYear = 365;

export const getRateCoverage = operation({
  id: 'getRateCoverage',
  summary: 'Which deals of the last year meet no row of a rate table',
  method: 'get',
  path: '/v1/rate-tables/:name/coverage',
  access: 'manager',
  params: tableParams,
  response,
  failures: { rate_table_not_found: 404 },
  example: {
    params: { name: 'Products' },
    response: {
      from: '2025-03-02',
      to: '2026-03-01',
      deals: 120,
      missingDeals: 2,
      truncated: false,
      missing: [{ keys: { family: 'support' }, deals: 2, lookups: 3, dealIds: ['D-1', 'D-2'], lastDay: '2026-02-20' }],
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { name } }, caller, { unitOfWork, clock }) {
    return unitOfWork.run(caller, { lock: 'none', access: 'read' }, async (tx) => {
      const table = existing((await findTableRevision(tx, name))?.table ?? null);
      const to = await workspaceToday(tx, clock);
      const days = { from: addDays(to, 1 - daysOfYear), to };
      const { deals, missingDeals, isTruncated, missing } = await computeCoverage(tx, table, days, visibleReps(caller));
      return {
        ...days,
        deals,
        missingDeals,
        truncated: isTruncated,
        missing: missing.map(({ values, deals: count, lookups, dealIds, lastDay }) => ({
          keys: Object.fromEntries(table.keys.map((key, index) => [key.name, values[index] ?? null])),
          deals: count,
          lookups,
          dealIds,
          lastDay,
        })),
      };
    });
  },
});
