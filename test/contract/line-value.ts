/** What one line of the record says about a value: everything that a caller can depend on. */
export interface LineValue {
  /** Sorted; `any` if the schema names none, `alternatives` if each alternative has lines of its own. */
  readonly types: readonly string[];
  readonly required: boolean;
  /** Keywords of the schema, such as `maximum`, in the order of {@link keywords}. */
  readonly facets: ReadonlyMap<Keyword, string>;
  /** The value of each item of an array or of each property of a map. */
  readonly of: LineValue | null;
}

/** The keywords that the contract contains besides types and fields. */
export const keywords = [
  'media',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'enum',
  'default',
  'open',
  'deprecated',
  'text',
] as const;

export type Keyword = (typeof keywords)[number];

/** `string|null required maxLength=20`, and for lists `array required of string`. */
export function printValue({ types, required, facets, of }: LineValue): string {
  const words = [types.join('|'), ...(required ? ['required'] : [])];
  for (const [keyword, value] of facets) words.push(value === '' ? keyword : `${keyword}=${escapeSpaces(value)}`);
  return [...words, ...(of === null ? [] : ['of', printValue(of)])].join(' ');
}

export function parseValue(text: string): LineValue {
  const [own = '', ...rest] = text.split(' of ');
  const [types = '', ...words] = own.split(' ');
  const pairs = words.filter((word) => word !== 'required').map((word) => word.split(/=(.*)/) as [Keyword, string?]);
  return {
    types: types.split('|'),
    required: words.includes('required'),
    facets: new Map(pairs.map(([keyword, value = '']) => [keyword, unescapeSpaces(value)])),
    of: rest.length === 0 ? null : parseValue(rest.join(' of ')),
  };
}

function escapeSpaces(text: string): string {
  return text.replace(/[% ]/g, encodeURIComponent);
}

function unescapeSpaces(text: string): string {
  return text.replace(/%(20|25)/g, decodeURIComponent);
}

/** The values of an enumeration, as JSON without the quotes of plain words. */
export function printEnum(values: readonly unknown[]): string {
  return values.map((value) => String(value).replace(/[%|]/g, encodeURIComponent)).join('|');
}

export function parseEnum(text: string): string[] {
  return text.split('|').map((value) => value.replace(/%(7C|25)/g, decodeURIComponent));
}
