import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { holiday } from '../holiday.js';
import { listHolidays as loadHolidays } from '../holiday-views.js';

export const listHolidays = operation({
  id: 'listHolidays',
  summary: 'Holidays of the company, on which the pace of quotas counts no working day',
  method: 'get',
  path: '/v1/holidays',
  access: 'rep',
  response: z.object({
    holidays: z.array(holiday).describe('The holidays, the earliest first'),
    count: z.int().describe('Number of holidays'),
  }),
  failures: {},
  example: { response: { holidays: [{ day: '2026-12-25', name: 'Christmas Day' }], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_request, caller, { unitOfWork }) {
    const holidays = await unitOfWork.run(caller, { lock: 'none', access: 'read' }, (tx) => loadHolidays(tx));
    return { holidays, count: holidays.length };
  },
});
