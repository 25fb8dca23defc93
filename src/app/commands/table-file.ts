import { z } from 'zod';
import { parseFile, sortKeys } from './yaml-file.js';

/** A rate table as a file: its name and the fields of PUT /v1/rate-tables/:name. */
export interface TableFile {
  readonly name: string;
  readonly currency?: string | null | undefined;
  readonly noMatch?: string | undefined;
  readonly keys: readonly unknown[];
  readonly columns: readonly unknown[];
  readonly rows: readonly unknown[];
}

/** The server checks the values; the file itself needs only its form. */
const tableFile = z.strictObject({
  name: z.string().min(1),
  currency: z.string().nullish(),
  noMatch: z.string().optional(),
  keys: z.array(z.unknown()),
  columns: z.array(z.unknown()),
  rows: z.array(z.unknown()),
});

export function readTableFile(text: string, file: string): TableFile {
  return normalizeTable(parseFile(text, file, tableFile));
}

/** Omits what is not set, and `noMatch` if it is the default. */
export function normalizeTable({ name, currency, noMatch, keys, columns, rows }: TableFile): TableFile {
  const table = {
    name,
    currency: currency ?? undefined,
    noMatch: noMatch === 'exception' ? undefined : noMatch,
    keys,
    columns,
    rows,
  };
  return sortKeys(table) as TableFile;
}
