import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { period } from '../../../platform/operations/schemas.js';
import { changedTable, previewTableChange } from '../change-rate-table.js';
import { tableContentExample, tableParams } from '../rate-table.js';
import { changeFailures, maxTableKeys, requestedTable, toTableChange } from '../requested-change.js';

const body = requestedTable.extend({
  period: period.optional().describe('Only commission that is earned in this period; all of it by default'),
});

export const previewRateTable = operation({
  id: 'previewRateTable',
  summary: 'What a rate table would do to commission in a period; stores nothing',
  method: 'post',
  path: '/v1/rate-tables/:name/preview',
  access: 'admin',
  scope: 'read',
  params: tableParams,
  body,
  maxKeys: maxTableKeys,
  response: changedTable,
  failures: changeFailures,
  example: {
    params: { name: 'Products' },
    body: { ...tableContentExample, period: '2026-Q1' },
    response: {
      name: 'Products',
      revision: 1,
      rows: { added: 2, changed: 0, ended: 0 },
      affected: { reps: 0, plans: [], months: 0, approvedDeals: 0 },
      jobId: null,
      effect: { lines: 0, reps: 0, totals: [], locked: [], byPeriod: [], byPlan: [] },
    },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { name }, body: { period: during, ...requested } }, caller, uses) {
    return previewTableChange(uses, caller, toTableChange(name, requested), during);
  },
});
