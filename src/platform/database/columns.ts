import { type RawBuilder, sql } from 'kysely';
import { type Work } from './unit-of-work.js';

type Cell = string | number | null;

/**
 * Rows as one SQL table expression, sent column by column as joined text and split by the server: a few
 * microseconds a row where an array parameter costs fifteen. Cells must not hold the two separators, which no
 * stored text does: control characters are refused where text comes in.
 */
export function rowsFrom<Row>(
  rows: readonly Row[],
  columns: readonly (readonly [name: string, type: string, cell: (row: Row) => Cell])[],
): RawBuilder<Record<string, unknown>> {
  const texts = columns.map(([, type, cell]) => {
    // The closing separator and the slice keep a lone empty text from reading as an empty array.
    const joined = rows.map((row) => `${cell(row) ?? absent}${separator}`).join('');
    return sql`(string_to_array(${joined}, ${separator}, ${absent}))[1:${sql.lit(rows.length)}]::${sql.raw(type)}[]`;
  });
  const names = sql.join(columns.map(([name]) => sql.ref(name)));
  return sql`unnest(${sql.join(texts)}) as rows_from (${names})`;
}

const separator = '\u001f';
const absent = '\u001e';
const rowEnd = '\u001d';

/**
 * Many rows read as one text and split here: a microsecond a row where node-postgres takes four, since it makes a value
 * of every cell and an object of every row. Cells come as PostgreSQL writes them, null as null.
 */
export async function cellsOf(
  trx: Work,
  columns: readonly RawBuilder<unknown>[],
  from: RawBuilder<unknown>,
): Promise<(string | null)[][]> {
  const cells = columns.map((column) => sql`coalesce(${column}::text, ${sql.lit(absent)})`);
  const row = sql`concat_ws(${sql.lit(separator)}, ${sql.join(cells)})`;
  const { rows } = await sql<{ rows: string | null }>`
    select string_agg(${row}, ${sql.lit(rowEnd)}) as rows from ${from}`.execute(trx);
  const text = rows[0]?.rows ?? null;
  if (text === null) return [];
  return text.split(rowEnd).map((line) => {
    const values: (string | null)[] = line.split(separator);
    for (let index = 0; index < values.length; index += 1) if (values[index] === absent) values[index] = null;
    return values;
  });
}

/** Whether a text may stand in a cell: no control characters but tab and line breaks. */
export function isStorable(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be kept out
  return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) && text.isWellFormed();
}
