import { type RawBuilder, sql } from 'kysely';
import { binaryArray, type Cell } from './binary-array.js';
import { type Transaction } from './unit-of-work.js';

/**
 * Rows as one SQL table expression, named `input`, with one binary array per column: one to two microseconds per row,
 * where the arrays of node-postgres take fifteen. A column with the same value in every row is sent as one value.
 */
export function unnestRows<Row>(
  rows: readonly Row[],
  columns: readonly (readonly [name: string, type: string, cell: (row: Row) => Cell])[],
): RawBuilder<Record<string, unknown>> {
  const names: RawBuilder<unknown>[] = [];
  const arrays: RawBuilder<unknown>[] = [];
  const constants: RawBuilder<unknown>[] = [];
  for (const [name, type, cell] of columns) {
    const cells = rows.map(cell);
    const [first = null] = cells;
    if (cells.every((other) => other === first)) {
      constants.push(sql`${first}::${sql.raw(type)} as ${sql.ref(name)}`);
      continue;
    }
    const array = binaryArray(type, cells);
    names.push(sql.ref(name));
    arrays.push(sql`${array.parameter}::${sql.raw(array.type)}[]::${sql.raw(type)}[]`);
  }
  if (arrays.length === 0)
    return sql`(select ${sql.join(constants)} from generate_series(1, ${sql.lit(rows.length)})) as input`;
  const differing = sql<Record<string, unknown>>`unnest(${sql.join(arrays)}) as input (${sql.join(names)})`;
  if (constants.length === 0) return differing;
  return sql`(select input.*, ${sql.join(constants)} from ${differing}) as input`;
}

/** `any` of the values, for a comparison with a column: one binary array. */
export function anyOf(type: string, values: readonly Cell[]): RawBuilder<unknown> {
  const array = binaryArray(type, values);
  return sql`any(${array.parameter}::${sql.raw(array.type)}[]::${sql.raw(type)}[])`;
}

const separator = '\u001f';
const absent = '\u001e';
const rowEnd = '\u001d';

/**
 * Reads many rows as one text and splits it: one microsecond per row, where node-postgres takes four to create a
 * value per cell and an object per row. Cells are PostgreSQL's text output; SQL null is null.
 */
export async function selectAsText(
  tx: Transaction,
  columns: readonly RawBuilder<unknown>[],
  from: RawBuilder<unknown>,
): Promise<(string | null)[][]> {
  const cells = columns.map((column) => sql`coalesce(${column}::text, ${sql.lit(absent)})`);
  const row = sql`concat_ws(${sql.lit(separator)}, ${sql.join(cells)})`;
  const { rows } = await sql<{ rows: string | null }>`
    select string_agg(${row}, ${sql.lit(rowEnd)}) as rows from ${from}`.execute(tx.db);
  const text = rows[0]?.rows ?? null;
  if (text === null) return [];
  return text.split(rowEnd).map((line) => {
    const values: (string | null)[] = line.split(separator);
    for (let index = 0; index < values.length; index += 1) if (values[index] === absent) values[index] = null;
    return values;
  });
}

/** Whether the text can be stored: no control characters except tab and line breaks, no broken surrogates. */
export function isStorable(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
  return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) && text.isWellFormed();
}
