import { comparableText } from '../../../kernel/comparable-text.js';
import { type Day, earliestDay, latestDay, overlap } from '../../../kernel/day.js';
import { assertEffectiveDayOrder } from '../../../kernel/day-order.js';
import { Failure } from '../../../kernel/failure.js';
import { getOrInsert } from '../../../kernel/get-or-insert.js';
import { groupBy } from '../../../kernel/group-by.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../../ledger/requests/recalculate.js';
import { findPlanIdsByName } from '../../../plans/plan-views.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { type CellReader } from '../../../platform/files/cells.js';
import { type TableRow } from '../../../platform/files/csv-table.js';
import {
  csvImport,
  csvImportExample,
  describeImport,
  type ImportResults,
  importQuery,
  type RowOutcome,
  readImport,
  readRowsInSlices,
  rejectedRow,
} from '../../../platform/files/import-results.js';
import { operation } from '../../../platform/operations/operation.js';
import { listRamps } from '../../ramps/ramp-views.js';
import { loadRepsOfRows } from '../../reps/reps-of-rows.js';
import { insertAssignments, recalculateAssigned } from '../assignment-store.js';
import { listAssignments } from '../assignment-views.js';

const columns = {
  names: {
    email: ['rep', 'repEmail', 'e-mail'],
    plan: ['planName'],
    effectiveStart: ['start', 'from'],
    effectiveEnd: ['end', 'to'],
    ramp: ['rampName'],
    rampFrom: ['rampStart'],
  },
  required: ['email', 'plan'],
} as const;
type Row = TableRow<keyof (typeof columns)['names']>;

interface AssignedDays {
  readonly start: Day | null;
  readonly end: Day | null;
}

interface ParsedRow extends AssignedDays {
  readonly repId: string;
  readonly planId: string;
  readonly rampId: string | null;
  readonly rampFrom: Day | null;
}

function placementKey({ planId, start, end, rampId, rampFrom }: ParsedRow): string {
  return [planId, start, end, rampId, rampFrom].join('|');
}

/** Inserts assignments to the same plan on the same days, with the same ramp. */
async function insertGroup(tx: Transaction, recalculate: Recalculate, group: readonly ParsedRow[]): Promise<void> {
  const [placement] = group as readonly [ParsedRow, ...ParsedRow[]];
  const repIds = group.map(({ repId }) => repId);
  await insertAssignments(tx, repIds, placement);
  await recalculateAssigned(tx, recalculate, placement.planId, repIds);
}

async function readRows(tx: Transaction, rows: readonly Row[], reader: CellReader): Promise<(ParsedRow | Failure)[]> {
  const reps = await loadRepsOfRows(tx, rows);
  const plans = await findPlanIdsByName(tx);
  const ramps = new Map((await listRamps(tx)).map(({ name, rampId }) => [comparableText(name), rampId]));
  const findRampId = (name: string): string => {
    const rampId = ramps.get(comparableText(name));
    if (rampId === undefined) throw new Failure('ramp_not_found', `No ramp has the name ${name}.`);
    return rampId;
  };
  const parse = (row: Row): ParsedRow => {
    const { plan = '', ramp } = row.cells;
    const readDay = (name: 'effectiveStart' | 'effectiveEnd' | 'rampFrom') => reader.day(name, row.cells[name]) ?? null;
    const repId = reps.find(row);
    const [planId] = plans.find(plan);
    const [start, end] = [readDay('effectiveStart'), readDay('effectiveEnd')];
    assertEffectiveDayOrder(start, end);
    const rampId = ramp === undefined ? null : findRampId(ramp);
    const rampFrom = readDay('rampFrom');
    if (rampId === null && rampFrom !== null) throw rejectedRow('rampFrom: needs a ramp');
    return { repId, planId: planId as string, start, end, rampId, rampFrom };
  };
  return readRowsInSlices(rows, parse);
}

/** Decides for each row whether it creates an assignment, changes nothing or is rejected. */
async function compareWithStored(
  tx: Transaction,
  parsedRows: readonly (ParsedRow | Failure)[],
): Promise<{ outcomes: RowOutcome[]; created: ParsedRow[] }> {
  const valid = parsedRows.filter((row): row is ParsedRow => !(row instanceof Failure));
  const repIds = [...new Set(valid.map(({ repId }) => repId))];
  const stored = (await listAssignments(tx, { repIds })).map((assignment) => ({
    ...assignment,
    start: assignment.effectiveStart,
    end: assignment.effectiveEnd,
  }));
  const daysByRepAndPlan = new Map<string, AssignedDays[]>(
    groupBy(stored, ({ repId, planId }) => `${repId}|${planId}`),
  );
  const created: ParsedRow[] = [];
  const outcomes = parsedRows.map((parsed): RowOutcome => {
    if (parsed instanceof Failure) return parsed;
    const { repId, planId, start, end } = parsed;
    const key = `${repId}|${planId}`;
    const others = getOrInsert(daysByRepAndPlan, key, () => []);
    if (others.some((other) => other.start === start && other.end === end)) return { outcome: 'unchanged', repId };
    if (others.some((other) => overlap(toRange(other), toRange(parsed)))) return assignmentOverlap;
    others.push(parsed);
    created.push(parsed);
    return { outcome: 'created', repId };
  });
  return { outcomes, created };
}

const assignmentOverlap = new Failure(
  'assignment_overlap',
  'The rep already has an assignment to this plan on some of these days.',
);

function toRange({ start, end }: AssignedDays) {
  return { from: start ?? earliestDay, to: end ?? latestDay };
}

export const importAssignments = operation({
  id: 'importAssignments',
  summary: 'Assign reps to plans from a CSV file: one assignment for each rep, by e-mail address, and plan, by name',
  ...csvImport,
  path: '/v1/assignments/import',
  query: importQuery,
  failures: { no_known_columns: 400 },
  example: csvImportExample('email,plan,effectiveStart\nben@acme.test,AE,2026-01-01\n'),
  uses: { changes: CommissionChanges },
  /** Creates one assignment for each row. Existing assignments are unchanged; invalid rows are reported. */
  async execute({ query: given, body }, caller, { changes }) {
    const { dryRun } = given;
    const { rows, reader } = await readImport(body, given, columns);
    return changes.run(caller, 'exclusive', async (tx, recalculate): Promise<ImportResults> => {
      const parsed = await readRows(tx, rows, reader);
      const { outcomes, created } = await compareWithStored(tx, parsed);
      if (!dryRun)
        for (const group of groupBy(created, placementKey).values()) await insertGroup(tx, recalculate, group);
      return describeImport(tx, rows, outcomes, dryRun);
    });
  },
});
