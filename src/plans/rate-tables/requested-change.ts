import { z } from 'zod';
import { type RateTable } from '../../engine/rate-table.js';
import { rateTableContent } from '../../engine/rate-table-input.js';
import { day, text } from '../../platform/operations/schemas.js';
import { type TableChange } from './change-rate-table.js';
import { replaceFrom, rowsSince } from './dated-rows.js';

/** The new content of a table. */
export const requestedTable = z.strictObject({
  ...rateTableContent,
  note: text(1000).optional().describe('Why the table changes, for its history'),
  from: day
    .optional()
    .describe(
      'First day of the new rows, YYYY-MM-DD: stored rows end the day before, and later ones are replaced. Absent: the table changes as if it had always been so',
    ),
  revision: z
    .int()
    .min(0)
    .optional()
    .describe(
      'The latest revision that the caller has seen, 0 for a new table. If there is a later one, nothing changes',
    ),
});

export const maxTableKeys = 400_000;

export const changeFailures = {
  value_missing: 400,
  rows_overlap: 400,
  field_not_dated: 400,
  table_changed: 409,
  rate_table_in_use: 409,
} as const;

export function toTableChange(
  name: string,
  { note = '', from, revision, ...content }: z.output<typeof requestedTable>,
): TableChange {
  const table = { name, ...content };
  const change = (stored: RateTable | null) => {
    if (from === undefined) return table;
    return stored === null ? { ...table, rows: rowsSince(table.rows, from) } : replaceFrom(stored, table, from);
  };
  return { name, note, seen: revision, change };
}
