import { z } from 'zod';
import { rateTableContent } from '../../../engine/rate-table-input.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { day, text } from '../../../platform/operations/schemas.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { changedTable, loadTableSubject, runTableChange } from '../change-rate-table.js';
import { replaceFrom } from '../dated-rows.js';
import { tableContentExample, tableParams } from '../rate-table.js';

const body = z.strictObject({
  ...rateTableContent,
  note: text(1000).optional().describe('Why the table changes, for its history'),
  from: day
    .optional()
    .describe(
      'First day of the new rows, YYYY-MM-DD: stored rows end the day before, and later ones are replaced. Absent: the table changes as if it had always been so',
    ),
  revision: z
    .int()
    .min(0)
    .optional()
    .describe(
      'The latest revision that the caller has seen, 0 for a new table. If there is a later one, nothing changes',
    ),
});

export const setRateTable = operation({
  id: 'setRateTable',
  summary: 'Create or replace a rate table; people on plans that use it are calculated again',
  method: 'put',
  path: '/v1/rate-tables/:name',
  access: 'admin',
  params: tableParams,
  query: dryRunQuery,
  body,
  maxKeys: 400_000,
  response: changedTable,
  failures: { value_missing: 400, rows_overlap: 400, field_not_dated: 400, table_changed: 409, rate_table_in_use: 409 },
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
  async execute(
    { params: { name }, query: { dryRun }, body: { note = '', from, revision, ...content } },
    caller,
    uses,
  ) {
    const given = { name, ...content };
    return runTableChange(uses, caller, {
      name,
      dryRun,
      note,
      seen: revision,
      change: (stored) => (stored === null || from === undefined ? given : replaceFrom(stored, given, from)),
    });
  },
});
