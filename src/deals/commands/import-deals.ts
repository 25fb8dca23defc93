import { type Readable } from 'node:stream';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { invalid } from '../../kernel/failure.js';
import { type NumberFormat, numberFormats } from '../../kernel/number-text.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { setAuditCounts, setAuditTotals } from '../../platform/database/audit-counts.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { fileQuery } from '../../platform/files/import-results.js';
import { withSpooledUpload } from '../../platform/files/spooled-upload.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { flag, text } from '../../platform/operations/schemas.js';
import { commissionEffect, maxForecastDeals } from '../../simulation/write-effect.js';
import { correctionConflict, corrections, toMarks } from '../correction-fields.js';
import { type DealTerms, dealBodyExample, maxSlugLength } from '../deal.js';
import { writeForEffect } from '../deal-write-effect.js';
import { type ColumnContent, scanColumns } from '../import/column-contents.js';
import { controlTotal } from '../import/control-totals.js';
import { type ColumnWarning } from '../import/csv-header.js';
import { csvHeader, csvRows } from '../import/csv-rows.js';
import { type ImportColumns, loadImportColumns } from '../import/import-columns.js';
import { ImportPace } from '../import/import-pace.js';
import { type ImportRow } from '../import/import-row.js';
import { importRows, requestImported } from '../import/import-rows.js';
import { declaredDateFormat, jsonRows } from '../import/json-rows.js';
import { loadDealTerms } from '../load-deal-terms.js';

const query = fileQuery.extend({
  idColumn: text(maxSlugLength).optional().describe('Column with the deal ids; default id'),
  textColumns: text(2000)
    .transform((names) => names.split(',').map((name) => name.trim()))
    .optional()
    .describe('Columns, separated by commas, that stay texts although all of their values are numbers or dates'),
  mode: z
    .enum(['merge', 'replace'])
    .default('merge')
    .describe('merge changes only the values in the file; replace clears values that are not in the file'),
  corrections,
  dryRun: flag.default(false).describe('true: parse, resolve and count without writing'),
  effect: flag
    .default(false)
    .describe(`true with dryRun: also the effect on commission, for up to ${maxForecastDeals} new and changed deals`),
});
type Query = z.infer<typeof query>;

const previewRow = z
  .object({
    row: z.int().describe('Number of the row, from 1, without the header'),
    dealId: fields.dealId.nullable(),
    outcome: z
      .enum(['created', 'changed', 'unchanged', 'stale', 'rejected'])
      .describe('What would happen to the deal. stale: the stored snapshot is newer'),
    reason: z.string().nullable().describe('Why the row would be rejected; null if it would not'),
    name: fields.dealName.nullable(),
    amount: z.number().nullable().describe('Amount of the deal in `currency`'),
    currency: z.string().nullable().describe('Currency of the deal, ISO 4217 code; null if it has none'),
    stage: fields.stage.nullable(),
    closeDate: fields.closeDate.nullable(),
    repId: fields.repId.nullable(),
  })
  .describe('A row as it would be stored');

