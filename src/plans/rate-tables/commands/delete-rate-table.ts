import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { changedTable, existing, loadTableSubject, runTableChange } from '../change-rate-table.js';
import { tableParams } from '../rate-table.js';

export const deleteRateTable = operation({
  id: 'deleteRateTable',
  summary: 'Delete a rate table that no active plan uses; its history stays',
  method: 'delete',
  path: '/v1/rate-tables/:name',
  access: 'admin',
  params: tableParams,
  query: dryRunQuery,
  response: changedTable,
  failures: { rate_table_not_found: 404, rate_table_in_use: 409 },
  subject: (tx, { params: { name } }) => loadTableSubject(tx, name),
  example: {
    params: { name: 'Products' },
    response: {
      name: 'Products',
      revision: 2,
      rows: { added: 0, changed: 0, ended: 2 },
      affected: { reps: 0, plans: [], months: 0, approvedDeals: 0 },
      jobId: null,
    },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { name }, query: { dryRun } }, caller, uses) {
    return runTableChange(uses, caller, {
      name,
      dryRun,
      note: '',
      seen: undefined,
      change: (stored) => {
        existing(stored);
        return null;
      },
    });
  },
});
