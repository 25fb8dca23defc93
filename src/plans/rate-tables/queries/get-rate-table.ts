import { z } from 'zod';
import { isInForce } from '../../../engine/rate-table.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { asOfQuery, day } from '../../../platform/operations/schemas.js';
import { existing } from '../change-rate-table.js';
import { rateTable, rateTableExample, tableParams } from '../rate-table.js';
import { findTableRevision, listUsingPlans } from '../rate-table-views.js';

export const getRateTable = operation({
  id: 'getRateTable',
  summary: 'A rate table with its rows',
  method: 'get',
  path: '/v1/rate-tables/:name',
  access: 'manager',
  params: tableParams,
  query: z.strictObject({
    asOf: asOfQuery,
    day: day.optional().describe('Only rows that hold on this day, YYYY-MM-DD; all rows by default'),
  }),
  response: rateTable,
  failures: { rate_table_not_found: 404 },
  tool: {
    name: 'get_rate_table',
    title: 'Get rate table',
    hints: effects.reads,
    description: {
      purpose: 'A rate table with its rows.',
      useWhen: 'a tier names a table.',
      notFor: 'one row (look_up_rate).',
      changes: 'nothing.',
    },
    arguments: { name: 'Name of the table', asOf: { always: undefined }, day: { always: undefined } },
    list: 'rows',
    summary: ({ rows, columns }) => `Rows: ${rows.length}, columns: ${columns.length}.`,
  },
  example: { params: { name: 'Products' }, response: rateTableExample },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { name }, query: { asOf, day: on } }, caller, { unitOfWork }) {
    return unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, async (tx) => {
      const found = await findTableRevision(tx, name);
      const { rows, ...table } = existing(found?.table ?? null);
      const plans = await listUsingPlans(tx, name);
      return {
        ...table,
        rows: on === undefined ? rows : rows.filter((row) => isInForce(row, on)),
        revision: found?.revision ?? 0,
        plans: plans.map(({ planId, name: plan }) => ({ planId, name: plan })),
      };
    });
  },
});
