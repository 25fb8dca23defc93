import { visibleText } from './comparable-text.js';
import { Decimal } from './decimal.js';

/** How a file writes numbers: `en` 1,234.50 and `eu` 1.234,50. */
export const numberFormats = ['en', 'eu'] as const;
export type NumberFormat = (typeof numberFormats)[number];

/** A number as a file writes it. Its units are currency signs and codes, or `%`. */
export interface WrittenNumber {
  readonly value: string;
  readonly units: readonly string[];
}

const unit = String.raw`(?:[A-Z]{3}|[A-Z]{0,2}\p{Sc}|kr\.?|Kč|zł|Ft|lei|%)`;
const unitBefore = new RegExp(`^${unit}\\s*`, 'u');
const unitAfter = new RegExp(`(?<!\\s)\\s*${unit}$`, 'u');
const minus = /^-\s*|(?<!\s)\s*-$/;
const plain = /^-?\d+$/;
const numeric = /^[.,]*\d[\d.,]*$/;
/** The 400 digits that a decimal number may have, with a separator after every three, and units. */
const maxNumberLength = 600;

interface BareNumber {
  /** An optional minus, digits, dots and commas. */
  readonly bare: string;
  readonly units: readonly string[];
}

/** The number without its units, spaces, apostrophes and accounting parentheses; null if it has other characters. */
function toBare(text: string): BareNumber | null {
  if (text.trim().length > maxNumberLength) return null;
  if (numeric.test(text)) return { bare: text, units: [] };
  const units: string[] = [];
  const withoutUnits = (from: string) =>
    [unitBefore, unitAfter].reduce(
      (rest, pattern) =>
        rest.replace(pattern, (found) => {
          units.push(found.trim());
          return '';
        }),
      from.trim(),
    );
  let rest = withoutUnits(visibleText(text).replaceAll('\u2212', '-'));
  const inner = /^\((.*)\)$/.exec(rest)?.[1];
  let isNegative = inner !== undefined;
  rest = withoutUnits(inner ?? rest);
  if (minus.test(rest)) {
    if (isNegative) return null;
    isNegative = true;
    rest = withoutUnits(rest.replace(minus, ''));
  }
  const bare = rest.replace(/^\+/, '').replace(/(?<=\d)[\s'’_](?=\d{3}(?:\D|$))/g, '');
  return numeric.test(bare) ? { bare: isNegative ? `-${bare}` : bare, units } : null;
}

const patterns: Readonly<Record<NumberFormat, RegExp>> = {
  en: /^-?(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d+)?$/,
  eu: /^-?(?:\d+|\d{1,3}(?:\.\d{3})+)?(?:,\d+)?$/,
};

/** The digits with a dot as decimal separator, when the text is a number of that format. */
function inFormat(bare: string, format: NumberFormat): string | null {
  if (!patterns[format].test(bare)) return null;
  const [group, point] = format === 'en' ? [',', '.'] : ['.', ','];
  return bare.replaceAll(group, '').replace(point, '.');
}

/** A group of three digits follows `0`, which no thousands separator does: 0.125 is a fraction. */
const fraction = /^-?0\d*[.,]\d{3}$/;

/** What the text is in each of the formats; null where it is no number. */
function readings(bare: string): Readonly<Record<NumberFormat, string | null>> {
  // 0.125 cannot be 125, though the grouping pattern matches it.
  const isFraction = fraction.test(bare);
  return {
    en: isFraction && !bare.includes('.') ? null : inFormat(bare, 'en'),
    eu: isFraction && !bare.includes(',') ? null : inFormat(bare, 'eu'),
  };
}

/** The format that the text proves; null when it fits both or neither. */
export function detectNumberFormat(text: string): NumberFormat | null {
  if (plain.test(text)) return null;
  const { en, eu } = readings(toBare(text)?.bare ?? '');
  if ((en === null) === (eu === null)) return null;
  return en === null ? 'eu' : 'en';
}

/** The format that every text that proves one proves; null if none does, or if they differ. */
export function provenNumberFormat(texts: Iterable<string>): NumberFormat | null {
  const proven = new Set<NumberFormat>();
  for (const text of texts) {
    const format = detectNumberFormat(text);
    if (format !== null) proven.add(format);
  }
  const [only, another] = proven;
  return only !== undefined && another === undefined ? only : null;
}

/**
 * The number with a dot as decimal separator: in the given format, otherwise in the only one that fits. `ambiguous` when
 * both fit with different values; null when the text is no number.
 */
export function readWrittenNumber(text: string, format: NumberFormat | null): WrittenNumber | 'ambiguous' | null {
  if (plain.test(text)) return { value: text, units: [] };
  const written = toBare(text);
  const found = readings(written?.bare ?? '');
  const { en, eu } = found;
  if (written === null || (en === null && eu === null)) {
    // Exponents and forms such as `.5` are numbers of every other interface as well.
    return Decimal.parse(text.trim()) === null ? null : { value: text.trim(), units: [] };
  }
  if (format === null && en !== null && eu !== null && en !== eu) return 'ambiguous';
  const value = format === null ? (en ?? eu) : found[format];
  return value === null ? null : { value, units: written.units };
}