const response = z.object({
  accepted: z.int().describe('Number of rows that created or changed a deal'),
  created: z.int().describe('Number of rows that created a deal'),
  changed: z.int().describe('Number of rows that changed a deal'),
  unchanged: z.int().describe('Number of rows that equal the stored deal'),
  stale: z.int().describe('Number of rows that are older than the stored deal'),
  rejected: z
    .array(
      z
        .object({
          row: z.int().describe('Number of the row, from 1, without the header'),
          reason: z.string().describe('What is wrong with the row'),
          code: z
            .literal('ambiguous_number')
            .optional()
            .describe('Code of the reason. ambiguous_number: set numberFormat'),
        })
        .describe('One rejected row'),
    )
    .describe('Rows that were not imported'),
  warnings: z
    .array(
      z
        .object({
          code: z
            .enum(['unknown_column', 'ambiguous_column', 'midnight_utc', 'short_ids'])
            .describe(
              'unknown_column: it is stored as a separate field; ambiguous_column: its numbers can be read in two ways; midnight_utc: its days are those before the ones that the file writes; short_ids: it has ids of Salesforce with 15 characters',
            ),
          column: z.string().describe('Name of the column'),
          message: z.string().describe('The consequence, and what to do'),
        })
        .describe('One column'),
    )
    .describe('What should be checked in columns of the file'),
  unknownOwners: z
    .array(
      z
        .object({
          owner: z.string().describe('The owner as the file names it'),
          rows: z.int().describe('Number of rows with this owner'),
        })
        .describe('One owner'),
    )
    .describe(
      'Owners that no rep is, the most frequent first, at most 100. Their deals keep the owner and pay no rep yet',
    ),
  totals: z
    .array(controlTotal)
    .describe(
      'Control totals: sums of the amounts of all rows that were not rejected, by currency, without `totalRows`',
    ),
  rowsWithUnknownOwner: z.int().describe('Number of rows whose owner no rep is'),
  rowsWithoutOwner: z.int().describe('Number of rows that name no owner'),
  rowsWithoutCloseDate: z.int().describe('Number of rows whose deal belongs to no period'),
  totalRows: z
    .array(z.int())
    .optional()
    .describe(
      'Rows without owner and close date whose amount is the sum of the rows above: totals of a report; absent for none',
    ),
  reassigned: z.int().describe('Number of stored deals that move from their rep to another one, or to none'),
  reassignedDeals: z
    .array(
      z
        .object({
          dealId: fields.dealId,
          fromRepId: fields.repId,
          toRepId: fields.repId.nullable(),
        })
        .describe('One deal'),
    )
    .describe('The first 100 of them'),
  conflicts: z
    .int()
    .optional()
    .describe('Number of values that a person has corrected and that the file states otherwise; absent for none'),
  conflicting: z
    .array(correctionConflict)
    .optional()
    .describe('The first 100 of them. With corrections=keep the values of the person stay'),
  numberFormat: z
    .enum(numberFormats)
    .nullable()
    .describe('The format in the request or detected in the file; null if neither'),
  columns: z
    .array(
      z
        .object({
          column: z.string().describe('Name of the column in the file'),
          field: z.string().describe('The field in which its values are stored'),
          kind: z.enum(['number', 'date', 'text']).describe('What its values are read as'),
          values: z.int().describe('Number of cells that are not empty'),
          example: z
            .object({
              text: z.string().describe('As the file writes it'),
              day: z.string().describe('The day in the time zone of the workspace, YYYY-MM-DD'),
            })
            .optional()
            .describe('The first time of a column of close or creation dates; absent if it has only days'),
        })
        .describe('One column'),
    )
    .optional()
    .describe('What each column of a CSV file became, in the order of the file'),
  jobId: z.string().optional().describe('The recalculation job of the import; absent for a dry run'),
  dryRun: z.literal(true).optional().describe('Present for a dry run, which writes nothing'),
  rows: z.array(previewRow).optional().describe('The first 20 rows of a dry run, as they would be stored'),
  effect: commissionEffect
    .nullable()
    .optional()
    .describe('With effect=true. null: more deals are new or changed than can be calculated at once'),
});
type ImportResponse = z.input<typeof response>;

/** What a file states apart from its rows. */
interface FileTerms {
  readonly warnings: readonly ColumnWarning[];
  readonly numberFormat: NumberFormat | null;
  readonly columns?: readonly ColumnContent[];
  /** How the file names the ids of the deals. */
  readonly idTitle: string;
}

interface ImportParts {
  readonly query: Query;
  readonly openFile: OpenFile;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  /** Rolls back the transaction of a dry run, which does everything that an import does. */
  readonly end: (result: ImportResponse) => ImportResponse;
}

async function importFile(
  tx: Transaction,
  recalculate: Recalculate,
  caller: Caller,
  { query, openFile, unitOfWork, clock, end }: ImportParts,
): Promise<ImportResponse> {
  const terms = await loadDealTerms(tx);
  const columns = await loadImportColumns(tx, terms);
  const { currency } = await loadWorkspaceTerms(tx);
  const { rows, warnings, numberFormat, columns: contents, idTitle } = await openFile(terms, columns, currency);
  const pace = new ImportPace(() => unitOfWork.hasOthers(caller));
  const marks = toMarks(query.corrections, caller);
  const write = () => importRows(tx, rows, { mode: query.mode, terms, pace, corrections: marks, caller });
  const { result, ...effect } =
    query.dryRun && query.effect ? await writeForEffect(tx, clock, write) : { result: await write() };
  const {
    preview,
    affected,
    totals: sums,
    conflicts,
    rowsWithCloseDate: _,
    totalRows,
    rowsWithShortId,
    ...counts
  } = result;
  const totals = sums.list(currency);
  const imported = {
    ...counts,
    ...(totalRows.length > 0 ? { totalRows: totalRows.slice(0, 100) } : {}),
    ...(conflicts.length > 0 ? { conflicts: conflicts.length, conflicting: conflicts.slice(0, 100) } : {}),
    totals: totals.map((total) => ({ ...total, amount: total.amount.toNumber() })),
    warnings: [...warnings, ...(rowsWithShortId === 0 ? [] : [shortIds(idTitle, rowsWithShortId)])],
    numberFormat,
    ...(contents === undefined ? {} : { columns: [...contents] }),
  };
  if (!query.dryRun) {
    const { created, changed, unchanged, stale, rejected } = counts;
    setAuditCounts(tx, { created, changed, unchanged, stale, rejected: rejected.length });
    setAuditTotals(
      tx,
      totals.map(({ currency, amount }) => ({ currency, amount: amount.toString() })),
    );
    return { ...imported, jobId: await requestImported(tx, recalculate, caller, result) };
  }
  return end({ ...imported, dryRun: true, rows: preview, ...effect });
}

