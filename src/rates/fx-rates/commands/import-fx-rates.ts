import { z } from 'zod';
import { type StoredRate } from '../../../engine/exchange-rates.js';
import { Failure } from '../../../kernel/failure.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { readCsvRecords } from '../../../platform/files/csv-table.js';
import { type ChangeOfRow, recordImported } from '../../../platform/files/facts.js';
import {
  csvImport,
  csvImportExample,
  describeImport,
  importQuery,
  importResults,
  type RowOutcome,
} from '../../../platform/files/import-results.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { day } from '../../../platform/operations/schemas.js';
import { changeOfRates, runRateChange } from '../change-fx-rates.js';
import { keyOf, tableName } from '../fx-rate.js';
import { fxRateFacts } from '../fx-rate-facts.js';
import { type ReplacedRate, storeRates } from '../fx-rate-store.js';
import { type ReadRow, readRateFile } from '../rate-file.js';

const query = importQuery.extend({
  table: tableName.optional().describe('Table of rows that name none; default when absent'),
  since: day.optional().describe('Only rates from this day on, YYYY-MM-DD; all of the file by default'),
});

const response = importResults.extend({
  stored: z.int().describe('Number of rates in the file'),
  changed: z.int().describe('Number of them that were not stored so before'),
  ...changeOfRates,
});

export const importFxRates = operation({
  id: 'importFxRates',
  summary:
    'Enter exchange rates from a CSV file with the columns from, to, day and rate, or from the history file of the European Central Bank (eurofxref-hist.csv)',
  ...csvImport,
  path: '/v1/fx-rates/import',
  query,
  response,
  failures: { no_known_columns: 400, invalid_rate: 400 },
  example: {
    ...csvImportExample('from,to,day,rate\nEUR,USD,2026-02-02,1.0837\n'),
    response: {
      accepted: 1,
      unchanged: 0,
      rejected: 0,
      dryRun: false,
      results: [{ row: 1, outcome: 'changed' as const, email: null, repId: null }],
      stored: 1,
      changed: 1,
      affected: { reps: 0, events: 0 },
      jobId: null,
    },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute(
    { query: { dryRun, delimiter, table, since, ...format }, body },
    caller,
    uses,
  ): Promise<z.input<typeof response>> {
    const rows = await readRateFile(await readCsvRecords(body.stream, delimiter), { table, format, since });
    const rates = rows.flatMap((row): readonly StoredRate[] => (row instanceof Failure ? [] : row));
    return runRateChange(uses, caller, dryRun, async (tx) => {
      const replaced = await storeRates(tx, rates);
      const changed = replaced.map(({ after }) => after);
      const keys = new Set(changed.map(keyOf));
      if (!dryRun) await recordImported(tx, fxRateFacts, withRows(rows, replaced));
      const results = await describeImport(
        tx,
        rows.map((_, index) => ({ row: index + 1, cells: {}, problem: null })),
        rows.map((row) => toOutcome(row, keys)),
        dryRun,
      );
      return { result: { ...results, stored: rates.length, changed: changed.length }, changed };
    });
  },
});

/** The changes, each with the row of the file. */
function withRows(rows: readonly ReadRow[], replaced: readonly ReplacedRate[]): ChangeOfRow<StoredRate>[] {
  const numbers = new Map(
    rows.flatMap((row, index) => (row instanceof Failure ? [] : row.map((rate) => [keyOf(rate), index + 1] as const))),
  );
  return replaced.map((change) => ({ ...change, row: numbers.get(keyOf(change.after)) ?? 0 }));
}

function toOutcome(row: ReadRow, changed: ReadonlySet<string>): RowOutcome {
  if (row instanceof Failure) return row;
  return { outcome: row.some((rate) => changed.has(keyOf(rate))) ? 'changed' : 'unchanged' };
}
