import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { visibleReps } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { period } from '../../platform/operations/schemas.js';
import { netTotals, payrollHandover, payrollHandoverExample } from '../payroll-handover.js';
import { listHandovers } from '../payroll-handover-views.js';
import { listWaitingPeriods } from '../waiting-periods.js';

const query = z.strictObject({ period: period.optional().describe('Only hand-overs of this period') });

const waiting = z
  .array(
    z
      .object({
        period: fields.period,
        people: z.int().describe('Number of people with approved amounts that are in no file'),
        totals: netTotals.describe('What no file contains, by currency'),
      })
      .describe('A period that waits for a file'),
  )
  .describe(
    'Of the 24 latest approved periods, those with amounts that no handed-over file contains, latest first. Pay periods of payout batches are absent',
  );

export const listPayrollHandovers = operation({
  id: 'listPayrollHandovers',
  summary: 'List recorded payroll hand-overs, latest first',
  method: 'get',
  path: '/v1/payroll-handovers',
  access: 'manager',
  payroll: true,
  query,
  response: z.object({ handovers: z.array(payrollHandover).describe('The hand-overs, latest first'), waiting }),
  failures: {},
  example: {
    query: { period: '2026-02' },
    response: {
      handovers: [payrollHandoverExample],
      waiting: [{ period: '2026-02', people: 1, totals: [{ currency: 'USD', netPayout: 1561.94 }] }],
    },
  },
  uses: { unitOfWork: UnitOfWork },
  /**
   * Managers who are restricted to the people below them see only their own hand-overs, because the totals cover
   * those people.
   */
  async execute({ query: { period: requestedPeriod } }, caller, { unitOfWork }) {
    const authorId = caller.team === undefined ? null : caller.repId;
    return unitOfWork.read(caller, async (tx) => {
      const periods = await listWaitingPeriods(tx, visibleReps(caller));
      return {
        handovers: await listHandovers(tx, { period: requestedPeriod, authorId }),
        waiting: periods.filter((each) => requestedPeriod === undefined || each.period === requestedPeriod),
      };
    });
  },
});
