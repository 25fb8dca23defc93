import { currencyOf, fitCurrency } from '../../kernel/currency-signs.js';
import { type DateFormat, readDateText } from '../../kernel/date-text.js';
import { type Day } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { Failure } from '../../kernel/failure.js';
import { type NumberFormat, numberFormats, readWrittenNumber, type WrittenNumber } from '../../kernel/number-text.js';

/** How a file writes its days and numbers, in all of its columns. Null: what its numbers do not prove is ambiguous. */
export interface FileFormat {
  readonly dates: DateFormat;
  readonly numbers: NumberFormat | null;
}

/** Why a cell cannot be read. */
export interface CellProblem {
  readonly reason: string;
  readonly code?: 'ambiguous_number';
}

/** An amount with the currency signs and codes beside it. */
export interface Amount {
  readonly value: number;
  /** The value as exact decimal text. */
  readonly exact: string;
  readonly units: readonly string[];
}

const maxShownLength = 60;

function quoted(text: string): string {
  return text.trim().slice(0, maxShownLength);
}

export function notADate(name: string, text: string, format: DateFormat): CellProblem {
  return { reason: `${name}: ${quoted(text)} is not a date in the format ${format}` };
}

function notANumber(name: string, text: string, format: NumberFormat | null): CellProblem {
  return { reason: `${name}: ${quoted(text)} is not a number${format === null ? '' : ` in the format ${format}`}` };
}

function ambiguous(name: string, text: string): CellProblem {
  return {
    code: 'ambiguous_number',
    reason: `${name}: ${quoted(text)} can be read with a thousands separator and with a decimal separator; give numberFormat=en (1,234.50) or numberFormat=eu (1.234,50)`,
  };
}

const percentSign = '%';
const hundred = Decimal.of(100);

/** A number that is no amount: 12.5 % is 0.125. Currency signs and codes are left to the caller. */
export function readNumberText(name: string, text: string, format: NumberFormat | null): WrittenNumber | CellProblem {
  const read = readWrittenNumber(text, format);
  if (read === 'ambiguous') return ambiguous(name, text);
  if (read === null) return notANumber(name, text, format);
  if (!read.units.includes(percentSign)) return read;
  if (read.units.length > 1) return notANumber(name, text, format);
  return { value: Decimal.of(read.value).dividedBy(hundred).toString(), units: [] };
}

/** An amount: a percentage is none. */
export function readAmountText(name: string, text: string, format: NumberFormat | null): WrittenNumber | CellProblem {
  const read = readWrittenNumber(text, format);
  if (read === 'ambiguous') return ambiguous(name, text);
  if (read === null) return notANumber(name, text, format);
  if (read.units.includes(percentSign)) return { reason: `${name}: ${quoted(text)} is a percentage, not an amount` };
  return read;
}

/** A percentage, with or without its sign. No percentage has a thousands separator that nothing proves: 33.333 is a third. */
function readPercentText(name: string, text: string, format: NumberFormat | null): string | CellProblem {
  const read = readWrittenNumber(text, format);
  const found = read === 'ambiguous' ? readFraction(text) : read;
  const isPercent = found?.units.every((unit) => unit === percentSign) ?? false;
  return found !== null && isPercent ? found.value : { reason: `${name}: ${quoted(text)} is not a percentage` };
}

function readFraction(text: string): WrittenNumber | null {
  const found = numberFormats.flatMap((format) => {
    const read = readWrittenNumber(text, format);
    return read === null || read === 'ambiguous' ? [] : [read];
  });
  return found.find(({ value }) => value.includes('.')) ?? null;
}

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  y: true,
  1: true,
  false: false,
  no: false,
  n: false,
  0: false,
};

/** Reads the cells of a file. An empty cell is undefined; a cell that cannot be read rejects its row. */
/** What a cell is read as. */
type CellKind = 'day' | 'amount' | 'number' | 'percent';

type ReadCells<Name extends string, Kinds> = {
  readonly [Column in Name]?: Column extends keyof Kinds ? (Kinds[Column] extends 'day' ? Day : number) : string;
};