function shortIds(column: string, rows: number): ColumnWarning {
  return {
    code: 'short_ids',
    column,
    message: `${rows} ids have 15 characters, as reports of Salesforce write them, and are stored so. The same records with ids of 18 characters, from a connection or another file, would be other deals: connect Salesforce first, or export the ids with 18 characters.`,
  };
}

type OpenFile = (
  terms: DealTerms,
  columns: ImportColumns,
  currency: string,
) => Promise<FileTerms & { readonly rows: AsyncIterable<readonly ImportRow[]> }>;

function csvFile(read: () => Readable, query: Query): OpenFile {
  const { dateFormat = 'ISO', delimiter, textColumns = [] } = query;
  return async (terms, known, currency) => {
    const { timeZone } = terms;
    const requested = { delimiter, dateFormat, timeZone, numberFormat: query.numberFormat, textColumns };
    const scanned = await scanColumns(read(), await csvHeader(read(), query, known), known, requested);
    const { header, numberFormat, columns } = scanned;
    const toSentName = (name: string) => header.titles.get(name) ?? name;
    const reader = { terms, columns: known, dateFormat, numberFormat, currency, toSentName };
    const rows = csvRows(read(), delimiter, header, reader);
    return { rows, warnings: header.warnings, numberFormat, columns, idTitle: header.idTitle };
  };
}

async function jsonFile(read: () => Readable, query: Query): Promise<OpenFile> {
  const declared = await declaredDateFormat(read());
  if (declared !== undefined && query.dateFormat !== undefined && declared !== query.dateFormat) {
    throw invalid({ path: 'dateFormat', message: `is ${query.dateFormat} in the query and ${declared} in the body` });
  }
  const dateFormat = declared ?? query.dateFormat ?? 'ISO';
  return async (terms, columns, currency) => {
    const numberFormat = query.numberFormat ?? null;
    const reader = { terms, columns, dateFormat, numberFormat, currency, toSentName: (name: string) => name };
    return { rows: jsonRows(read(), reader), warnings: [], numberFormat, idTitle: 'dealId' };
  };
}

export const importDeals = operation({
  id: 'importDeals',
  summary: 'Import up to 100,000 deals from a JSON or CSV file; invalid rows are listed, valid rows are imported',
  method: 'post',
  path: '/v1/deals/import',
  access: 'admin',
  query,
  upload: { types: ['application/json', 'text/csv'], limitBytes: 32 * 1024 * 1024 },
  response,
  failures: { no_known_columns: 400, plan_too_complex: 400 },
  example: {
    query: { idColumn: 'opportunity_id', dateFormat: 'MDY' },
    uploads: {
      'application/json': { deals: [{ dealId: sampleIds.dealId, ...dealBodyExample }] },
      'text/csv': 'opportunity_id,close_value,deal_stage,close_date,sales_agent\nD-1,120000,Won,02/10/2026,ben\n',
    },
    response: {
      accepted: 1,
      created: 1,
      changed: 0,
      unchanged: 0,
      stale: 0,
      rejected: [],
      warnings: [],
      unknownOwners: [],
      totals: [{ currency: 'USD', rows: 1, amount: 120000 }],
      rowsWithUnknownOwner: 0,
      rowsWithoutOwner: 0,
      rowsWithoutCloseDate: 0,
      reassigned: 0,
      reassignedDeals: [],
      numberFormat: null,
      columns: [{ column: 'close_value', field: 'close_value', kind: 'number', values: 1 }],
      jobId: sampleIds.jobId,
    },
  },
  uses: { changes: CommissionChanges, unitOfWork: UnitOfWork, clock: CLOCK },
  /**
   * Imports the whole file in one transaction, which starts when the upload is complete. Invalid rows are reported,
   * valid rows are imported.
   */
  async execute({ query, body }, caller, { changes, unitOfWork, clock }): Promise<ImportResponse> {
    const { contentType, stream } = body;
    return withSpooledUpload(stream, async (read) => {
      const openFile = contentType === 'text/csv' ? csvFile(read, query) : await jsonFile(read, query);
      return withDryRun(query.dryRun, (end) =>
        changes.run(caller, 'import', (tx, recalculate) =>
          importFile(tx, recalculate, caller, { query, openFile, unitOfWork, clock, end }),
        ),
      );
    });
  },
});
