import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type DateFormat, readDateText } from '../../kernel/date-text.js';
import { Failure, type Issue } from '../../kernel/failure.js';
import { readValue } from '../../kernel/invalid-values.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { CommissionChanges } from '../../ledger/commission-changes.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { readCsvTable, type TableRow } from '../../platform/files/csv-table.js';
import {
  csvImport,
  csvImportExample,
  datedImportQuery,
  importAnswer,
  type RowResult,
} from '../../platform/files/import-results.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation, type StreamedBody } from '../../platform/operation.js';
import { workspaceToday } from '../rep-views.js';
import { runPeopleChange } from '../run-people-change.js';
import { type Person, person, type UpsertedPerson, upsertPeople } from '../upsert-people.js';

const columns = {
  names: {
    email: ['rep', 'repEmail', 'e-mail'],
    name: ['fullName'],
    role: [],
    active: [],
    crmMemberId: ['memberId'],
    managerEmail: ['manager'],
    managerFrom: [],
    payrollId: [],
  },
  required: ['email'],
} as const;
type Row = TableRow<keyof (typeof columns)['names']>;

const personRow = person.partial({ name: true });

async function upsert(
  caller: Caller,
  people: readonly Person[],
  dryRun: boolean,
  changes: CommissionChanges,
  clock: Clock,
): Promise<readonly UpsertedPerson[]> {
  const { workspaceId } = caller;
  return withDryRun(dryRun, (end) =>
    runPeopleChange(changes, caller, async (trx, recalculate, beforeCommissionChange) => {
      const today = await workspaceToday(trx, workspaceId, clock);
      const context = { workspaceId, today, beforeCommissionChange };
      return end(await upsertPeople(trx, recalculate, context, people));
    }),
  );
}

const truths: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

/** The person of a row, or the reason for its rejection. An empty cell leaves the value unchanged. */
function readPerson({ cells, problem }: Row, dateFormat: DateFormat): Person | string {
  if (problem !== null) return problem;
  const { role, active, managerFrom, ...same } = cells;
  const from = managerFrom === undefined ? undefined : readDateText(managerFrom, dateFormat, 'UTC');
  if (from === null) return `managerFrom: ${managerFrom} is not a date in the format ${dateFormat}`;
  const isActive = active === undefined ? undefined : truths[active.toLowerCase()];
  if (active !== undefined && isActive === undefined) return `active: ${active} must be true or false`;
  const given = {
    ...same,
    ...(role === undefined ? {} : { role: role.toLowerCase() }),
    ...(isActive === undefined ? {} : { active: isActive }),
    ...(from === undefined ? {} : { managerFrom: from }),
  };
  const read = readValue(personRow, given);
  if ('value' in read) return read.value;
  const [{ path, message }] = read.issues;
  return `${path}: ${message}`;
}

/** The issues of a failure by the index of their row. */
function rowIssues(error: unknown): Map<number, string> {
  const issues = error instanceof Failure ? ((error.details?.['issues'] ?? []) as readonly Issue[]) : [];
  const named = issues.flatMap(({ path, message }) => {
    const [, index, field] = /^reps\.(\d+)\.(\w+)$/.exec(path) ?? [];
    return index === undefined ? [] : [[Number(index), `${field}: ${message}`] as const];
  });
  return new Map(named);
}

function resultOf({ row, cells }: Row, done: UpsertedPerson | undefined, reason: string | undefined): RowResult {
  const email = cells.email ?? null;
  if (done === undefined)
    return { row, outcome: 'rejected', email, repId: null, code: 'VALIDATION_FAILED', reason: reason ?? '' };
  return { row, outcome: done.outcome, email, repId: done.repId };
}

export const importReps = operation({
  id: 'importReps',
  summary: 'Create or change people from a CSV file, by e-mail address, with a result for each row',
  ...csvImport,
  path: '/v1/reps/import',
  stepUp: ({ query: { dryRun } }) => !dryRun,
  query: datedImportQuery,
  failures: { no_known_columns: 400, rep_limit_reached: 403, last_admin: 409 },
  example: csvImportExample('email,name,role,managerEmail\nben@acme.test,Ben,rep,mia@acme.test\n'),
  uses: [CommissionChanges, CLOCK],
  /** Rows with issues are rejected, and the others are tried again until all of them can be written. */
  async execute({ query: { dryRun, delimiter, dateFormat }, body }, caller, changes, clock) {
    const rows: readonly Row[] = await readCsvTable((body as StreamedBody).stream, delimiter, columns);
    const rejected = new Map<Row, string>();
    const people = new Map<Row, Person>();
    const reads = await mapInSlices(rows, (row) => [row, readPerson(row, dateFormat)] as const);
    for (const [row, read] of reads) {
      if (typeof read === 'string') rejected.set(row, read);
      else people.set(row, read);
    }
    for (;;) {
      const tried = [...people.keys()];
      try {
        const upserted = tried.length === 0 ? [] : await upsert(caller, [...people.values()], dryRun, changes, clock);
        const done = new Map(tried.map((row, index) => [row, upserted[index] as UpsertedPerson]));
        return importAnswer(
          rows.map((row) => resultOf(row, done.get(row), rejected.get(row))),
          dryRun,
        );
      } catch (error) {
        const issues = rowIssues(error);
        if (issues.size === 0) throw error;
        for (const [index, reason] of issues) {
          const row = tried[index] as Row;
          rejected.set(row, reason);
          people.delete(row);
        }
      }
    }
  },
});
