import { Decimal } from './decimal.js';

/** How a file writes numbers: `en` 1,234.50 and `eu` 1.234,50. */
export const numberFormats = ['en', 'eu'] as const;
export type NumberFormat = (typeof numberFormats)[number];

const signs = /^(?:[A-Z]{3}|[A-Z]{0,2}\p{Sc})\s*|\s*(?:[A-Z]{3}|\p{Sc})$/gu;
const plain = /^-?\d+$/;

/** The number without its currency sign, spaces, apostrophes and accounting parentheses: an optional minus, digits, dots and commas. */
function bareNumber(text: string): string | null {
  let bare = text.trim().replaceAll('\u2212', '-');
  const unsigned = bare.replace(signs, '');
  const inParentheses = /^\((.*)\)$/.exec(unsigned.trim());
  bare = (inParentheses?.[1] ?? unsigned).trim().replace(signs, '');
  let isNegative = inParentheses !== null;
  const minus = /^-\s*|\s*-$/;
  if (minus.test(bare)) {
    if (isNegative) return null;
    isNegative = true;
    bare = bare.replace(minus, '').replace(signs, '');
  }
  bare = bare.replace(/^\+/, '').replace(/(?<=\d)[\s\u00a0\u202f'’](?=\d{3}(?:\D|$))/g, '');
  return /^[\d.,]*\d[\d.,]*$/.test(bare) ? (isNegative ? `-${bare}` : bare) : null;
}

/** The digits with a dot as decimal separator, when the text is a number of that format. */
function inFormat(bare: string, format: NumberFormat): string | null {
  const pattern =
    format === 'en' ? /^-?(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d+)?$/ : /^-?(?:\d+|\d{1,3}(?:\.\d{3})+)?(?:,\d+)?$/;
  if (!pattern.test(bare)) return null;
  const [group, point] = format === 'en' ? [',', '.'] : ['.', ','];
  return bare.replaceAll(group, '').replace(point, '.');
}

/** Whether a group of three digits follows `0`, which no thousands separator does: 0.125 is a fraction. */
function isFraction(bare: string): boolean {
  return /^-?0\d*[.,]\d{3}$/.test(bare);
}

/** The formats in which the text is a number, and what it is in each. */
function readings(text: string): Map<NumberFormat, string> {
  const found = new Map<NumberFormat, string>();
  const bare = bareNumber(text);
  if (bare === null) return found;
  for (const format of numberFormats) {
    const read = inFormat(bare, format);
    if (read === null) continue;
    // 0.125 cannot be 125, though the grouping pattern matches it.
    if (isFraction(bare) && !bare.includes(format === 'en' ? '.' : ',')) continue;
    found.set(format, read);
  }
  return found;
}

/** The format that the text proves; null when it fits both or neither. */
export function detectNumberFormat(text: string): NumberFormat | null {
  if (plain.test(text)) return null;
  const found = readings(text);
  const [only, another] = found.keys();
  return only !== undefined && another === undefined ? only : null;
}

/**
 * The number as plain text with a dot: in the given format, otherwise in the only one that fits. `ambiguous` when both fit
 * with different values; null when the text is no number.
 */
export function readNumber(text: string, format: NumberFormat | null): string | 'ambiguous' | null {
  if (plain.test(text)) return text;
  const found = readings(text);
  // Exponents and forms such as `.5` are numbers of every other interface as well.
  if (found.size === 0) return Decimal.parse(text.trim()) === null ? null : text.trim();
  if (format !== null) return found.get(format) ?? null;
  const values = new Set(found.values());
  return values.size === 1 ? ([...values][0] ?? null) : 'ambiguous';
}
