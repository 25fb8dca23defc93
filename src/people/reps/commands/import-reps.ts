import { type PersonField } from '../../../access/workspaces/workspace-tables.js';
import { type Caller } from '../../../kernel/caller.js';
import { type Clock } from '../../../kernel/clock.js';
import { type Day } from '../../../kernel/day.js';
import { Failure, InvalidRequest } from '../../../kernel/failure.js';
import { groupBy } from '../../../kernel/group-by.js';
import { readValue } from '../../../kernel/invalid-values.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { setAuditCounts } from '../../../platform/database/audit-counts.js';
import { withDryRun } from '../../../platform/database/dry-run.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { type CellReader } from '../../../platform/files/cells.js';
import { readCsvTable, type TableRow } from '../../../platform/files/csv-table.js';
import { recordingImport } from '../../../platform/files/facts.js';
import {
  cellReader,
  countOutcomes,
  csvImport,
  csvImportExample,
  importQuery,
  type RowOutcome,
  readRowsInSlices,
  rejectedRow,
  toImportResponse,
  toRowResult,
} from '../../../platform/files/import-results.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation, type StreamedBody } from '../../../platform/operations/operation.js';
import { OwnPayrollId } from '../payroll-ids.js';
import { personFacts } from '../person-facts.js';
import { listPersonFields } from '../person-field-views.js';
import { findRepIdsByEmail, workspaceToday } from '../rep-views.js';
import { runPeopleChange } from '../run-people-change.js';
import { type Person, person, type UpsertedPerson, unknownManager, upsertPeople } from '../upsert-people.js';

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
    title: ['jobTitle', 'position'],
    team: ['department', 'salesTeam'],
    location: ['office', 'city'],
    hireDate: ['startDate', 'employedFrom'],
    endDate: ['employedTo'],
    payCurrency: ['currencyOfPayment'],
    payCurrencyFrom: [],
  },
  required: ['email'],
} as const;
type FieldColumn = `fields.${string}`;
type Row = TableRow<keyof (typeof columns)['names'] | FieldColumn>;

/** Columns with rights, which callers without the right to change them send without effect. */
const ofRights: readonly string[] = ['role', 'active', 'payrollId'] satisfies readonly (keyof typeof columns.names)[];

function withoutRights(row: Row): Row {
  return { ...row, cells: Object.fromEntries(Object.entries(row.cells).filter(([name]) => !ofRights.includes(name))) };
}

/** The columns of a file, with those of the fields that the workspace defines, by slug or label. */
function columnsWith(fields: readonly PersonField[]) {
  const ofFields = fields.map(({ slug, label }) => [`fields.${slug}` as const, [slug, label]] as const);
  return {
    names: { ...(Object.fromEntries(ofFields) as Record<FieldColumn, readonly string[]>), ...columns.names },
    required: columns.required,
  };
}

/** The values of the fields by slug. */
function readFields(
  cells: Row['cells'],
  definitions: readonly PersonField[],
  reader: CellReader,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { slug, label, type } of definitions) {
    const cell = cells[`fields.${slug}`];
    const value = type === 'date' ? reader.day(label, cell) : type === 'number' ? reader.number(label, cell) : cell;
    if (value !== undefined) values[slug] = value;
  }
  return values;
}

const personRow = person.partial({ name: true });

async function upsert(
  caller: Caller,
  people: ReadonlyMap<Row, Person>,
  { dryRun, rejected }: { readonly dryRun: boolean; readonly rejected: number },
  changes: CommissionChanges,
  clock: Clock,
): Promise<readonly UpsertedPerson[]> {
  return withDryRun(dryRun, (end) =>
    runPeopleChange(changes, caller, async (tx, recalculate, beforeCommissionChange) => {
      const today = await workspaceToday(tx, clock);
      const context = { caller, today, beforeCommissionChange };
      const rows = [...people].map(([{ row }, fact]) => ({ row, fact: { email: fact.email } }));
      const upserted = await recordingImport(tx, personFacts, rows, () =>
        upsertPeople(tx, recalculate, context, [...people.values()]),
      );
      setAuditCounts(tx, { ...countOutcomes(upserted), rejected });
      return end(upserted);
    }),
  );
}

/** The person of a row. An empty cell leaves the value unchanged. */
function readPerson({ cells }: Row, reader: CellReader, definitions: readonly PersonField[]): Person {
  const { role, active, managerFrom, hireDate, endDate, payCurrencyFrom, ...others } = cells;
  const same = Object.fromEntries(Object.entries(others).filter(([name]) => !name.startsWith('fields.')));
  const fields = readFields(cells, definitions, reader);
  const days: Partial<Record<'managerFrom' | 'hireDate' | 'endDate' | 'payCurrencyFrom', Day>> = {};
  for (const [name, cell] of Object.entries({ managerFrom, hireDate, endDate, payCurrencyFrom })) {
    const read = reader.day(name, cell);
    if (read !== undefined) days[name as keyof typeof days] = read;
  }
  const isActive = reader.flag('active', active);
  const values = {
    ...same,
    ...(role === undefined ? {} : { role: role.toLowerCase() }),
    ...(isActive === undefined ? {} : { active: isActive }),
    ...days,
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
  };
  const read = readValue(personRow, values);
  if ('value' in read) return read.value;
  const [{ path, message }] = read.issues;
  throw rejectedRow(`${path}: ${message}`);
}

