import { Decimal, maximum, minimum } from '../kernel/decimal.js';
import { absenceReason, asNumber, type FieldValue, isWithinBounds } from './field-value.js';

/**
 * A formula stands where a rule or a condition names a field: `= amount * (1 - discount)`. It has +, -, *, /, brackets,
 * numbers, fields, and the functions below. Numbers are exact; a quotient is cut off after 20 decimal places, and every
 * result has at most 30. A formula has at most {@link maxParts} parts, so that a deal costs a bounded number of steps.
 */
export const maxParts = 100;
const maxDepth = 20;
const quotientPlaces = 20;
const resultPlaces = 30;

export function isFormula(slug: string): boolean {
  return slug.startsWith('=');
}

/** Why there is no number: a value is missing or divided by 0, or it is beyond ±10^15. */
type Absence = 'missing' | 'range';
type Result = Decimal | Absence;
type ReadOperand = (slug: string) => Result;

type Part =
  | { readonly kind: 'number'; readonly value: Decimal }
  | { readonly kind: 'field'; readonly slug: string }
  | { readonly kind: 'call'; readonly compute: Compute; readonly arguments: readonly Part[] };

/** The result is absent if an argument is, except in {@link orElse}. */
interface Compute {
  readonly min: number;
  readonly max: number;
  readonly apply: (values: readonly Decimal[]) => Result;
}

const first = (values: readonly Decimal[]): Decimal => values[0] as Decimal;
const second = (values: readonly Decimal[]): Decimal => values[1] as Decimal;
const binary = (apply: (a: Decimal, b: Decimal) => Result): Compute => ({
  min: 2,
  max: 2,
  apply: (values) => apply(first(values), second(values)),
});

const plus = binary((a, b) => a.plus(b));
const minus = binary((a, b) => a.minus(b));
const times = binary((a, b) => a.times(b));
const over = binary((a, b) => (b.isZero() ? 'missing' : a.dividedBy(b, quotientPlaces)));
const negated: Compute = { min: 1, max: 1, apply: (values) => first(values).negated() };
/** The first argument, or the second one if it is missing. */
const orElse: Compute = { min: 2, max: 2, apply: (values) => first(values) };

const functions: ReadonlyMap<string, Compute> = new Map([
  ['min', { min: 1, max: 20, apply: (values) => values.reduce(minimum) }],
  ['max', { min: 1, max: 20, apply: (values) => values.reduce(maximum) }],
  ['abs', { min: 1, max: 1, apply: (values) => first(values).absolute() }],
  ['round', { min: 2, max: 2, apply: roundTo }],
  ['default', orElse],
]);

function roundTo(values: readonly Decimal[]): Result {
  const places = Number(second(values).toString());
  return Number.isInteger(places) && places >= 0 && places <= 20 ? first(values).rounded(places) : 'missing';
}

interface Formula {
  readonly root: Part;
  readonly fields: readonly string[];
  readonly parts: number;
}

class Problem extends Error {}

const tokenPattern = /\s*(?:(\d+(?:\.\d*)?|\.\d+)|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|\[([^\]]*)\]|([-+*/(),]))/y;

interface Token {
  readonly kind: 'number' | 'name' | 'field' | 'sign' | 'end';
  readonly text: string;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 1;
  const end = text.trimEnd().length;
  while (tokenPattern.lastIndex < end) {
    const from = tokenPattern.lastIndex;
    const match = tokenPattern.exec(text);
    if (match === null) throw new Problem(`cannot be read at "${text.slice(from).trim().slice(0, 20)}"`);
    const [, number, name, field, sign] = match;
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else if (field !== undefined) tokens.push({ kind: 'field', text: field });
    else tokens.push({ kind: 'sign', text: sign as string });
  }
  return tokens;
}

const endToken: Token = { kind: 'end', text: 'the end' };

/** Reads sums of products of operands, from left to right. */
class Parser {
  private position = 0;
  private depth = 0;
  private parts = 0;
  private readonly fields = new Set<string>();

  constructor(private readonly tokens: readonly Token[]) {}

  read(): Formula {
    const root = this.sum();
    if (this.next.kind !== 'end') throw new Problem(`has "${this.next.text}" where it should end`);
    if (this.fields.size === 0) throw new Problem('names no field');
    return { root, fields: [...this.fields], parts: this.parts };
  }

  private get next(): Token {
    return this.tokens[this.position] ?? endToken;
  }

  private take(sign: string): boolean {
    if (this.next.kind !== 'sign' || this.next.text !== sign) return false;
    this.position += 1;
    return true;
  }

  private expect(sign: string): void {
    if (!this.take(sign)) throw new Problem(`has "${this.next.text}" where "${sign}" should be`);
  }

  private add<P extends Part>(part: P): P {
    this.parts += 1;
    if (this.parts > maxParts) throw new Problem(`has more than ${maxParts} parts`);
    return part;
  }

