import { fileColumns } from '../../../api/file-columns.js';
import { importOf, type ReadRow } from '../../../imports/import-of.js';
import { comparableText } from '../../../kernel/comparable-text.js';
import { assertEffectiveDayOrder } from '../../../kernel/day-order.js';
import { Failure } from '../../../kernel/failure.js';
import { findPlanIdsByName } from '../../../plans/plan-views.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { type CellReader } from '../../../platform/files/cells.js';
import { type TableRow } from '../../../platform/files/csv-table.js';
import { importQuery, importResults, readRowsInSlices, rejectedRow } from '../../../platform/files/import-results.js';
import { listRamps } from '../../ramps/ramp-views.js';
import { loadRepsOfRows } from '../../reps/reps-of-rows.js';
import { type AssignmentFact, assignmentFacts } from '../assignment-facts.js';

const columns = {
  names: fileColumns.assignments,
  required: ['email', 'plan'],
} as const;
type Row = TableRow<keyof typeof fileColumns.assignments>;

async function readRows(
  tx: Transaction,
  rows: readonly Row[],
  reader: CellReader,
): Promise<readonly ReadRow<AssignmentFact>[]> {
  const reps = await loadRepsOfRows(tx, rows);
  const plans = await findPlanIdsByName(tx);
  const ramps = new Map((await listRamps(tx)).map(({ name, rampId }) => [comparableText(name), rampId]));
  const findRampId = (name: string): string => {
    const rampId = ramps.get(comparableText(name));
    if (rampId === undefined) throw new Failure('ramp_not_found', `No ramp has the name ${name}.`);
    return rampId;
  };
  return readRowsInSlices(rows, (row) => {
    const { plan = '', ramp } = row.cells;
    const readDay = (name: 'effectiveStart' | 'effectiveEnd' | 'rampFrom') => reader.day(name, row.cells[name]);
    const repId = reps.find(row);
    const [planId] = plans.find(plan);
    const [start = null, end = null] = [readDay('effectiveStart'), readDay('effectiveEnd')];
    assertEffectiveDayOrder(start, end);
    const rampId = ramp === undefined ? undefined : findRampId(ramp);
    const rampFrom = readDay('rampFrom');
    if (rampId === undefined && rampFrom !== undefined) throw rejectedRow('rampFrom: needs a ramp');
    return { fact: { repId, planId: planId as string, start, end, rampId, rampFrom } };
  });
}

export const importAssignments = importOf(
  {
    id: 'importAssignments',
    summary: 'Assign reps to plans from a CSV file: one assignment for each rep, by e-mail address, and plan, by name',
    path: '/v1/assignments/import',
    query: importQuery,
    response: importResults,
    example: 'email,plan,effectiveStart\nben@acme.test,AE,2026-01-01\n',
  },
  {
    facts: assignmentFacts,
    columns,
    read: (tx, rows, { reader }) => readRows(tx, rows, reader),
    trigger: 'assignment_change',
  },
);
