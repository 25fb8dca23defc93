import { z } from 'zod';
import { dateFormats } from '../../kernel/date-text.js';
import { Failure } from '../../kernel/failure.js';
import { readValue } from '../../kernel/invalid-values.js';
import { numberFormats, provenNumberFormat } from '../../kernel/number-text.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { EventLoopSlice } from '../../kernel/waiting.js';
import { setAuditCounts } from '../database/audit-counts.js';
import { type Transaction } from '../database/unit-of-work.js';
import { type StreamedBody, type UploadTerms } from '../operations/operation.js';
import { flag, text } from '../operations/schemas.js';
import { CellReader } from './cells.js';
import { readCsvTable, type TableColumns, type TableRow } from './csv-table.js';

/** The result of one row of a file. */
const rowResult = z
  .object({
    row: z.int().describe('Number of the row, from 1, without the header'),
    outcome: z.enum(['created', 'changed', 'unchanged', 'rejected']).describe('What happened to the row'),
    email: z.string().nullable().describe('E-mail address in the row; null if it has none'),
    repId: z.string().nullable().describe('Id of the rep (UUID); null if no rep was found'),
    code: z.string().optional().describe('Code of the reason why the row was rejected'),
    reason: z.string().optional().describe('Why the row was rejected'),
  })
  .describe('The result of one row of the file');
export type RowResult = z.input<typeof rowResult>;

export const importResults = z.object({
  accepted: z.int().describe('Rows that created or changed something'),
  unchanged: z.int().describe('Number of rows that changed nothing'),
  rejected: z.int().describe('Number of rejected rows'),
  dryRun: z.boolean().describe('Whether nothing was written because of dryRun'),
  results: z.array(rowResult).describe('One for each row, in the order of the file'),
});
export type ImportResults = z.input<typeof importResults>;

/** The audit log keeps the query of a call, and so the name. */
const fileName = text(200).describe('Name of the file, for the list of imports');

/** How the cells of a file are written. */
export const fileQuery = z.strictObject({
  fileName: fileName.optional(),
  dryRun: flag.default(false).describe('true: check and count without writing'),
  delimiter: z
    .enum([',', ';', '\t', '|', 'tab'])
    .default(',')
    .transform((delimiter) => (delimiter === 'tab' ? '\t' : delimiter))
    .describe('Delimiter of the CSV file; `tab` for a tab character'),
  dateFormat: z.enum(dateFormats).optional().describe('Format of dates in the file, in addition to ISO 8601'),
  numberFormat: z
    .enum(numberFormats)
    .optional()
    .describe('en for 1,234.50 and eu for 1.234,50; detected from the file when it is unambiguous'),
});

export const importQuery = fileQuery.extend({
  dateFormat: z.enum(dateFormats).default('ISO').describe('Format of dates in the file, in addition to ISO 8601'),
});

/** Reads the cells of the rows; `numbers` are the columns that prove how the file writes numbers. */
export function cellReader<Name extends string>(
  { dateFormat, numberFormat }: Pick<z.output<typeof importQuery>, 'dateFormat' | 'numberFormat'>,
  rows: readonly Pick<TableRow<Name>, 'cells'>[] = [],
  numbers: readonly Name[] = [],
): CellReader {
  const texts = rows.flatMap(({ cells }) => numbers.flatMap((name) => cells[name] ?? []));
  return new CellReader({ dates: dateFormat, numbers: numberFormat ?? provenNumberFormat(texts) });
}

/** Reads an uploaded file. `numbers` are the columns that prove how it writes numbers. */
export async function readImport<Name extends string>(
  { stream }: StreamedBody,
  { delimiter, ...format }: Pick<z.output<typeof importQuery>, 'delimiter' | 'dateFormat' | 'numberFormat'>,
  columns: TableColumns<Name>,
  numbers: readonly NoInfer<Name>[] = [],
): Promise<{ readonly rows: readonly TableRow<Name>[]; readonly reader: CellReader }> {
  const rows = await readCsvTable(stream, delimiter, columns);
  return { rows, reader: cellReader(format, rows, numbers) };
}