  private call(compute: Compute, ...values: readonly Part[]): Part {
    return this.add({ kind: 'call', compute, arguments: values });
  }

  private sum(): Part {
    this.depth += 1;
    if (this.depth > maxDepth) throw new Problem(`has brackets within brackets more than ${maxDepth} times`);
    let part = this.product();
    for (;;) {
      if (this.take('+')) part = this.call(plus, part, this.product());
      else if (this.take('-')) part = this.call(minus, part, this.product());
      else break;
    }
    this.depth -= 1;
    return part;
  }

  private product(): Part {
    let part = this.operand();
    for (;;) {
      if (this.take('*')) part = this.call(times, part, this.operand());
      else if (this.take('/')) part = this.call(over, part, this.operand());
      else return part;
    }
  }

  private operand(): Part {
    let isNegative = false;
    while (this.take('-')) isNegative = !isNegative;
    const part = this.primary();
    return isNegative ? this.call(negated, part) : part;
  }

  private primary(): Part {
    if (this.take('(')) {
      const part = this.sum();
      this.expect(')');
      return part;
    }
    const token = this.next;
    this.position += 1;
    switch (token.kind) {
      case 'number':
        return this.add({ kind: 'number', value: Decimal.of(token.text) });
      case 'field':
        return this.field(token.text.trim());
      case 'name':
        return this.take('(') ? this.function(token.text) : this.field(token.text);
      default:
        throw new Problem(`has "${token.text}" where a value should be`);
    }
  }

  private field(slug: string): Part {
    if (slug === '' || isFormula(slug)) throw new Problem('has brackets without the name of a field');
    if (slug.startsWith('_')) throw new Problem(`cannot contain ${slug}`);
    this.fields.add(slug);
    return this.add({ kind: 'field', slug });
  }

  private function(name: string): Part {
    const compute = functions.get(name);
    if (compute === undefined)
      throw new Problem(`has an unknown function ${name}; there are ${[...functions.keys()].join(', ')}`);
    const values: Part[] = [];
    do values.push(this.sum());
    while (this.take(','));
    this.expect(')');
    if (values.length < compute.min || values.length > compute.max)
      throw new Problem(`has ${values.length} values in ${name}; it takes ${argumentWords(compute)}`);
    return this.call(compute, ...values);
  }
}

function argumentWords({ min, max }: Compute): string {
  return min === max ? String(min) : `${min} to ${max}`;
}

/** The formula, or what is wrong with its text. */
function parse(text: string): Formula | string {
  try {
    return new Parser(tokenize(text)).read();
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

/** What is wrong with a formula; null for a correct one, and for the name of a field. */
export function formulaProblem(slug: string): string | null {
  if (!isFormula(slug)) return null;
  const read = parse(slug);
  return typeof read === 'string' ? `the formula ${read}` : null;
}

/** The fields that a formula names, and a field itself. */
export function fieldsIn(slug: string): readonly string[] {
  if (!isFormula(slug)) return [slug];
  const read = parse(slug);
  return typeof read === 'string' ? [] : read.fields;
}

/** Number of parts of a formula; 1 for a field. */
export function countParts(slug: string): number {
  if (!isFormula(slug)) return 1;
  const read = parse(slug);
  return typeof read === 'string' ? 1 : read.parts;
}

type Read<Source> = (source: Source) => FieldValue | undefined;

/** Reads the value of a formula as decimal text, so that no digit is lost. */
export function formulaReader<Source>(slug: string, readerOf: (field: string) => Read<Source>): Read<Source> {
  const read = parse(slug);
  if (typeof read === 'string') return () => undefined;
  const readers = new Map(read.fields.map((field) => [field, readerOf(field)]));
  return (source) => {
    const result = evaluate(read.root, (field) => operand((readers.get(field) as Read<Source>)(source)));
    if (result === 'missing') return undefined;
    return result === 'range' ? beyondBounds : result.toString();
  };
}

/** Is a number for {@link absenceReason} and none for {@link asNumber}. */
const beyondBounds = '1e16';

function operand(value: FieldValue | undefined): Result {
  return asNumber(value) ?? (absenceReason(value) === 'value_out_of_range' ? 'range' : 'missing');
}

function evaluate(part: Part, read: ReadOperand): Result {
  if (part.kind === 'number') return part.value;
  if (part.kind === 'field') return read(part.slug);
  if (part.compute === orElse) {
    const [value, otherwise] = part.arguments as readonly [Part, Part];
    const found = evaluate(value, read);
    return found === 'missing' ? evaluate(otherwise, read) : found;
  }
  const values: Decimal[] = [];
  for (const argument of part.arguments) {
    const value = evaluate(argument, read);
    if (value === 'missing' || value === 'range') return value;
    values.push(value);
  }
  const result = part.compute.apply(values);
  if (result === 'missing' || result === 'range') return result;
  return isWithinBounds(result) ? result.rounded(resultPlaces) : 'range';
}
