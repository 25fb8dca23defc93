import { type Amount, amount, Decimal, ZERO } from './decimal.js';

/** Plans, "Formulas": too large to be a number. */
export type FormulaValue = Amount | 'missing' | 'too large';

const LIMIT = amount('1e15');

export function isFormulaText(slug: string): boolean {
  return slug.startsWith('=');
}

/** Turns a formula into words: numbers, names, names in square brackets, and signs. */
function wordsOf(text: string): string[] {
  return text.slice(1).match(/\[[^\]]*\]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|\d+\.?\d*|\.\d+|[-+*/(),]/g) ?? [];
}

const isName = (word: string | undefined) => word !== undefined && /^[A-Za-z_[]/.test(word);
const bare = (word: string) => (word.startsWith('[') ? word.slice(1, -1).trim() : word);

/** The fields that the formula names; a name before a bracket is a function. */
export function fieldsOfFormula(text: string): string[] {
  const words = wordsOf(text);
  const names = words.filter((word, at) => isName(word) && (word.startsWith('[') || words[at + 1] !== '('));
  return [...new Set(names.map(bare))];
}

/** For each word, how many brackets are open around it. */
function depths(words: string[]): number[] {
  let depth = 0;
  return words.map((word) => {
    if (word === ')') depth -= 1;
    const here = depth;
    if (word === '(') depth += 1;
    return here;
  });
}

const startsValue = (before: string | undefined) => before === undefined || /^[-+*/(,]$/.test(before);

/** The place of the last of the signs that joins two values outside all brackets; -1 for none. */
function lastJoin(words: string[], signs: string): number {
  const open = depths(words);
  return words.findLastIndex((word, at) => signs.includes(word) && open[at] === 0 && !startsValue(words[at - 1]));
}

function between(words: string[], sign: string): string[][] {
  const open = depths(words);
  const at = words.flatMap((word, position) => (word === sign && open[position] === 0 ? [position] : []));
  return [-1, ...at].map((from, index) => words.slice(from + 1, at[index] ?? words.length));
}

type Field = (name: string) => FormulaValue;

/** The value of the formula: what is computed last is looked for first. */
export function valueOfFormula(text: string, fieldOf: Field): FormulaValue {
  return valueIn(wordsOf(text), fieldOf);
}

function valueIn(words: string[], fieldOf: Field): FormulaValue {
  for (const signs of ['+-', '*/']) {
    const at = lastJoin(words, signs);
    if (at < 0) continue;
    return computed(words[at] as string, [valueIn(words.slice(0, at), fieldOf), valueIn(words.slice(at + 1), fieldOf)]);
  }
  const [head = '', ...rest] = words;
  if (head === '-') return computed('minus', [valueIn(rest, fieldOf)]);
  if (head === '(') return valueIn(words.slice(1, -1), fieldOf);
  if (!isName(head)) return amount(head);
  if (rest.length === 0) return fieldOf(bare(head));
  return computed(
    head,
    between(words.slice(2, -1), ',').map((part) => valueIn(part, fieldOf)),
  );
}

function computed(sign: string, given: FormulaValue[]): FormulaValue {
  if (sign === 'default') return (given[0] === 'missing' ? given[1] : given[0]) as FormulaValue;
  const problem = given.find((value) => typeof value === 'string');
  if (problem !== undefined) return problem;
  const value = applied(sign, given as Amount[]);
  if (value === null) return 'missing';
  return value.abs().gt(LIMIT) ? 'too large' : value.toDecimalPlaces(30, Decimal.ROUND_HALF_UP);
}

/** Null: there is no such number. */
function applied(sign: string, given: Amount[]): Amount | null {
  const [a = ZERO, b = ZERO] = given;
  switch (sign) {
    case '+':
      return a.plus(b);
    case '-':
      return a.minus(b);
    case '*':
      return a.times(b);
    case '/':
      return b.isZero() ? null : a.dividedBy(b).toDecimalPlaces(20, Decimal.ROUND_DOWN);
    case 'minus':
      return a.negated();
    case 'abs':
      return a.abs();
    case 'round':
      return b.isInteger() && b.gte(0) && b.lte(20) ? a.toDecimalPlaces(b.toNumber(), Decimal.ROUND_HALF_UP) : null;
    case 'min':
      return given.reduce((least, value) => (value.lt(least) ? value : least));
    default:
      return given.reduce((most, value) => (value.gt(most) ? value : most));
  }
}
