/** The reader's locale for numbers, with the digits 0 to 9. Words are English. */
export const locale = readableLocale(typeof navigator === 'undefined' ? 'en-US' : navigator.language);

/** Some systems report names that are no language tags. */
function readableLocale(language: string): string {
  try {
    return new Intl.Locale(language, { numberingSystem: 'latn' }).toString();
  } catch {
    return 'en-US';
  }
}

/** An amount as the API returns it, or as an exact decimal text. */
export type Amount = number | string;

const noBreakSpace = '\u00a0';
const minus = '−';

/** `Intl` reads decimal texts exactly, so amounts of any size are displayed to the cent. */
function exact(amount: Amount): number {
  return String(amount) as unknown as number;
}

const formats = new Map<string, Intl.NumberFormat>();

/** Making a format takes ten times as long as using it, and a page has thousands of amounts. */
function numberFormat(language: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(language, options);
  formats.set(key, format);
  return format;
}

function withMinus(text: string): string {
  return text.replace('-', minus);
}

/** How an amount is displayed, split where the cents begin, which heroes dim. */
interface MoneyParts {
  readonly whole: string;
  readonly cents: string;
}

interface MoneyOptions {
  /** `symbol`: $1.00, the default; `none`: 1.00, for columns whose unit is in the header; `code`: USD 1.00. */
  readonly unit?: 'symbol' | 'none' | 'code';
  /** Whether positive amounts have a plus sign. */
  readonly signed?: boolean;
  /** Whether whole amounts are displayed without cents. */
  readonly trim?: boolean;
  /** Shows at least so many decimals, also if the currency has fewer. */
  readonly decimals?: number;
}

/** While a person types the currency of a plan, it has fewer than three letters: no format exists for it. */
function currencyOptions(currency: string, unit: MoneyOptions['unit']): Intl.NumberFormatOptions {
  if (!/^[a-z]{3}$/i.test(currency)) return { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return { style: 'currency', currency, currencyDisplay: unit === 'code' ? 'code' : 'narrowSymbol' };
}

export function currencyDecimals(currency: string): number {
  return numberFormat(locale, currencyOptions(currency, 'symbol')).resolvedOptions().maximumFractionDigits ?? 2;
}

/** The currency's own number of decimals, the symbol, and a true minus sign. */
export function moneyParts(amount: Amount, currency: string, options: MoneyOptions = {}): MoneyParts {
  const { unit = 'symbol', signed = false, trim = false, decimals = 0 } = options;
  const isWhole = trim && !/\.\d*[1-9]/.test(String(amount));
  const parts = numberFormat(locale, {
    ...currencyOptions(currency, unit),
    signDisplay: signed ? 'exceptZero' : 'negative',
    ...(decimals > currencyDecimals(currency)
      ? { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
      : {}),
    ...(isWhole ? { minimumFractionDigits: 0, maximumFractionDigits: 0 } : {}),
  }).formatToParts(exact(amount));
  const visible =
    unit === 'none' ? parts.filter(({ type, value }) => type !== 'currency' && value.trim() !== '') : parts;
  const decimal = visible.findIndex(({ type }) => type === 'decimal');
  const text = (from: number, to: number) =>
    withMinus(
      visible
        .slice(from, to)
        .map(({ value }) => value)
        .join(''),
    );
  if (decimal < 0) return { whole: text(0, visible.length), cents: '' };
  return { whole: text(0, decimal), cents: text(decimal, visible.length) };
}

export function formatMoney(amount: Amount, currency: string, options?: MoneyOptions): string {
  const { whole, cents } = moneyParts(amount, currency, options);
  return `${whole}${cents}`;
}

/**
 * `$1.3M`, or `1,3M $` as the reader writes amounts: only in charts and cards, with the exact amount in a title. The
 * letter is an English word.
 */
export function formatCompact(amount: Amount, currency: string): string {
  const decimals = { minimumFractionDigits: 0, maximumFractionDigits: 1 };
  const english = numberFormat('en-US', { notation: 'compact', ...decimals }).formatToParts(exact(amount));
  const digits = english.filter(({ type }) => type !== 'compact' && type !== 'group').map(({ value }) => value);
  const letter = english.find(({ type }) => type === 'compact')?.value.replace('K', 'k') ?? '';
  const written = numberFormat(locale, { ...currencyOptions(currency, 'symbol'), ...decimals });
  const parts = written.formatToParts(exact(digits.join('')));
  const last = parts.findLastIndex(({ type }) => type === 'integer' || type === 'fraction');
  return withMinus(parts.map(({ value }, index) => (index === last ? `${value}${letter}` : value)).join(''));
}

export function formatNumber(value: Amount, maxDecimals = 6): string {
  return withMinus(numberFormat(locale, { maximumFractionDigits: maxDecimals }).format(exact(value)));
}

/** What counts towards a quota, which may be money: without decimals if it is whole, otherwise with two. */
export function formatUnits(value: Amount): string {
  const isWhole = Number(Number(value).toFixed(2)) % 1 === 0;
  const decimals = isWhole ? 0 : 2;
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return withMinus(numberFormat(locale, { ...options, signDisplay: 'negative' }).format(exact(value)));
}

/** A ratio as a percentage, such as 112 % for 1.12. */
export function formatPercent(ratio: Amount, maxDecimals: number): string {
  return `${formatNumber(shifted(ratio, 2), maxDecimals)}${noBreakSpace}%`;
}

/** Attainment has at most one decimal, and is never capped. */
export function formatAttainment(ratio: Amount): string {
  return formatPercent(ratio, 1);
}

/** A rate has at most two decimals, such as 8.25 %. */
export function formatRate(ratio: Amount): string {
  return formatPercent(ratio, 2);
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)}${noBreakSpace}${count === 1 ? one : many}`;
}

/** Moves the decimal point to the right, in the text, so that 0.07 becomes 7 and not 7.000000000000001. */
export function shifted(value: Amount, places: number): number {
  const [digits, exponent = '0'] = String(Number(value)).split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
}
