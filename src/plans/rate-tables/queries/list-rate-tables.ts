import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { rateTableExample, rateTableSummary } from '../rate-table.js';
import { listTables, listUsingPlans } from '../rate-table-views.js';

const { rows, noMatch: _, ...head } = rateTableExample;

export const listRateTables = operation({
  id: 'listRateTables',
  summary: 'Rate tables with their keys, columns and numbers of rows, and the plans that use them',
  method: 'get',
  path: '/v1/rate-tables',
  access: 'manager',
  response: z.object({ rateTables: z.array(rateTableSummary).describe('The tables, by name') }),
  failures: {},
  tool: {
    name: 'list_rate_tables',
    title: 'List rate tables',
    hints: effects.reads,
    description: {
      purpose: 'Rate tables with their keys and columns.',
      useWhen: 'you need the name of one.',
      notFor: 'rows (get_rate_table).',
      changes: 'nothing.',
    },
    arguments: {},
    list: 'rateTables',
    summary: ({ rateTables }) => `Rate tables: ${rateTables.length}.`,
  },
  example: { response: { rateTables: [{ ...head, rows: rows.length }] } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    return unitOfWork.run(caller, { lock: 'none', access: 'read' }, async (tx) => {
      const plans = await listUsingPlans(tx);
      const rateTables = (await listTables(tx)).map((table) => ({
        ...table,
        plans: plans
          .filter((plan) => plan.table === table.name.toLowerCase())
          .map(({ planId, name }) => ({ planId, name })),
      }));
      return { rateTables };
    });
  },
});
