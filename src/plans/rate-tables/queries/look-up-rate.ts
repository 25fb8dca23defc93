import { z } from 'zod';
import { type FieldValue } from '../../../engine/field-value.js';
import { findNearestRows, findRow } from '../../../engine/rate-lookup.js';
import { rejectAny } from '../../../kernel/failure.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { day } from '../../../platform/operations/schemas.js';
import { existing } from '../change-rate-table.js';
import { rateTableExample, tableParams, tableRow } from '../rate-table.js';
import { findTableRevision } from '../rate-table-views.js';

const value = z.union([z.string().max(500), z.number(), z.array(z.string().max(500)).max(100)]);

const body = z.strictObject({
  values: z
    .record(z.string(), value)
    .describe('What is looked up: a value for each key by its name; a key without one is absent'),
  day: day.optional().describe('Day on which the row must hold, YYYY-MM-DD; today by default'),
});

const response = z.object({
  row: tableRow.nullable().describe('The row that counts; null if none matches'),
  nearest: z
    .array(
      z
        .object({
          row: tableRow,
          differing: z.array(z.string()).describe('Names of the keys in which the row does not match'),
        })
        .describe('A row that does not match'),
    )
    .describe('Without a row: at most 5 rows that differ in the fewest keys'),
});

export const lookUpRate = operation({
  id: 'lookUpRate',
  summary: 'The row of a rate table that counts for values, or the nearest rows',
  method: 'post',
  path: '/v1/rate-tables/:name/lookup',
  access: 'manager',
  scope: 'read',
  reads: true,
  params: tableParams,
  body,
  response,
  failures: { rate_table_not_found: 404 },
  example: {
    params: { name: 'Products' },
    body: { values: { family: 'software' }, day: '2026-02-10' },
    response: { row: rateTableExample.rows[0], nearest: [] },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { name }, body: { values, day: given } }, caller, { unitOfWork, clock }) {
    return unitOfWork.run(caller, { lock: 'none', access: 'read' }, async (tx) => {
      const table = existing((await findTableRevision(tx, name))?.table ?? null);
      const unknown = Object.keys(values).filter((key) => !table.keys.some((one) => one.name === key));
      rejectAny(unknown.map((key) => ({ path: `values.${key}`, message: 'is no key of the table' })));
      const on = given ?? (await workspaceToday(tx, clock));
      const looked = table.keys.map((key): FieldValue | undefined => values[key.name]);
      const row = findRow(table, looked, on);
      return { row, nearest: row === null ? findNearestRows(table, looked, on) : [] };
    });
  },
});
