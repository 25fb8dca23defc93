import { z } from 'zod';
import { listOf } from '../../../platform/operations/list-of.js';
import { holiday } from '../holiday.js';
import { listHolidays as loadHolidays } from '../holiday-views.js';

export const listHolidays = listOf(
  {
    id: 'listHolidays',
    summary: 'Holidays of the company, on which the pace of quotas counts no working day',
    path: '/v1/holidays',
    access: 'rep',
    list: { name: 'holidays', items: z.array(holiday).describe('The holidays, the earliest first') },
    example: { items: [{ day: '2026-12-25', name: 'Christmas Day' }] },
  },
  (tx) => loadHolidays(tx),
);
