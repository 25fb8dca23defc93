import { z } from 'zod';
import { loadFiscalYears } from '../../../ledger/input/calendar.js';
import { listOf } from '../../../platform/operations/list-of.js';
import { asOfQuery } from '../../../platform/operations/schemas.js';
import { fiscalYear, fiscalYearsExample, toFiscalYearResponses } from '../fiscal-year.js';

export const listFiscalYears = listOf(
  {
    id: 'listFiscalYears',
    summary: 'The fiscal years of the workspace, with the days of their periods',
    path: '/v1/fiscal-years',
    access: 'rep',
    payroll: true,
    query: z.strictObject({ asOf: asOfQuery }),
    list: {
      name: 'fiscalYears',
      items: z.array(fiscalYear).describe('The fiscal years, in their order; none unless an admin defines them'),
    },
    example: { items: fiscalYearsExample.response },
  },
  async (tx) => toFiscalYearResponses(await loadFiscalYears(tx)),
);
