import { locale } from './numbers.js';

/** Letters that have no accent to remove. */
const latin: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/** Returns the text in small letters without accents: Jürgen Großmann becomes jurgen grossmann. */
export function withoutAccents(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\0-\x7f]/g, (letter) => latin[letter] ?? letter);
}

/** Whether one of the values contains the text, whatever its case and accents. */
export function containsText(text: string, ...values: readonly string[]): boolean {
  const searched = withoutAccents(text.trim());
  return values.some((value) => withoutAccents(value).includes(searched));
}

const collator = new Intl.Collator(locale, { numeric: true });

/** The order of names in the language of the reader: Çelik is before Dang, and deal 9 before deal 10. */
export function compareTexts(left: string, other: string): number {
  return collator.compare(left, other);
}

/** The rows by name, in the language of the reader. */
export function byName<Row extends { readonly name: string }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((row, other) => compareTexts(row.name, other.name));
}
