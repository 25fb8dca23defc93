import { isCurrency } from './currency.js';

/** The currencies that a sign may stand for. */
const bySign: Readonly<Record<string, readonly string[]>> = {
  $: ['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD', 'MXN', 'TWD', 'ARS', 'CLP', 'COP', 'UYU', 'DOP', 'JMD', 'TTD', 'BBD'],
  US$: ['USD'],
  C$: ['CAD', 'NIO'],
  CA$: ['CAD'],
  A$: ['AUD'],
  AU$: ['AUD'],
  NZ$: ['NZD'],
  S$: ['SGD'],
  SG$: ['SGD'],
  HK$: ['HKD'],
  MX$: ['MXN'],
  NT$: ['TWD'],
  R$: ['BRL'],
  '€': ['EUR'],
  '£': ['GBP', 'EGP', 'GIP', 'FKP', 'SHP', 'LBP', 'SSP', 'SDG', 'SYP'],
  '¥': ['JPY', 'CNY'],
  'CN¥': ['CNY'],
  'JP¥': ['JPY'],
  '₹': ['INR'],
  '₩': ['KRW', 'KPW'],
  '₽': ['RUB'],
  '₺': ['TRY'],
  '₴': ['UAH'],
  '₫': ['VND'],
  '₪': ['ILS'],
  '₱': ['PHP'],
  '฿': ['THB'],
  '₦': ['NGN'],
  '₵': ['GHS'],
  '₡': ['CRC'],
  '₲': ['PYG'],
  '₸': ['KZT'],
  '₮': ['MNT'],
  '₭': ['LAK'],
  '₼': ['AZN'],
  '₾': ['GEL'],
  kr: ['SEK', 'NOK', 'DKK', 'ISK'],
  Kč: ['CZK'],
  zł: ['PLN'],
  Ft: ['HUF'],
  lei: ['RON', 'MDL'],
};

/** What `$`, `£`, `¥` and `₩` mean to most readers where the workspace has another currency. `kr` means nothing then. */
const usual: ReadonlySet<string> = new Set(['USD', 'GBP', 'JPY', 'KRW', 'CAD', 'RON']);

function currenciesOf(unit: string): readonly string[] {
  return isCurrency(unit) ? [unit] : (bySign[unit.replace(/\.$/, '')] ?? []);
}

/** Whether the signs and codes beside an amount may all stand for the currency. */
export function fitCurrency(units: readonly string[], currency: string): boolean {
  return units.every((unit) => currenciesOf(unit).includes(currency));
}

/**
 * The currency that the signs and codes beside an amount state together. A sign of several currencies is the preferred
 * one if that is among them. Null if they contradict each other or name no currency.
 */
export function currencyOf(units: readonly string[], preferred: string): string | null {
  if (fitCurrency(units, preferred)) return preferred;
  const [first = '', ...others] = units;
  const possible = currenciesOf(first).filter((currency) => fitCurrency(others, currency));
  const [only, another] = possible;
  if (another === undefined) return only ?? null;
  return possible.find((currency) => usual.has(currency)) ?? null;
}
