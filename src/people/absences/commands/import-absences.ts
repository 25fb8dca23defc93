import { z } from 'zod';
import { type DayRange, hull, overlap } from '../../../kernel/day.js';
import { assertDayOrder } from '../../../kernel/day-order.js';
import { Failure } from '../../../kernel/failure.js';
import { groupBy } from '../../../kernel/group-by.js';
import { newId } from '../../../kernel/ids.js';
import { readValue } from '../../../kernel/invalid-values.js';
import { loadCalendar } from '../../../ledger/input/calendar.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { type CellReader, filled } from '../../../platform/files/cells.js';
import { type TableRow } from '../../../platform/files/csv-table.js';
import {
  csvImport,
  csvImportExample,
  describeImport,
  importQuery,
  importResults,
  type RowOutcome,
  readImport,
  readRowsInSlices,
  rejectedRow,
} from '../../../platform/files/import-results.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { flag } from '../../../platform/operations/schemas.js';
import { previewPersonalWrite } from '../../../simulation/preview-write.js';
import { loadAffectedWithin, personalEffect } from '../../../simulation/write-effect.js';
import { loadRepsOfRows } from '../../reps/reps-of-rows.js';
import { type Absence, absenceOverlap, absenceTerms } from '../absence.js';
import { storeAbsence } from '../absence-store.js';
import { listAbsences } from '../absence-views.js';
import { startsOn } from '../change-absence.js';

const columns = {
  names: {
    email: ['rep', 'repEmail', 'e-mail'],
    from: ['start', 'firstDay'],
    to: ['end', 'lastDay'],
    quotaRelief: ['relief'],
    variableRelief: [],
    note: ['reason'],
  },
  required: ['email', 'from', 'to'],
} as const;
type Row = TableRow<keyof (typeof columns)['names']>;

const comparedTerms = ['from', 'to', 'quotaRelief', 'variableRelief', 'note'] as const;

const query = importQuery.extend({
  effect: flag.default(false).describe('true with dryRun: also what the file would do to commission'),
});

const response = importResults.extend({
  effect: personalEffect
    .nullable()
    .optional()
    .describe('With effect=true. null: the people have more deals than can be calculated at once'),
});

/** A row with its absence, and the stored one that it replaces. */
interface DecidedRow {
  readonly absence: Absence;
  readonly before: Absence | undefined;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

async function readRows(tx: Transaction, rows: readonly Row[], reader: CellReader): Promise<(DecidedRow | Failure)[]> {
  const reps = await loadRepsOfRows(tx, rows);
  const stored = groupBy(await listAbsences(tx, { repIds: reps.repIds }), ({ repId }) => repId);
  return readRowsInSlices(rows, (row) => {
    const absence = readAbsence(row, reps.find(row), reader);
    const others = stored.get(absence.repId) ?? [];
    const before = others.find(startsOn(absence));
    const decided = { ...absence, absenceId: before?.absenceId ?? newId() };
    const kept = others.filter((other) => other !== before);
    const overlapping = kept.find((other) => overlap(other, decided));
    if (overlapping !== undefined) throw absenceOverlap(overlapping);
    stored.set(absence.repId, [...kept, decided]);
    const isSame = before !== undefined && comparedTerms.every((name) => before[name] === decided[name]);
    return { absence: decided, before, outcome: before === undefined ? 'created' : isSame ? 'unchanged' : 'changed' };
  });
}

/** Reads one row; the id is that of a new absence. */
function readAbsence({ cells }: Row, repId: string, reader: CellReader): Absence {
  const { quotaRelief, variableRelief, note = null } = cells;
  const from = filled('from', reader.day('from', cells.from));
  const to = filled('to', reader.day('to', cells.to));
  assertDayOrder(['from', from], ['to', to]);
  return {
    absenceId: '',
    repId,
    from,
    to,
    quotaRelief: readRelief(reader, 'quotaRelief', quotaRelief),
    variableRelief: readRelief(reader, 'variableRelief', variableRelief ?? quotaRelief),
    note: readTerm('note', absenceTerms.note, note),
  };
}

/** 100 % if the cell is empty. */
function readRelief(reader: CellReader, name: 'quotaRelief' | 'variableRelief', text: string | undefined): number {
  return readTerm(name, absenceTerms[name], Number(reader.percent(name, text) ?? 100));
}

function readTerm<T>(name: string, schema: Parameters<typeof readValue<T>>[0], value: unknown): T {
  const read = readValue(schema, value);
  if ('issues' in read) throw rejectedRow(`${name}: ${read.issues[0].message}`);
  return read.value;
}

export const importAbsences = operation({
  id: 'importAbsences',
  summary:
    'Enter absences from a CSV file, one for each row, by e-mail address; a row replaces the absence that begins on the same day',
  ...csvImport,
  path: '/v1/absences/import',
  query,
  response,
  failures: { no_known_columns: 400 },
  example: csvImportExample('email,from,to\nben@acme.test,2026-02-10,2026-03-11\n'),
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ query: given, body }, caller, uses): Promise<z.input<typeof response>> {
    const { dryRun } = given;
    const { rows, reader } = await readImport(body, given, columns, ['quotaRelief', 'variableRelief']);
    const describe = (tx: Transaction, read: readonly (DecidedRow | Failure)[]) =>
      describeImport(tx, rows, read.map(toOutcome), dryRun);
    if (dryRun && given.effect)
      return previewPersonalWrite(uses, caller, async (tx) => {
        const read = await readRows(tx, rows, reader);
        return {
          result: await describe(tx, read),
          affected: await loadAffectedWithin(tx, await storeChanges(tx, read)),
        };
      });
    return uses.changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const read = await readRows(tx, rows, reader);
      if (dryRun) return describe(tx, read);
      const affected = await storeChanges(tx, read);
      await recalculate([...affected].map(([repId, days]) => ({ repId, days, trigger: 'absence' })));
      return describe(tx, read);
    });
  },
});

function toOutcome(read: DecidedRow | Failure): RowOutcome {
  return read instanceof Failure ? read : { outcome: read.outcome, repId: read.absence.repId };
}

/** Stores the changed absences. Returns the people with the years that these touch. */
async function storeChanges(
  tx: Transaction,
  read: readonly (DecidedRow | Failure)[],
): Promise<ReadonlyMap<string, DayRange>> {
  const changed = read.filter(isChange);
  for (const { absence } of changed) await storeAbsence(tx, absence);
  const calendar = await loadCalendar(tx);
  return new Map(
    [...groupBy(changed, ({ absence }) => absence.repId)].map(([repId, ofRep]) => [
      repId,
      calendar.yearsAround(ofRep.flatMap(changedDays).reduce(hull)),
    ]),
  );
}

function isChange(row: DecidedRow | Failure): row is DecidedRow {
  return !(row instanceof Failure) && row.outcome !== 'unchanged';
}

function changedDays({ absence, before }: DecidedRow): DayRange[] {
  return before === undefined ? [absence] : [absence, before];
}
