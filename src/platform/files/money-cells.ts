import { type DateFormat, readDateText } from '../../kernel/date-text.js';
import { type Day } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { detectNumberFormat, type NumberFormat, readNumber } from '../../kernel/number-text.js';
import { rejectedRow } from './import-results.js';

/** How a file writes its days and numbers. Null: what its numbers do not prove is ambiguous. */
export interface FileFormat {
  readonly dates: DateFormat;
  readonly numbers: NumberFormat | null;
}

/** The amount of a cell; undefined for an empty one. */
export function readAmountCell(name: string, text: string | undefined, { numbers }: FileFormat): number | undefined {
  if (text === undefined) return undefined;
  const read = readNumber(text, numbers);
  if (read === 'ambiguous')
    throw new Failure(
      'ambiguous_number',
      `${name}: ${text} can be read with a thousands separator and with a decimal separator; give numberFormat=en or eu.`,
    );
  if (read === null) throw rejectedRow(`${name}: ${text} is not an amount`);
  return Number(read);
}

/** The day of a cell; undefined for an empty one. */
export function readDayCell(name: string, text: string | undefined, { dates }: FileFormat): Day | undefined {
  if (text === undefined) return undefined;
  const day = readDateText(text, dates, 'UTC');
  if (day === null) throw rejectedRow(`${name}: ${text} is not a date in the format ${dates}`);
  return day;
}

/** The format that every number of the file that proves one proves; null if none does, or if they differ. */
export function provenFormat(texts: readonly string[]): NumberFormat | null {
  const [only, another] = new Set(texts.flatMap((text) => detectNumberFormat(text) ?? []));
  return only !== undefined && another === undefined ? only : null;
}
