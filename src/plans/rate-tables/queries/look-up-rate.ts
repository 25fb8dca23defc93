import { sql } from 'kysely';
import { z } from 'zod';
import { dealId } from '../../../deals/deal.js';
import { findCreditedDeal } from '../../../deals/deal-credit-views.js';
import { findNearestRows } from '../../../engine/rate-lookup.js';
import { type RateTable } from '../../../engine/rate-table.js';
import { type Caller } from '../../../kernel/caller.js';
import { type Day } from '../../../kernel/day.js';
import { Failure, invalid, rejectAny } from '../../../kernel/failure.js';
import { loadDealsWithLines } from '../../../ledger/input/load-window.js';
import { loadPersonFacts } from '../../../ledger/input/person-facts.js';
import { loadWorkspaceTerms } from '../../../ledger/input/rep-terms.js';
import { narrowedReps } from '../../../people/reps/rep.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { day, uuid } from '../../../platform/operations/schemas.js';
import { existing } from '../change-rate-table.js';
import { rateTableExample, tableParams, tableRow } from '../rate-table.js';
import { findTableRevision } from '../rate-table-views.js';
import { cellMatches, type KeyValues, keysReader, looksUpLines, lookUpRow } from '../table-lookup.js';

const value = z.union([z.string().max(500), z.number(), z.array(z.string().max(500)).max(100)]);

const body = z.strictObject({
  values: z
    .record(z.string(), value)
    .optional()
    .describe('What is looked up: a value for each key by its name; a key without one is absent'),
  dealId: dealId.optional().describe('In place of values: the deal whose values are looked up'),
  lineId: z.string().max(200).optional().describe('With dealId: the line, if the table looks up lines'),
  repId: uuid.optional().describe('With dealId: the person whose fields are looked up (UUID); the owner by default'),
  day: day
    .optional()
    .describe('Day on which the row must hold, YYYY-MM-DD; by default the close date of the deal, or today'),
});
type Body = z.output<typeof body>;

const response = z.object({
  row: tableRow.nullable().describe('The row that counts; null if none matches'),
  keys: z
    .array(
      z
        .object({
          name: z.string().describe('Name of the key'),
          value: z.unknown().describe('Value that was looked up; null if it is absent'),
          matched: z
            .enum(cellMatches)
            .nullable()
            .describe('How the cell of the row matches it; any: the cell is *. null without a row'),
        })
        .describe('A key'),
    )
    .describe('Why the row counts: the first key in which matching rows differ decides, and any counts last'),
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
  summary: 'The row of a rate table that counts for values or for a deal, or the nearest rows',
  method: 'post',
  path: '/v1/rate-tables/:name/lookup',
  access: 'manager',
  scope: 'read',
  reads: true,
  params: tableParams,
  body,
  response,
  failures: { rate_table_not_found: 404, deal_not_found: 404, line_not_found: 404 },
  tool: {
    name: 'look_up_rate',
    title: 'Look up rate',
    hints: effects.reads,
    description: {
      purpose: 'The row of a rate table for values of its keys, or the nearest rows.',
      useWhen: 'a person asks for a rate.',
      notFor: 'what a deal paid (get_commissions).',
      changes: 'nothing.',
    },
    arguments: {
      name: 'The table',
      values: { description: 'By name of the key', schema: () => ({ type: 'object' }), required: true },
      dealId: { always: undefined },
      lineId: { always: undefined },
      repId: { always: undefined },
      day: 'Today by default',
    },
    summary: ({ row, nearest }) => (row === null ? `No row; nearest rows: ${nearest.length}.` : 'One row.'),
  },
  example: {
    params: { name: 'Products' },
    body: { values: { family: 'software' } },
    response: {
      row: rateTableExample.rows[0],
      keys: [{ name: 'family', value: 'software', matched: 'exact' as const }],
      nearest: [],
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { name }, body: lookup }, caller, { unitOfWork, clock }) {
    if ((lookup.values === undefined) === (lookup.dealId === undefined))
      throw invalid({ path: 'values', message: 'give either values or dealId' });
    narrowedReps(caller, lookup.repId);
    return unitOfWork.run(caller, { lock: 'none', access: 'read' }, async (tx) => {
      const table = existing((await findTableRevision(tx, name))?.table ?? null);
      const today = await workspaceToday(tx, clock);
      const { values, on } =
        lookup.dealId === undefined
          ? { values: valuesByKey(table, lookup.values ?? {}), on: lookup.day ?? today }
          : await valuesOfDeal(tx, caller, table, { ...lookup, dealId: lookup.dealId, today });
      const { row, keys } = lookUpRow(table, values, on);
      return { row, keys: [...keys], nearest: row === null ? findNearestRows(table, values, on) : [] };
    });
  },
});

function valuesByKey({ keys }: RateTable, values: NonNullable<Body['values']>): KeyValues {
  const unknown = Object.keys(values).filter((key) => !keys.some((one) => one.name === key));
  rejectAny(unknown.map((key) => ({ path: `values.${key}`, message: 'is no key of the table' })));
  return keys.map((key) => values[key.name]);
}

async function valuesOfDeal(
  tx: Transaction,
  caller: Caller,
  table: RateTable,
  { dealId: id, lineId, repId, day: requestedDay, today }: Body & { readonly dealId: string; readonly today: Day },
): Promise<{ readonly values: KeyValues; readonly on: Day }> {
  await findCreditedDeal(tx, caller, id);
  const workspace = await loadWorkspaceTerms(tx);
  const [found] = await loadDealsWithLines(tx, { workspace }, sql`d.deal_id = ${id}`);
  if (found === undefined) throw new Error(`deal ${id} was not read`);
  if (looksUpLines(table) && lineId === undefined)
    throw invalid({ path: 'lineId', message: 'is required: the table looks up lines' });
  const line = found.deal.lines?.find((one) => one.lineId === lineId);
  if (lineId !== undefined && line === undefined)
    throw new Failure('line_not_found', 'The deal has no line with this id.', { lineId });
  const on = requestedDay ?? found.deal.closeDate ?? today;
  const person = repId ?? found.repId;
  const facts = person === null ? undefined : (await loadPersonFacts(tx, [person])).get(person);
  const source = line === undefined ? found.deal : { ...found.deal, line };
  return { values: keysReader(table, workspace.measures)(source, facts, on), on };
}