const importUpload: UploadTerms = { types: ['text/csv'], limitBytes: 4 * 1024 * 1024 };

/** What became of a row, with the person whom it is about, or the failure that rejects it. */
export type RowOutcome =
  | { readonly outcome: 'created' | 'changed' | 'unchanged'; readonly repId?: string | null }
  | Failure;

/** Says what became of the rows. The entry of an import in the audit log counts them. */
export async function describeImport(
  tx: Transaction,
  rows: readonly TableRow<string>[],
  outcomes: readonly RowOutcome[],
  dryRun: boolean,
): Promise<ImportResults> {
  const results = rows.map((row, index) => toRowResult(row, outcomes[index] as RowOutcome));
  if (!dryRun) setAuditCounts(tx, countOutcomes(results));
  return toImportResponse(results, dryRun);
}

export function toRowResult({ row, cells }: TableRow<string>, outcome: RowOutcome): RowResult {
  const result = { row, email: cells['email'] ?? null, repId: null };
  return outcome instanceof Failure
    ? { ...result, outcome: 'rejected', code: outcome.code, reason: outcome.message }
    : { ...result, ...outcome };
}

/** How many rows had which outcome, for the audit log. */
export function countOutcomes(rows: readonly Pick<RowResult, 'outcome'>[]): Record<RowResult['outcome'], number> {
  const counts = { created: 0, changed: 0, unchanged: 0, rejected: 0 };
  for (const { outcome } of rows) counts[outcome] += 1;
  return counts;
}

export function toImportResponse(results: readonly RowResult[], dryRun: boolean): ImportResults {
  const { created, changed, unchanged, rejected } = countOutcomes(results);
  return {
    accepted: created + changed,
    unchanged,
    rejected,
    dryRun,
    results: [...results],
  };
}

const resultsExample = {
  accepted: 1,
  unchanged: 0,
  rejected: 0,
  dryRun: false,
  results: [{ row: 1, outcome: 'created', email: 'ben@acme.test', repId: sampleIds.repId }],
};

/** The part of the declaration that all imports of a CSV file share. */
export const csvImport = { method: 'post', access: 'admin', upload: importUpload, response: importResults } as const;

/** The file is a CSV file, or one of each media type. */
export function csvImportExample(file: string | Readonly<Record<string, string>>) {
  const uploads = typeof file === 'string' ? { 'text/csv': file } : file;
  return { query: { dryRun: 'false' }, uploads, response: resultsExample };
}

export function rejectedRow(reason: string): Failure {
  return new Failure('VALIDATION_FAILED', reason);
}

/** Reads the rows without blocking the process. Returns for each what was read, or the failure that rejects it. */
export async function readRowsInSlices<Row extends Pick<TableRow<never>, 'problem'>, Read>(
  rows: readonly Row[],
  read: (row: Row) => Read | Promise<Read>,
): Promise<(Read | Failure)[]> {
  const results: (Read | Failure)[] = [];
  const slice = new EventLoopSlice();
  for (const row of rows) {
    await slice.pause();
    results.push(await readOrReject(row, read));
  }
  return results;
}

async function readOrReject<Row extends Pick<TableRow<never>, 'problem'>, Read>(
  row: Row,
  read: (row: Row) => Read | Promise<Read>,
): Promise<Read | Failure> {
  if (row.problem !== null) return rejectedRow(row.problem);
  try {
    return await read(row);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** The value as the schema reads it. One that it rejects rejects the row. */
export function readTerm<T>(name: string, schema: Parameters<typeof readValue<T>>[0], value: unknown): T {
  const read = readValue(schema, value);
  if ('issues' in read) throw rejectedRow(`${name}: ${read.issues[0].message}`);
  return read.value;
}

/** The terms as the schema reads them. Each one that it rejects rejects the row. */
export function readTerms<T>(schema: Parameters<typeof readValue<T>>[0], terms: object): T {
  const read = readValue(schema, terms);
  if ('issues' in read) throw rejectedRow(read.issues.map(({ path, message }) => `${path}: ${message}`).join('; '));
  return read.value;
}