export class CellReader {
  constructor(readonly format: FileFormat) {}

  day(name: string, text: string | undefined): Day | undefined {
    if (text === undefined) return undefined;
    const { dates } = this.format;
    return readDateText(text, dates, 'UTC') ?? reject(notADate(name, text, dates));
  }

  amount(name: string, text: string | undefined): Amount | undefined {
    if (text === undefined) return undefined;
    const { value, units } = accept(readAmountText(name, text, this.format.numbers));
    return { value: Number(value), exact: value, units };
  }

  /** A number that is neither an amount nor a percentage. */
  number(name: string, text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const { value, units } = accept(readNumberText(name, text, this.format.numbers));
    return units.length === 0 ? value : reject(notANumber(name, text, this.format.numbers));
  }

  percent(name: string, text: string | undefined): string | undefined {
    return text === undefined ? undefined : accept(readPercentText(name, text, this.format.numbers));
  }

  flag(name: string, text: string | undefined): boolean | undefined {
    if (text === undefined) return undefined;
    return truths[text.toLowerCase()] ?? reject({ reason: `${name}: ${quoted(text)} must be true or false` });
  }

  /** The cells that are filled, each as a value of its kind, in the order of the kinds; the others as text. */
  cells<Name extends string, Kinds extends { readonly [Column in Name]?: CellKind }>(
    texts: Readonly<Partial<Record<Name, string>>>,
    kinds: Kinds,
  ): ReadCells<Name, Kinds> {
    const read = { ...texts } as Record<string, unknown>;
    for (const [name, kind] of Object.entries<CellKind>(kinds as Readonly<Record<string, CellKind>>)) {
      const text = texts[name as Name];
      if (text === undefined) continue;
      read[name] = kind === 'day' ? this.day(name, text) : this.quantity(kind, name, text);
    }
    return read as ReadCells<Name, Kinds>;
  }

  private quantity(kind: Exclude<CellKind, 'day'>, name: string, text: string): number {
    return kind === 'amount' ? (this.amount(name, text) as Amount).value : Number(this[kind](name, text));
  }
}

/** The value of a cell that must not be empty. */
export function filled<T>(name: string, value: T | undefined): T {
  return value === undefined ? reject({ reason: `${name}: is empty` }) : value;
}

/**
 * The currency of a row: that of its column, otherwise that of the signs and codes in its amounts; undefined if none
 * states one. Rejects a row whose cells contradict each other.
 */
export function currencyOfRow(
  amounts: readonly (Amount | undefined)[],
  stated: string | undefined,
  preferred: string,
): string | undefined {
  const units = amounts.flatMap((amount) => amount?.units ?? []);
  const found = readCurrency('amount', units, stated, preferred);
  return typeof found === 'object' ? reject(found) : found;
}

/** Rejects an amount whose signs and codes name none of the currencies that it may be in. */
export function assertCurrency(name: string, amount: Amount | undefined, ...currencies: readonly string[]): void {
  if (amount !== undefined && !currencies.some((currency) => fitCurrency(amount.units, currency)))
    reject({ reason: `${name}: is in ${amount.units.join(' ')}, and must be in ${currencies.join(' or ')}` });
}

/** The currency that the units and the stated one agree on; undefined if neither states one. */
export function readCurrency(
  name: string,
  units: readonly string[],
  stated: string | undefined,
  preferred: string,
): string | undefined | CellProblem {
  if (units.length === 0) return stated;
  if (stated !== undefined && fitCurrency(units, stated.toUpperCase())) return stated;
  if (stated !== undefined) return { reason: `${name}: is in ${units.join(' ')}, and the currency is ${stated}` };
  return currencyOf(units, preferred) ?? { reason: `${name}: ${units.join(' ')} names no currency, or several` };
}

function accept<T extends object | string>(read: T | CellProblem): T {
  return typeof read === 'object' && 'reason' in read ? reject(read) : (read as T);
}

function reject({ reason, code = 'VALIDATION_FAILED' }: { readonly reason: string; readonly code?: string }): never {
  throw new Failure(code, reason);
}
