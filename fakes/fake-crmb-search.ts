/** The vendor's error for an invalid search. */
export class SearchError extends Error {}

interface Filter {
  readonly propertyName?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly highValue?: string;
  readonly values?: readonly string[];
}

export interface Search {
  readonly filterGroups?: readonly { readonly filters?: readonly Filter[] }[];
  readonly sorts?: readonly (string | { readonly propertyName?: string; readonly direction?: string })[];
  readonly query?: string;
  readonly properties?: readonly string[];
  readonly limit?: number;
  readonly after?: string | number;
}

/** The value of a property of a deal. */
type Read<Deal> = (deal: Deal, name: string) => string | null;

/** Whether the value of a property, null for none, passes a filter. */
type Operator = (actual: string | null, filter: Filter) => boolean;

const comparing =
  (test: (difference: number) => boolean): Operator =>
  (actual, { value = '' }) =>
    actual !== null && test(compare(actual, value));

const listing =
  (isExpected: boolean): Operator =>
  (actual, { operator, values }) => {
    if (values === undefined) throw new SearchError(`${operator} needs values`);
    // Texts in a list must be in lower case.
    return actual !== null && values.includes(actual.toLowerCase()) === isExpected;
  };

const operators: Readonly<Record<string, Operator>> = {
  EQ: comparing((difference) => difference === 0),
  NEQ: comparing((difference) => difference !== 0),
  LT: comparing((difference) => difference < 0),
  LTE: comparing((difference) => difference <= 0),
  GT: comparing((difference) => difference > 0),
  GTE: comparing((difference) => difference >= 0),
  BETWEEN: (actual, { value = '', highValue = '' }) =>
    actual !== null && compare(actual, value) >= 0 && compare(actual, highValue) <= 0,
  IN: listing(true),
  NOT_IN: listing(false),
  HAS_PROPERTY: (actual) => actual !== null && actual !== '',
  NOT_HAS_PROPERTY: (actual) => actual === null || actual === '',
  CONTAINS_TOKEN: (actual, { value = '' }) => hasToken(actual ?? '', value),
  NOT_CONTAINS_TOKEN: (actual, { value = '' }) => !hasToken(actual ?? '', value),
};
const maxGroups = 5;
const maxFiltersPerGroup = 6;
const maxFilters = 18;
const maxQueryLength = 3000;
const maxResults = 10_000;
const maxPage = 200;
/** Properties in which `query` searches. */
const searched = ['dealname', 'pipeline', 'dealstage', 'description', 'dealtype'];

/** The deals that the search finds, in its order. */
export function searchDeals<Deal>(
  deals: readonly Deal[],
  search: Search,
  read: Read<Deal>,
  properties: ReadonlySet<string>,
): Deal[] {
  const groups = checkedGroups(search, properties);
  const text = (search.query ?? '').toLowerCase();
  const found = deals.filter(
    (deal) =>
      (groups.length === 0 ||
        groups.some((filters) => filters.every((filter) => passes(filter, read(deal, filter.propertyName ?? ''))))) &&
      (text === '' || searched.some((name) => (read(deal, name) ?? '').toLowerCase().includes(text))),
  );
  const [sort, ...others] = search.sorts ?? [];
  if (others.length > 0) throw new SearchError('Only one sort is allowed');
  if (sort === undefined) return found;
  const { propertyName = '', direction = 'ASCENDING' } = typeof sort === 'string' ? { propertyName: sort } : sort;
  assertKnown(propertyName, properties);
  if (direction !== 'ASCENDING' && direction !== 'DESCENDING') throw new SearchError(`Invalid direction ${direction}`);
  found.sort(
    (a, b) =>
      compare(read(a, propertyName), read(b, propertyName)) ||
      compare(read(a, 'hs_object_id'), read(b, 'hs_object_id')),
  );
  return direction === 'DESCENDING' ? found.reverse() : found;
}

/** The page that the search requests. */
export function readPage({ limit = 10, after = 0 }: Search): { readonly start: number; readonly limit: number } {
  const start = Number(after);
  if (!Number.isInteger(start) || start < 0) throw new SearchError('after must be a number');
  if (limit > maxPage || limit < 0) throw new SearchError(`limit must be at most ${maxPage}`);
  if (start + limit > maxResults) throw new SearchError(`A search returns at most ${maxResults} results`);
  return { start, limit };
}

function checkedGroups(search: Search, properties: ReadonlySet<string>): readonly (readonly Filter[])[] {
  if (JSON.stringify(search).length > maxQueryLength) throw new SearchError('The body is too long');
  const groups = (search.filterGroups ?? []).map(({ filters = [] }) => filters);
  const count = groups.reduce((sum, filters) => sum + filters.length, 0);
  if (groups.length > maxGroups || count > maxFilters || groups.some((group) => group.length > maxFiltersPerGroup))
    throw new SearchError('The search has too many filters');
  for (const { propertyName = '', operator = '' } of groups.flat()) {
    assertKnown(propertyName, properties);
    if (!Object.hasOwn(operators, operator)) throw new SearchError(`${operator} is not an operator`);
  }
  return groups;
}

function assertKnown(name: string, properties: ReadonlySet<string>): void {
  if (!properties.has(name))
    throw new SearchError(`There was a problem with the request: property ${name} does not exist`);
}

function passes(filter: Filter, actual: string | null): boolean {
  return operators[filter.operator ?? '']?.(actual, filter) === true;
}

/** Whole words, with `*` for any characters. */
function hasToken(text: string, token: string): boolean {
  const pattern = new RegExp(
    `^${token
      .toLowerCase()
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')}$`,
  );
  return text
    .toLowerCase()
    .split(/\W+/)
    .some((word) => pattern.test(word));
}

/** Numbers, milliseconds and ISO instants in one order; other values as text. */
function compare(a: string | null, b: string | null): number {
  const [left, right] = [comparable(a), comparable(b)];
  if (!Number.isNaN(left) && !Number.isNaN(right)) return left - right;
  const [first, second] = [(a ?? '').toLowerCase(), (b ?? '').toLowerCase()];
  return first < second ? -1 : first > second ? 1 : 0;
}

function comparable(value: string | null): number {
  const number = Number(value ?? Number.NaN);
  return Number.isNaN(number) ? Date.parse(value ?? '') : number;
}
