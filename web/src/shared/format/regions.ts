import { locale } from './numbers.js';

type Choices = readonly (readonly [value: string, label: string])[];

/** Every currency of the browser, and the present one, with its name in the language of the reader. */
export function currencyChoices(current: string): Choices {
  const names = new Intl.DisplayNames(locale, { type: 'currency' });
  const codes = [...new Set([current, ...Intl.supportedValuesOf('currency')])].sort();
  return codes.map((code) => [code, `${code}, ${names.of(code) ?? code}`]);
}

/** Every time zone of the browser, and the present one. */
export function timeZoneChoices(current: string): Choices {
  return [...new Set([current, ...Intl.supportedValuesOf('timeZone')])].sort().map((zone) => [zone, zone]);
}
