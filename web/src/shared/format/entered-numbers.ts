import { locale, shifted } from './numbers.js';

const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(1_234_567.8);
const separator = (type: 'group' | 'decimal') => parts.find((part) => part.type === type)?.value;
const [group = ',', decimal = '.'] = [separator('group'), separator('decimal')];

/** Between thousands, as the reader writes them. */
export const groupSeparator = group;

const currency = String.raw`(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}|kr\.?|Kč|zł|Ft|lei)`;
const sign = '[-−+]';
const written = new RegExp(`^(${sign}?)${currency}?(${sign}?)(\\d[\\d.,]*|[.,]\\d+)${currency}?(${sign}?)$`, 'u');
const thousands = /^\d{1,3}([.,])(?:\d{2,3}\1)*\d{3}$/;

/**
 * The number of a text as people write it: with a currency, thousands separators or spaces, and negative with a minus
 * sign or in parentheses. The last separator of two kinds is the decimal one; a single separator before three digits
 * means what it means in the reader's locale. Null if the text is no number.
 */
export function readNumber(text: string): number | null {
  const plain = text.normalize('NFKC').replace(/[\s'’_]/g, '');
  const inner = /^\((.*)\)$/.exec(plain)?.[1];
  const [, ...found] = written.exec(inner ?? plain) ?? [];
  const [before = '', between = '', digits, after = ''] = found;
  const signs = `${inner === undefined ? '' : '-'}${before}${between}${after}`;
  const value = digits === undefined || signs.length > 1 ? null : readDigits(digits);
  if (value === null || !Number.isFinite(value)) return null;
  return /[-−]/.test(signs) && value !== 0 ? -value : value;
}

function readDigits(digits: string): number | null {
  const separators = digits.replace(/\d/g, '');
  const last = separators.at(-1);
  if (last === undefined) return Number(digits);
  const isSeveral = separators.length > 1 && separators === last.repeat(separators.length);
  if (isSeveral || isThousands(digits)) return thousands.test(digits) ? Number(digits.replaceAll(last, '')) : null;
  const at = digits.lastIndexOf(last);
  const [whole, fraction] = [digits.slice(0, at), digits.slice(at + 1)];
  if (separators.length === 1) return Number(`${whole}.${fraction}`);
  return thousands.test(whole) ? Number(`${whole.replace(/[.,]/g, '')}.${fraction}`) : null;
}

/** Whether the only separator is before three digits and the one that the reader writes between thousands. */
export function isThousands(digits: string): boolean {
  const separators = digits.replace(/\d/g, '');
  return separators === group && !digits.startsWith('0') && thousands.test(digits);
}

const digitsOnly = new Intl.NumberFormat('en-US', { useGrouping: false, maximumFractionDigits: 20 });

/** The number as it is filled in for a change. {@link readNumber} reads it, in every locale. */
export function writeNumber(value: number | undefined): string {
  return value === undefined ? '' : digitsOnly.format(value).replace('.', decimal);
}

/** A number, or a percentage as a share: 0.25 or 25 %. */
export function readShare(text: string): number | null {
  const percent = /^(.*)%$/.exec(text.trim())?.[1];
  if (percent === undefined) return readNumber(text);
  const number = readNumber(percent);
  return number === null ? null : shifted(number, -2);
}

/** A share as a percentage, which {@link readShare} reads. */
export function writeShare(share: number): string {
  return `${writeNumber(shifted(share, 2))} %`;
}
