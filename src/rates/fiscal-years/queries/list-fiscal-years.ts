import { z } from 'zod';
import { loadFiscalYears } from '../../../ledger/input/calendar.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { asOfQuery } from '../../../platform/operations/schemas.js';
import { fiscalYear, fiscalYearsExample, toFiscalYearResponses } from '../fiscal-year.js';

export const listFiscalYears = operation({
  id: 'listFiscalYears',
  summary: 'The fiscal years of the workspace, with the days of their periods',
  method: 'get',
  path: '/v1/fiscal-years',
  access: 'rep',
  payroll: true,
  query: z.strictObject({ asOf: asOfQuery }),
  response: z.object({
    fiscalYears: z.array(fiscalYear).describe('The fiscal years, in their order; none unless an admin defines them'),
    count: z.int().describe('Number of fiscal years'),
  }),
  failures: {},
  example: { response: { fiscalYears: fiscalYearsExample.response, count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { asOf } }, caller, { unitOfWork }) {
    const options = { lock: 'none', access: 'read', asOf } as const;
    const fiscalYears = toFiscalYearResponses(await unitOfWork.run(caller, options, loadFiscalYears));
    return { fiscalYears, count: fiscalYears.length };
  },
});
