import { groupBy } from '#src/kernel/group-by.js';
import { type Condition, SoqlError, SoqlReader } from './fake-soql-reader.js';

/** A row of a fake object, by field name. */
export type FakeRow = Readonly<Record<string, unknown>>;

/** An object that can be queried. */
export interface FakeObject {
  readonly fields: ReadonlyMap<string, string>;
  /** Objects that a row refers to, by the name of the relationship, with the field that holds the id. */
  readonly parents?: Readonly<Record<string, { readonly object: string; readonly key: string }>>;
  rows(): readonly FakeRow[];
}

export type FakeCatalog = ReadonlyMap<string, FakeObject>;

export interface QueryResult {
  /** Type in the attributes of each record. */
  readonly type: string;
  readonly totalSize: number;
  readonly rows: readonly FakeRow[];
  record(row: FakeRow): FakeRow;
}

interface Column {
  readonly path: readonly string[];
  readonly type: string;
  read(row: FakeRow): unknown;
}

const aggregates: Readonly<Record<string, (values: readonly unknown[]) => unknown>> = {
  COUNT: (values) => values.length,
  SUM: (values) => values.reduce<number>((sum, value) => sum + Number(value), 0),
  MIN: (values) => values.reduce((least, value) => (order(value, least) < 0 ? value : least), values[0] ?? null),
  MAX: (values) => values.reduce((most, value) => (order(value, most) > 0 ? value : most), values[0] ?? null),
  AVG: (values) =>
    values.length === 0 ? null : values.reduce<number>((sum, value) => sum + Number(value), 0) / values.length,
};

/** Longer queries, and longer lists, are too complicated for the vendor. */
const maxQueryLength = 100_000;
const maxConditions = 500;

/** Executes a query in the vendor's language, and rejects what the vendor rejects. */
export function runSoql(text: string, catalog: FakeCatalog, withDeleted: boolean): QueryResult {
  if (text.length > maxQueryLength) throw new SoqlError('QUERY_TOO_COMPLICATED', 'Query is too long.');
  return new Execution(catalog, withDeleted).run(text);
}

class Execution {
  constructor(
    private readonly catalog: FakeCatalog,
    private readonly withDeleted: boolean,
  ) {}

  run(text: string): QueryResult {
    const query = new SoqlReader(text).query();
    const { from, where, groupBy, orderBy, limit, offset } = query;
    const found = this.filtered(from, where);
    if (query.isCount) return { type: from, totalSize: found.length, rows: [], record: (row) => row };
    if (groupBy.length > 0 || query.select.some((column) => column.aggregate !== null))
      return this.grouped(query, found);
    const columns = query.select.flatMap((column) => this.selected(from, column.path, limit));
    if (new Set(columns.map(({ path }) => path.join('.').toLowerCase())).size < columns.length)
      throw new SoqlError('INVALID_FIELD', 'duplicate field selected');
    const sorts = orderBy.map(({ path, isDescending }) => ({ column: this.column(from, path), isDescending }));
    const sorted = sorts.length === 0 ? found : [...found].sort((a, b) => compareRows(a, b, sorts));
    const rows = sorted.slice(offset, limit === null ? undefined : offset + limit);
    return { type: from, totalSize: rows.length, rows, record: (row) => toRecord(row, columns) };
  }

  private grouped(query: ReturnType<SoqlReader['query']>, found: readonly FakeRow[]): QueryResult {
    const { from, select } = query;
    const keys = query.groupBy.map((path) => this.column(from, path));
    const names = new Set(query.groupBy.map((path) => path.join('.').toLowerCase()));
    const stray = select.find((column) => column.aggregate === null && !names.has(column.path.join('.').toLowerCase()));
    if (stray !== undefined)
      throw new SoqlError('MALFORMED_QUERY', `Field must be grouped or aggregated: ${stray.path.join('.')}`);
    const groups = [...groupBy(found, (row) => JSON.stringify(keys.map((column) => column.read(row)))).values()];
    const rows = (keys.length === 0 && groups.length === 0 ? [[]] : groups).map((group) => {
      let unnamed = 0;
      const cells = select.map(({ path, aggregate, alias }) => {
        if (aggregate === null) return [path.at(-1), this.column(from, path).read(group[0] as FakeRow)];
        const values = group.map((row) => this.column(from, path).read(row)).filter((value) => value !== null);
        return [alias ?? `expr${unnamed++}`, aggregates[aggregate]?.(values)];
      });
      return Object.fromEntries(cells) as FakeRow;
    });
    return { type: 'AggregateResult', totalSize: rows.length, rows, record: (row) => row };
  }

  private filtered(from: string, where: Condition | null): FakeRow[] {
    const object = this.catalog.get(from);
    if (object === undefined) throw new SoqlError('INVALID_TYPE', `sObject type '${from}' is not supported.`);
    let counted = 0;
    const compile = (condition: Condition): ((row: FakeRow) => boolean) => {
      counted += 1;
      if (counted > maxConditions) throw new SoqlError('QUERY_TOO_COMPLICATED', 'The filter has too many conditions.');
      switch (condition.kind) {
        case 'and':
        case 'or': {
          const parts = condition.parts.map(compile);
          return condition.kind === 'and'
            ? (row) => parts.every((part) => part(row))
            : (row) => parts.some((part) => part(row));
        }
        case 'not': {
          const part = compile(condition.part);
          return (row) => !part(row);
        }
        case 'within': {
          const column = this.column(from, condition.path);
          const inner = this.run(condition.query);
          const [name = ''] = Object.keys(inner.record(inner.rows[0] ?? {}));
          const values = new Set(inner.rows.map((row) => inner.record(row)[name]));
          return (row) => values.has(column.read(row)) !== condition.isNegated;
        }
        case 'comparison':
          return compileComparison(this.column(from, condition.path), condition);
      }
    };
    const test = where === null ? () => true : compile(where);
    return object.rows().filter((row) => (this.withDeleted || row['IsDeleted'] !== true) && test(row));
  }

