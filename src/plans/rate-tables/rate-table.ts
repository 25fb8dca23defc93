import { z } from 'zod';
import { type RateTable } from '../../engine/rate-table.js';
import { maxTableRows, rateTableContent, rateTableName, rateTableProblems } from '../../engine/rate-table-input.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';

export const maxTables = 200;

export const tableParams = z.strictObject({ name: rateTableName });

/** Numbers of rows that a change added, changed and ended. */
export const rowCounts = z
  .object({
    added: z.int().describe('Number of rows that are new'),
    changed: z.int().describe('Number of rows with other values or another last day than before'),
    ended: z.int().describe('Number of rows that are no longer in the table'),
  })
  .describe('What the change did to rows');
export type RowCounts = z.infer<typeof rowCounts>;

export const tablePlans = z
  .array(
    z
      .object({ planId: z.string().describe('Id of the plan (UUID)'), name: z.string().describe('Name of the plan') })
      .describe('A plan'),
  )
  .describe('Plans with an active version that names the table');

const names = { name: z.string().describe('Name of the table') };
const revision = z.int().describe('Number of the latest change; send it with the next one');

const ofKind = z
  .object({
    rate: z.number().optional().describe('Share of the base: 0.1 is 10 %'),
    amount: z.number().optional().describe('Fixed amount of money'),
    perUnit: z.number().optional().describe('Amount for each unit of the line'),
  })
  .describe('A number of its own kind');

export const tableRow = rateTableContent.rows.element
  .extend({
    values: z
      .record(z.string(), z.union([z.number(), ofKind]).describe('A number of the kind of the column, or of its own'))
      .describe('A value in each column'),
  })
  .describe('A row');

export const rateTable = z
  .object({ ...names, ...rateTableContent, rows: z.array(tableRow).describe('The rows'), revision, plans: tablePlans })
  .describe('A rate table');

export const rateTableSummary = z
  .object({
    ...names,
    keys: rateTableContent.keys,
    columns: rateTableContent.columns,
    rows: z.int().describe('Number of rows'),
    revision,
    plans: tablePlans,
  })
  .describe('A rate table without its rows');

export function rateTableNotFound(): Failure {
  return new Failure('rate_table_not_found', 'There is no such rate table in this workspace.');
}

/** Rejects a table that has no meaning. */
export function assertSound(table: RateTable): void {
  const { length } = table.rows;
  if (length > maxTableRows)
    throw invalid({ path: 'rows', message: `with those of other days there are ${length}, at most ${maxTableRows}` });
  const problems = [...rateTableProblems(table)];
  const coded = problems.find(({ code }) => code !== undefined);
  if (coded?.code !== undefined) throw new Failure(coded.code, `${coded.path} ${coded.message}.`, { path: coded.path });
  const [first, ...rest] = problems;
  if (first !== undefined) throw invalid(first, ...rest);
}

export const tableContentExample = {
  keys: [{ name: 'family', field: 'line.family', match: 'exact' as const }],
  columns: [{ name: 'base', kind: 'rate' as const }],
  rows: [
    { keys: { family: 'software' }, values: { base: 0.1 } },
    { keys: { family: '*' }, values: { base: 0.03 } },
  ],
  noMatch: 'exception' as const,
};

export const rateTableExample = {
  name: 'Products',
  ...tableContentExample,
  revision: 1,
  plans: [{ planId: sampleIds.planId, name: 'AE' }],
};
