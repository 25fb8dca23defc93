/** The vendor's error for an invalid filter. */
export class FilterError extends Error {}

/** The values of a record that a filter can compare, by attribute. `record_id` and `created_at` are attributes too. */
type Comparable = (slug: string) => readonly (string | number | boolean)[];

type Test = (read: Comparable) => boolean;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** Compiles a filter with every documented operator. `types` are the types of the attributes. */
export function compileFilter(filter: unknown, types: ReadonlyMap<string, string>): Test {
  if (!isObject(filter)) throw new FilterError('a filter must be an object');
  const tests = Object.entries(filter).map(([key, value]): Test => {
    if (key === '$and' || key === '$or') return compileGroup(key, value, types);
    if (key === '$not') {
      const inner = compileFilter(value, types);
      return (read) => !inner(read);
    }
    const type = types.get(key);
    if (type === undefined) throw new FilterError(`Unknown attribute slug: ${key}`);
    return attributeTest(key, type, value);
  });
  return (read) => tests.every((test) => test(read));
}

function compileGroup(key: '$and' | '$or', value: unknown, types: ReadonlyMap<string, string>): Test {
  if (!Array.isArray(value)) throw new FilterError(`${key} needs a list`);
  const parts = value.map((part) => compileFilter(part, types));
  return key === '$and' ? (read) => parts.every((part) => part(read)) : (read) => parts.some((part) => part(read));
}

function attributeTest(slug: string, type: string, value: unknown): Test {
  if (!isObject(value)) return operatorTest(slug, type, '$eq', value);
  // `{"value": {"currency_value": {"$gte": 5}}}` compares a part of the value.
  const tests = Object.entries(value).map(([operator, operand]) =>
    operator.startsWith('$') ? operatorTest(slug, type, operator, operand) : attributeTest(slug, type, operand),
  );
  return (read) => tests.every((test) => test(read));
}

function operatorTest(slug: string, type: string, operator: string, operand: unknown): Test {
  if (operator === '$not_empty') return (read) => read(slug).length > 0 === (operand === true);
  const operands = operator === '$in' ? operand : [operand];
  if (!Array.isArray(operands)) throw new FilterError(`${operator} needs a list`);
  for (const literal of operands) assertOfType(slug, type, literal);
  const compare = comparisons[operator];
  if (compare === undefined) throw new FilterError(`Unknown operator: ${operator}`);
  return (read) => read(slug).some((value) => operands.some((literal) => compare(value, literal)));
}

function assertOfType(slug: string, type: string, value: unknown): void {
  if (slug === 'record_id' && !uuid.test(String(value))) throw new FilterError('record_id must be a UUID');
  if (type === 'timestamp' && !instant.test(String(value)))
    throw new FilterError(`${slug} must be a timestamp with date and time`);
}

const comparisons: Readonly<Record<string, (value: string | number | boolean, operand: unknown) => boolean>> = {
  $eq: (value, operand) => value === operand,
  $in: (value, operand) => value === operand,
  $contains: (value, operand) => toText(value).includes(toText(operand)),
  $starts_with: (value, operand) => toText(value).startsWith(toText(operand)),
  $ends_with: (value, operand) => toText(value).endsWith(toText(operand)),
  $lt: (value, operand) => value < (operand as typeof value),
  $lte: (value, operand) => value <= (operand as typeof value),
  $gt: (value, operand) => value > (operand as typeof value),
  $gte: (value, operand) => value >= (operand as typeof value),
};

function toText(value: unknown): string {
  return String(value).toLowerCase();
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
