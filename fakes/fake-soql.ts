/** A row of a fake object, by field name. */
export type FakeRow = Readonly<Record<string, unknown>>;

export interface FakeQuery {
  readonly select: readonly string[];
  readonly from: string;
  readonly matches: (row: FakeRow) => boolean;
  readonly orderBy: readonly string[];
}

/** The vendor's error for an invalid query. */
export class SoqlError extends Error {
  constructor(
    readonly errorCode: 'MALFORMED_QUERY' | 'INVALID_FIELD' | 'INVALID_TYPE',
    message: string,
  ) {
    super(message);
  }
}

const textLiteral = String.raw`'(?:[^'\\\n]|\\.)*'`;
const instantLiteral = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`;
const statement = /^SELECT ([\w, ]+) FROM (\w+)(?: WHERE (.+?))?(?: ORDER BY ([\w, ]+))?$/s;
const comparison = new RegExp(String.raw`^(\w+) (=|>=|<) (${textLiteral}|${instantLiteral})$`);
const membership = new RegExp(String.raw`^(\w+) IN \((${textLiteral}(?:, ?${textLiteral})*)\)$`);

/** Parses the part of the query language that the adapter uses, and rejects what the vendor would reject. */
export function readSoql(text: string, objects: ReadonlyMap<string, readonly string[]>): FakeQuery {
  const [, selected = '', from = '', conditions, order] = statement.exec(text) ?? malformed(text);
  const fields = objects.get(from);
  if (fields === undefined) throw new SoqlError('INVALID_TYPE', `sObject type '${from}' is not supported.`);
  const fieldOf = (name: string): string => {
    const field = fields.find((one) => one.toLowerCase() === name.toLowerCase());
    if (field === undefined) throw new SoqlError('INVALID_FIELD', `No such column '${name}' on entity '${from}'.`);
    return field;
  };
  const select = selected.split(',').map((name) => fieldOf(name.trim()));
  if (new Set(select).size < select.length) throw new SoqlError('INVALID_FIELD', 'duplicate field selected');
  const tests = (conditions === undefined ? [] : conditions.split(' AND ')).map((one) => readCondition(one, fieldOf));
  return {
    select,
    from,
    matches: (row) => tests.every((test) => test(row)),
    orderBy: (order === undefined ? [] : order.split(',')).map((part) => fieldOf(part.trim().replace(/ ASC$/, ''))),
  };
}

function readCondition(text: string, fieldOf: (name: string) => string): (row: FakeRow) => boolean {
  const [, member, list] = membership.exec(text) ?? [];
  if (member !== undefined && list !== undefined) {
    const field = fieldOf(member);
    const values = new Set((list.match(new RegExp(textLiteral, 'g')) ?? []).map(unquote));
    return (row) => values.has(String(row[field]));
  }
  const [, name = '', operator, literal = ''] = comparison.exec(text) ?? malformed(text);
  const field = fieldOf(name);
  if (literal.startsWith("'")) {
    if (operator !== '=') malformed(text);
    return (row) => row[field] === unquote(literal);
  }
  const instant = Date.parse(literal);
  const instantOf = (row: FakeRow) => Date.parse(String(row[field]));
  if (operator === '>=') return (row) => instantOf(row) >= instant;
  return operator === '<' ? (row) => instantOf(row) < instant : (row) => instantOf(row) === instant;
}

function malformed(text: string): never {
  throw new SoqlError('MALFORMED_QUERY', `unexpected token in: ${text.slice(0, 200)}`);
}

function unquote(literal: string): string {
  return literal.slice(1, -1).replace(/\\(.)/gs, '$1');
}

export function sortedRows(rows: readonly FakeRow[], orderBy: readonly string[]): FakeRow[] {
  return [...rows].sort((a, b) => {
    for (const field of orderBy) {
      const [left, right] = [String(a[field]), String(b[field])];
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  });
}