/** The rows of a file that may be written, and why the others are rejected. */
interface Sorted {
  readonly people: Map<Row, Person>;
  readonly rejected: Map<Row, Failure>;
}

function reject({ people, rejected }: Sorted, row: Row, reason: string): void {
  people.delete(row);
  rejected.set(row, rejectedRow(reason));
}

/** Rejects the rows that the error names. Returns whether there are any. */
function rejectNamed(sorted: Sorted, error: unknown): boolean {
  const rows = [...sorted.people.keys()];
  if (error instanceof OwnPayrollId) reject(sorted, rows[error.index] as Row, `payrollId: ${error.message}`);
  const issues = error instanceof InvalidRequest ? error.issues : [];
  for (const { path, message } of issues) {
    const [, index, field] = /^reps\.(\d+)\.([\w.]+)$/.exec(path) ?? [];
    if (index !== undefined) reject(sorted, rows[Number(index)] as Row, `${field}: ${message}`);
  }
  return sorted.people.size < rows.length;
}

/** Rejects the rows whose manager is neither stored nor in a row that may be written, and the rows below them. */
function rejectBelow(sorted: Sorted, stored: ReadonlyMap<string, string>): void {
  const people = [...sorted.people];
  const known = new Set([...stored.keys(), ...people.map(([, { email }]) => email)]);
  const reports = groupBy(people, ([, { managerEmail }]) => managerEmail);
  const orphans = people.filter(([, { managerEmail }]) => managerEmail && !known.has(managerEmail));
  for (const [row, { email, managerEmail }] of orphans) {
    reject(sorted, row, `managerEmail: ${unknownManager(managerEmail ?? '')}`);
    if (!stored.has(email)) orphans.push(...(reports.get(email) ?? []));
  }
}

/** Rows that pass on a member id to each other are rejected one in a round. */
const maxRounds = 20;

/**
 * Writes the rows that can be written together. Rows with issues are rejected, and the others are tried again. After
 * the last round all rows that are left are rejected.
 */
async function writeValid(
  sorted: Sorted,
  write: (people: ReadonlyMap<Row, Person>) => Promise<readonly UpsertedPerson[]>,
  storedReps: (emails: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<ReadonlyMap<Row, UpsertedPerson>> {
  const { people } = sorted;
  let stored: ReadonlyMap<string, string> | null = null;
  for (let round = 1; people.size > 0; round += 1) {
    const rows = [...people.keys()];
    try {
      const written = await write(people);
      return new Map(rows.map((row, index) => [row, written[index] as UpsertedPerson]));
    } catch (error) {
      if (!rejectNamed(sorted, error)) throw error;
      stored ??= await storedReps(
        [...people.values()].flatMap(({ email, managerEmail }) => [email, managerEmail ?? email]),
      );
      rejectBelow(sorted, stored);
      if (round === maxRounds)
        for (const row of people.keys())
          reject(sorted, row, 'other rows are invalid, and were rejected; send this row again');
    }
  }
  return new Map();
}

export const importReps = operation({
  id: 'importReps',
  summary: 'Create or change people from a CSV file, by e-mail address, with a result for each row',
  ...csvImport,
  path: '/v1/reps/import',
  stepUp: ({ query: { dryRun } }) => !dryRun,
  query: importQuery,
  failures: { no_known_columns: 400, rep_limit_reached: 403, last_admin: 409 },
  example: csvImportExample('email,name,role,managerEmail\nben@acme.test,Ben,rep,mia@acme.test\n'),
  uses: { changes: CommissionChanges, unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: { dryRun, delimiter, ...format }, body }, caller, { changes, unitOfWork, clock }) {
    const fields = await unitOfWork.read(caller, listPersonFields);
    const sent: readonly Row[] = await readCsvTable((body as StreamedBody).stream, delimiter, columnsWith(fields));
    const rows = caller.mayChangeRights === false ? sent.map(withoutRights) : sent;
    const sorted: Sorted = { people: new Map(), rejected: new Map() };
    const numbers = fields.flatMap(({ slug, type }) => (type === 'number' ? [`fields.${slug}` as const] : []));
    const reader = cellReader(format, rows, numbers);
    const reads = await readRowsInSlices(rows, (row) => readPerson(row, reader, fields));
    for (const [index, read] of reads.entries()) {
      const row = rows[index] as Row;
      if (read instanceof Failure) sorted.rejected.set(row, read);
      else sorted.people.set(row, read);
    }
    const written = await writeValid(
      sorted,
      (people) => upsert(caller, people, { dryRun, rejected: sorted.rejected.size }, changes, clock),
      (emails) => unitOfWork.read(caller, (tx) => findRepIdsByEmail(tx, emails)),
    );
    return toImportResponse(
      rows.map((row) => toRowResult(row, (written.get(row) ?? sorted.rejected.get(row)) as RowOutcome)),
      dryRun,
    );
  },
});