  /** `FIELDS(ALL)` needs a limit of at most 200. */
  private selected(from: string, path: readonly string[], limit: number | null): Column[] {
    const all = /^FIELDS\((ALL|STANDARD|CUSTOM)\)$/.exec(path[0] ?? '')?.[1];
    if (all === undefined) return [this.column(from, path)];
    if (all !== 'STANDARD' && (limit === null || limit > 200))
      throw new SoqlError('MALFORMED_QUERY', 'The SOQL FIELDS function must have a LIMIT of at most 200');
    const names = [...(this.catalog.get(from)?.fields.keys() ?? [])];
    const isSelected = (name: string) => all === 'ALL' || name.endsWith('__c') === (all === 'CUSTOM');
    return names.filter(isSelected).map((name) => this.column(from, [name]));
  }

  private column(from: string, path: readonly string[]): Column {
    const object = this.catalog.get(from);
    const [first = '', ...rest] = path;
    if (rest.length > 0) {
      const parent = object?.parents?.[first];
      if (parent === undefined)
        throw new SoqlError('INVALID_FIELD', `Didn't understand relationship '${first}' in field path.`);
      const inner = this.column(parent.object, rest);
      const rows = this.catalog.get(parent.object)?.rows() ?? [];
      const byId = new Map(rows.map((row) => [row['Id'], row]));
      const read = (row: FakeRow) => {
        const target = byId.get(row[parent.key]);
        return target === undefined ? null : inner.read(target);
      };
      return { path: [first, ...inner.path], type: inner.type, read };
    }
    const names = [...(object?.fields.keys() ?? [])];
    const name = names.find((candidate) => candidate.toLowerCase() === first.toLowerCase());
    if (name === undefined) throw new SoqlError('INVALID_FIELD', `No such column '${first}' on entity '${from}'.`);
    return { path: [name], type: object?.fields.get(name) ?? 'string', read: (row) => row[name] ?? null };
  }
}

function toRecord(row: FakeRow, columns: readonly Column[]): FakeRow {
  const record: Record<string, unknown> = {};
  for (const { path, read } of columns) {
    const [first = '', second] = path;
    if (second === undefined) record[first] = read(row);
    else record[first] = { ...((record[first] as object | undefined) ?? {}), [second]: read(row) };
  }
  return record;
}

function compileComparison(
  { path, type, read }: Column,
  { operator, literals }: Extract<Condition, { kind: 'comparison' }>,
): (row: FakeRow) => boolean {
  const isTime = type === 'datetime' || type === 'date';
  const hasQuotes = literals.some((literal) => literal.isQuoted);
  if ((isTime || ['boolean', 'double', 'currency', 'int', 'percent'].includes(type)) && hasQuotes)
    throw new SoqlError(
      'INVALID_FIELD',
      `value of filter criterion for field '${path.join('.')}' must be of type ${type} and should not be enclosed in quotes`,
    );
  if (!isTime && literals.some((literal) => literal.isTime))
    throw new SoqlError('INVALID_FIELD', `value of filter criterion for field '${path.join('.')}' must be quoted`);
  const values = literals.map(({ value }) => (isTime && typeof value === 'string' ? Date.parse(value) : value));
  const cell = (row: FakeRow) => {
    const value = read(row);
    return isTime && typeof value === 'string' ? Date.parse(value) : value;
  };
  const [first = null] = values;
  switch (operator) {
    case '=':
      return (row) => same(cell(row), first);
    case '!=':
      return (row) => !same(cell(row), first);
    case 'IN':
    case 'NOT IN': {
      const listed = new Set(values.map(comparable));
      return (row) => listed.has(comparable(cell(row))) === (operator === 'IN');
    }
    case 'LIKE': {
      const pattern = String(first).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      const like = new RegExp(`^${pattern.replaceAll('%', '.*').replaceAll('_', '.')}$`, 'is');
      return (row) => like.test(String(cell(row) ?? ''));
    }
    case 'INCLUDES':
      return (row) => values.some((value) => picked(cell(row), value));
    case 'EXCLUDES':
      return (row) => !values.some((value) => picked(cell(row), value));
    default:
      return (row) => cell(row) !== null && ordered(order(cell(row), first), operator);
  }
}

function ordered(difference: number, operator: string): boolean {
  if (operator === '<') return difference < 0;
  if (operator === '<=') return difference <= 0;
  return operator === '>' ? difference > 0 : difference >= 0;
}

/** Texts are compared without case; ids are not, but the fake has no two ids that differ only in case. */
function same(cell: unknown, value: unknown): boolean {
  return comparable(cell) === comparable(value);
}

function comparable(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : (value ?? null);
}

function picked(cell: unknown, value: unknown): boolean {
  return String(cell ?? '')
    .split(';')
    .includes(String(value));
}

function order(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [String(a ?? ''), String(b ?? '')];
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareRows(
  a: FakeRow,
  b: FakeRow,
  sorts: readonly { readonly column: Column; readonly isDescending: boolean }[],
): number {
  for (const { column, isDescending } of sorts) {
    const difference = order(column.read(a), column.read(b));
    if (difference !== 0) return isDescending ? -difference : difference;
  }
  return 0;
}
