import { z } from 'zod';
import { type DealLine } from '../../engine/deal-line.js';
import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { requestAsJob } from '../../ledger/requests/request-as-job.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import {
  csvImport,
  csvImportExample,
  describeImport,
  type RowOutcome,
  readImport,
} from '../../platform/files/import-results.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { text } from '../../platform/operations/schemas.js';
import { affectedOfAll } from '../change-deal-facts.js';
import { type ChangedLines } from '../change-lines.js';
import { factImportQuery, factImportResults, previewFacts } from '../import/fact-import.js';
import { ImportPace } from '../import/import-pace.js';
import {
  describeField,
  type FileLine,
  lineColumns,
  numericColumns,
  readLineRows,
  scanFields,
} from '../import/line-rows.js';
import { changeLinesInParts } from '../import/lines-in-parts.js';
import { type RowOfDeal } from '../import/rows-of-deals.js';
import { withStoredDealIds } from '../opportunity-ids.js';

const query = factImportQuery.extend({
  textColumns: text(2000)
    .transform((names) => names.split(',').map((name) => name.trim()))
    .optional()
    .describe(
      'Columns of fields, separated by commas, that stay texts although all of their values are numbers or dates',
    ),
});
const response = factImportResults.extend({
  columns: z
    .array(
      z
        .object({
          column: z.string().describe('Name of the column in the file'),
          field: z.string().describe('Slug of the field in rules and tables'),
          kind: z.enum(['number', 'date', 'text']).describe('What its values are read as'),
          values: z.int().describe('Number of cells that are not empty'),
        })
        .describe('One column'),
    )
    .describe('The columns that are fields of the lines, because no line has a value of their name'),
});
type ImportResponse = z.input<typeof response>;

function linesByDeal(rows: readonly RowOfDeal<FileLine>[]): ReadonlyMap<string, readonly DealLine[]> {
  const lines = rows.flatMap(({ read }) => (read instanceof Failure ? [] : [read]));
  const byDeal = groupBy(lines, ({ dealId }) => dealId);
  return new Map([...byDeal].map(([dealId, ofDeal]) => [dealId, ofDeal.map(({ line }) => line)]));
}

function toOutcome({ read }: RowOfDeal<FileLine>, changed: ReadonlySet<string>): RowOutcome {
  return read instanceof Failure ? read : { outcome: changed.has(read.dealId) ? 'changed' : 'unchanged' };
}

export const importDealLines = operation({
  id: 'importDealLines',
  summary: 'Give the products of deals from a CSV file of up to 100,000 lines; the rows of a deal replace its lines',
  ...csvImport,
  path: '/v1/deals/lines/import',
  upload: { types: ['text/csv'], limitBytes: 32 * 1024 * 1024 },
  query,
  response,
  failures: { no_known_columns: 400 },
  example: {
    ...csvImportExample('dealId,lineId,family,amount,Region\nD-1,1,software,30000,EMEA\n'),
    response: {
      accepted: 1,
      unchanged: 0,
      rejected: 0,
      dryRun: false,
      results: [{ row: 1, outcome: 'changed', email: null, repId: null }],
      columns: [{ column: 'Region', field: 'line.Region', kind: 'text', values: 1 }],
      jobId: sampleIds.jobId,
    },
  },
  uses: { changes: CommissionChanges, unitOfWork: UnitOfWork, clock: CLOCK },
  /** The rows of a deal are written together or not at all. */
  async execute({ query: options, body }, caller, { changes, unitOfWork, clock }): Promise<ImportResponse> {
    const { dryRun, effect, textColumns = [] } = options;
    const { rows: sent, reader } = await readImport(body, options, lineColumns, numericColumns);
    const fields = await scanFields(sent, reader, textColumns);
    const pace = new ImportPace(() => unitOfWork.hasOthers(caller));
    return withDryRun<ImportResponse>(dryRun, (end) =>
      changes.run(caller, 'import', async (tx, recalculate) => {
        const rows = await withStoredDealIds(tx, sent);
        const read = await readLineRows(tx, rows, reader, fields);
        const deals = linesByDeal(read);
        const write = () => changeLinesInParts(tx, caller, deals, pace);
        const describe = async ({ changed }: ChangedLines) => ({
          ...(await describeImport(
            tx,
            rows,
            read.map((row) => toOutcome(row, changed)),
            dryRun,
          )),
          columns: fields.map(describeField),
        });
        if (dryRun && effect) {
          const { changed, ...previewed } = await previewFacts(tx, clock, write);
          return end({ ...(await describe(changed)), ...previewed });
        }
        const changed = await write();
        const described = await describe(changed);
        if (dryRun) return end(described);
        const requests = [...affectedOfAll(changed)].map(([repId, days]) => ({ repId, days }));
        const work = { trigger: 'lines', requests, deals: changed.changed.size } as const;
        return { ...described, jobId: await requestAsJob(tx, recalculate, caller, work) };
      }),
    );
  },
});
