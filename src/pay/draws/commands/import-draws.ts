import { type z } from 'zod';
import { type Caller } from '../../../kernel/caller.js';
import { newId } from '../../../kernel/ids.js';
import { readValue } from '../../../kernel/invalid-values.js';
import { loadWorkspaceTerms } from '../../../ledger/input/rep-terms.js';
import { loadRepsOfRows } from '../../../people/reps/reps-of-rows.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { type CellReader, currencyOfRow, filled } from '../../../platform/files/cells.js';
import { type TableRow } from '../../../platform/files/csv-table.js';
import {
  csvImport,
  csvImportExample,
  describeImport,
  importQuery,
  importResults,
  readImport,
  readRowsInSlices,
  rejectedRow,
} from '../../../platform/files/import-results.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { exactAmount } from '../../../platform/operations/money-digits.js';
import { operation } from '../../../platform/operations/operation.js';
import { flag } from '../../../platform/operations/schemas.js';
import { optionalDrawEffect, runDrawChange } from '../../payables/change-draw.js';
import { assertDrawTerms, assertNotOwnDraw, type Draw, drawTerms } from '../draw.js';
import {
  assertNoOverlap,
  assertOpenDays,
  assertPayoutsOn,
  changedDays,
  type DrawTerms,
  insertDraw,
  removeDraw,
  updateDrawRow,
} from '../draw-store.js';
import { listDraws } from '../draw-views.js';

const columns = {
  names: {
    email: ['rep', 'repEmail', 'e-mail'],
    kind: ['type'],
    recoverable: [],
    amount: ['amountPerPeriod'],
    currency: [],
    from: ['start', 'firstDay'],
    to: ['end', 'lastDay'],
    recoveryStart: [],
    recoveryDay: [],
    maxPercent: ['recoveryPercent'],
    forgiveOn: [],
  },
  required: ['email', 'kind', 'recoverable', 'amount', 'from'],
} as const;
type Row = TableRow<keyof (typeof columns)['names']>;

const query = importQuery.extend({
  effect: flag.default(false).describe('true with dryRun: also what the file would do to pay'),
});

const response = importResults.extend({ effect: optionalDrawEffect });

type Entered = Omit<DrawTerms, 'drawId'>;

function readRow({ cells }: Row, repId: string, reader: CellReader, currency: string): Entered {
  const dayOrNull = (name: 'to' | 'recoveryDay' | 'forgiveOn') => reader.day(name, cells[name]) ?? null;
  const amount = filled('amount', reader.amount('amount', cells.amount));
  const maxPercent = reader.percent('maxPercent', cells.maxPercent);
  const read = readValue(drawTerms, {
    repId,
    kind: cells.kind?.toLowerCase(),
    recoverable: filled('recoverable', reader.flag('recoverable', cells.recoverable)),
    amount: amount.value,
    currency: (currencyOfRow([amount], cells.currency, currency) ?? currency).toUpperCase(),
    from: filled('from', reader.day('from', cells.from)),
    to: dayOrNull('to'),
    recovery: {
      ...(cells.recoveryStart === undefined ? {} : { start: cells.recoveryStart.toLowerCase() }),
      day: dayOrNull('recoveryDay'),
      ...(maxPercent === undefined ? {} : { maxPercent: Number(maxPercent) }),
      forgiveOn: dayOrNull('forgiveOn'),
    },
  });
  if ('issues' in read) throw rejectedRow(read.issues.map(({ path, message }) => `${path}: ${message}`).join('; '));
  const terms = { ...read.value, currency: read.value.currency ?? currency };
  assertDrawTerms(terms);
  return terms;
}

/** Stores the row as a new draw, or in place of the draw of the kind that begins on the same day. */
async function storeRow(
  tx: Transaction,
  caller: Caller,
  entered: Entered,
): Promise<'created' | 'changed' | 'unchanged'> {
  assertNotOwnDraw(caller, entered.repId);
  exactAmount(entered.amount, entered.currency);
  const stored = await listDraws(tx, { repIds: [entered.repId] });
  const before = stored.find(({ kind, from }) => kind === entered.kind && from === entered.from);
  const terms = { ...entered, drawId: before?.drawId ?? newId() };
  await assertNoOverlap(tx, terms);
  if (before === undefined) {
    await assertOpenDays(tx, terms.repId, terms);
    await insertDraw(tx, terms, caller.actor);
    return 'created';
  }
  if (grantsTheSame(before, terms)) {
    if (before.to === terms.to && JSON.stringify(before.recovery) === JSON.stringify(terms.recovery))
      return 'unchanged';
    if (before.to !== terms.to) await assertOpenDays(tx, terms.repId, changedDays(before.to, terms.to));
    await updateDrawRow(tx, terms);
    return 'changed';
  }
  await assertOpenDays(tx, terms.repId, before);
  await assertOpenDays(tx, terms.repId, terms);
  await removeDraw(tx, before.drawId);
  await insertDraw(tx, { ...terms, drawId: newId() }, caller.actor);
  return 'changed';
}

function grantsTheSame(before: Draw, after: Entered): boolean {
  return (
    before.recoverable === after.recoverable && before.amount === after.amount && before.currency === after.currency
  );
}

export const importDraws = operation({
  id: 'importDraws',
  summary:
    'Enter draws from a CSV file, one for each row, by e-mail address; a row replaces the draw of its kind that begins on the same day',
  ...csvImport,
  path: '/v1/draws/import',
  query,
  response,
  failures: { no_known_columns: 400, payouts_off: 409 },
  example: csvImportExample(
    'email,kind,recoverable,amount,from,to\nben@acme.test,guarantee,yes,2000,2026-01-01,2026-03-31\n',
  ),
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: given, body }, caller, uses): Promise<z.input<typeof response>> {
    const { dryRun, effect: withEffect } = given;
    const { rows, reader } = await readImport(body, given, columns, ['amount', 'maxPercent']);
    const { effect, ...results } = await runDrawChange(uses, caller, dryRun, async (tx) => {
      await assertPayoutsOn(tx);
      const { currency } = await loadWorkspaceTerms(tx);
      const reps = await loadRepsOfRows(tx, rows);
      return {
        repIds: withEffect ? reps.repIds : [],
        store: async () => {
          const read = await readRowsInSlices(rows, async (row) => {
            const entered = readRow(row, reps.find(row), reader, currency);
            return { outcome: await storeRow(tx, caller, entered), repId: entered.repId };
          });
          return describeImport(tx, rows, read, dryRun);
        },
      };
    });
    return { ...results, ...(withEffect && effect !== undefined ? { effect } : {}) };
  },
});
