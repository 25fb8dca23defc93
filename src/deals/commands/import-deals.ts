import { type Readable } from 'node:stream';
import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { invalid } from '../../kernel/failure.js';
import { CommissionChanges } from '../../ledger/commission-changes.js';
import { type Input, operation, type StreamedBody } from '../../platform/operation.js';
import { text } from '../../platform/schemas.js';
import { mostSlugLength } from '../deal.js';
import { loadDealTerms } from '../deal-store.js';
import { csvRows } from '../import/csv-rows.js';
import { dateFormats, type ImportRow, type RowReader } from '../import/import-row.js';
import { type ImportResult, importRows } from '../import/import-rows.js';
import { declaredDateFormat, jsonRows } from '../import/json-rows.js';
import { withSpooledUpload } from '../import/spooled-upload.js';

const query = z.strictObject({
  idColumn: text(mostSlugLength).default('id'),
  dateFormat: z.enum(dateFormats).optional(),
  delimiter: z
    .enum([',', ';', '\t', '|', 'tab'])
    .default(',')
    .transform((delimiter) => (delimiter === 'tab' ? '\t' : delimiter)),
});
type Query = z.infer<typeof query>;

const response = z.object({
  accepted: z.int(),
  unchanged: z.int(),
  stale: z.int(),
  rejected: z.array(z.object({ row: z.int(), reason: z.string() })),
  jobId: z.string(),
});

@injectable()
export class ImportDeals {
  constructor(@inject(CommissionChanges) private readonly changes: CommissionChanges) {}

  /** The whole file in one transaction, which starts when all of it has arrived. Bad rows are told, good ones go in. */
  async execute({ query, body }: Input<unknown, Query>, caller: Caller): Promise<ImportResult> {
    const { contentType, stream } = body as StreamedBody;
    return withSpooledUpload(stream, async (read) => {
      const rowsOf = contentType === 'text/csv' ? csvFile(read, query) : await jsonFile(read, query);
      return this.changes.run(caller, 'import', async (trx, wake) => {
        const terms = await loadDealTerms(trx, caller.workspaceId);
        return importRows(trx, caller, rowsOf(terms), wake);
      });
    });
  }
}

type RowsOf = (terms: RowReader['terms']) => AsyncIterable<readonly ImportRow[]>;

function csvFile(read: () => Readable, { dateFormat = 'ISO', ...format }: Query): RowsOf {
  return (terms) => csvRows(read(), format, { terms, dateFormat });
}

async function jsonFile(read: () => Readable, query: Query): Promise<RowsOf> {
  const declared = await declaredDateFormat(read());
  if (declared !== undefined && query.dateFormat !== undefined && declared !== query.dateFormat) {
    throw invalid({ path: 'dateFormat', message: `is ${query.dateFormat} in the query and ${declared} in the body` });
  }
  return (terms) => jsonRows(read(), { terms, dateFormat: declared ?? query.dateFormat ?? 'ISO' });
}

export const importDeals = operation({
  id: 'importDeals',
  summary: 'Store up to 100,000 deals from a JSON or CSV file; bad rows are listed, good ones go in',
  method: 'post',
  path: '/v1/deals/import',
  access: 'admin',
  query,
  upload: { types: ['application/json', 'text/csv'], limitBytes: 32 * 1024 * 1024 },
  response,
  failures: {},
  handler: ImportDeals,
});
