import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { changedTable, loadTableSubject, runTableChange } from '../change-rate-table.js';
import { tableContentExample, tableParams } from '../rate-table.js';
import { changeFailures, maxTableKeys, requestedTable, toTableChange } from '../requested-change.js';

export const setRateTable = operation({
  id: 'setRateTable',
  summary: 'Create or replace a rate table; people on plans that use it are calculated again',
  method: 'put',
  path: '/v1/rate-tables/:name',
  access: 'admin',
  params: tableParams,
  query: dryRunQuery,
  body: requestedTable,
  maxKeys: maxTableKeys,
  response: changedTable,
  failures: changeFailures,
  subject: (tx, { params: { name } }) => loadTableSubject(tx, name),
  example: {
    params: { name: 'Products' },
    body: tableContentExample,
    response: {
      name: 'Products',
      revision: 1,
      rows: { added: 2, changed: 0, ended: 0 },
      affected: { reps: 0, plans: [], months: 0, approvedDeals: 0 },
      jobId: null,
    },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { name }, query: { dryRun }, body }, caller, uses) {
    return runTableChange(uses, caller, { ...toTableChange(name, body), dryRun });
  },
});
