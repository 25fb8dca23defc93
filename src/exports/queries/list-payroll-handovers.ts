import { z } from 'zod';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { period } from '../../platform/operations/schemas.js';
import { payrollHandover, payrollHandoverExample } from '../payroll-handover.js';
import { listHandovers } from '../payroll-handover-views.js';

const query = z.strictObject({ period: period.optional().describe('Only hand-overs of this period') });

export const listPayrollHandovers = operation({
  id: 'listPayrollHandovers',
  summary: 'List recorded payroll hand-overs, latest first',
  method: 'get',
  path: '/v1/payroll-handovers',
  access: 'manager',
  payroll: true,
  query,
  response: z.object({ handovers: z.array(payrollHandover).describe('The hand-overs, latest first') }),
  failures: {},
  example: { query: { period: '2026-02' }, response: { handovers: [payrollHandoverExample] } },
  uses: { unitOfWork: UnitOfWork },
  /**
   * Managers who are restricted to the people below them see only their own hand-overs, because the totals cover
   * those people.
   */
  async execute({ query: { period: requestedPeriod } }, caller, { unitOfWork }) {
    const authorId = caller.team === undefined ? null : caller.repId;
    const handovers = await unitOfWork.read(caller, (tx) => listHandovers(tx, { period: requestedPeriod, authorId }));
    return { handovers };
  },
});
