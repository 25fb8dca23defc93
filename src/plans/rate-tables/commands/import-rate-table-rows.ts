import { type RateTable, type RateTableRow } from '../../../engine/rate-table.js';
import { Failure, invalid } from '../../../kernel/failure.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { readCsvRecords } from '../../../platform/files/csv-table.js';
import {
  cellReader,
  countOutcomes,
  csvImport,
  csvImportExample,
  importQuery,
  importResults,
  type RowResult,
  toImportResponse,
} from '../../../platform/files/import-results.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { day, text, wholeNumber } from '../../../platform/operations/schemas.js';
import { changedTable, existing, runTableChange } from '../change-rate-table.js';
import { outcomesOfRows, replaceFrom } from '../dated-rows.js';
import { type FileRow, readFileRows, readRateRows } from '../rate-rows.js';
import { tableParams } from '../rate-table.js';
import { findTableRevision } from '../rate-table-views.js';
import { changeFailures } from '../requested-change.js';

const query = importQuery.extend({
  note: text(1000).optional().describe('Why the table changes, for its history'),
  from: day
    .optional()
    .describe(
      'First day of the new rows, YYYY-MM-DD: stored rows end the day before, and later ones are replaced. Absent: the table changes as if it had always been so',
    ),
  revision: wholeNumber(1, 1_000_000_000)
    .optional()
    .describe('The latest revision that the caller has seen. If there is a later one, nothing changes'),
});
const response = importResults.extend({
  table: changedTable
    .nullable()
    .describe('What became of the table; null if a row is rejected: the table stays as it is'),
});

export const importRateTableRows = operation({
  id: 'importRateTableRows',
  summary: 'Replace the rows of a rate table by those of a CSV file, all or none of them',
  ...csvImport,
  path: '/v1/rate-tables/:name/import',
  params: tableParams,
  query,
  response,
  failures: { no_known_columns: 400, rate_table_not_found: 404, ...changeFailures },
  example: {
    ...csvImportExample('family,base\nsoftware,10 %\n*,3 %\n'),
    params: { name: 'Products' },
    response: {
      accepted: 1,
      unchanged: 1,
      rejected: 0,
      dryRun: false,
      results: [
        { row: 1, outcome: 'changed', email: null, repId: null },
        { row: 2, outcome: 'unchanged', email: null, repId: null },
      ],
      table: {
        name: 'Products',
        revision: 2,
        rows: { added: 0, changed: 1, ended: 0 },
        affected: { reps: 0, plans: [], months: 0, approvedDeals: 0 },
        jobId: null,
      },
    },
  },
  uses: { changes: CommissionChanges, unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { name }, query: options, body }, caller, { changes, unitOfWork, clock }) {
    const { dryRun, delimiter, note = '', from, revision } = options;
    const records = await readCsvRecords(body.stream, delimiter);
    const latest = await unitOfWork.run(caller, { lock: 'none', access: 'read' }, (tx) => findTableRevision(tx, name));
    const stored = existing(latest?.table ?? null);
    const rows = await readFileRows(records, stored);
    if (rows.length === 0) throw invalid({ path: '', message: 'the file has no rows' });
    const numbers = stored.columns.map((column) => column.name);
    const read = await readRateRows(rows, stored, cellReader(options, rows, numbers), from);
    const sound = read.flatMap((row) => (row instanceof Failure ? [] : [row]));
    const respond = (results: readonly RowResult[]) => toImportResponse(results, dryRun);
    if (sound.length < read.length)
      return { ...respond(rows.map((row, index) => toRejected(row, read[index] as Failure))), table: null };
    const change = (table: RateTable): RateTable =>
      from === undefined ? { ...table, rows: sound } : replaceFrom(table, { ...table, rows: sound }, from);
    const results = toResults(rows, stored, change(stored).rows);
    const table = await runTableChange({ changes, clock }, caller, {
      name,
      dryRun,
      note,
      seen: revision ?? latest?.revision,
      change: (present) => change(existing(present)),
      counts: countOutcomes(results),
    });
    return { ...respond(results), table };
  },
});

function toRejected({ row }: FileRow, { code, message }: Failure): RowResult {
  return { row, outcome: 'rejected', email: null, repId: null, code, reason: message };
}

/** The rows of the file are the last ones of the changed table. */
function toResults(rows: readonly FileRow[], stored: RateTable, changed: readonly RateTableRow[]): RowResult[] {
  const outcomes = outcomesOfRows(stored.rows, changed).slice(-rows.length);
  return rows.map(({ row }, index) => ({
    row,
    outcome: outcomes[index] ?? 'unchanged',
    email: null,
    repId: null,
  }));
}
