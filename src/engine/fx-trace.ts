import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type FieldConversion, type FiringConversion } from './convert-deal.js';
import { type ExchangeRate } from './exchange-rates.js';

/** A value before and after its conversion: of a field of the deal, or what a person below earned. */
interface ConvertedValue {
  readonly field?: string;
  readonly repId?: string;
  readonly ruleName?: string;
  readonly value: number;
  readonly converted: number;
}

/** The values that one rate converted. */
export interface ConversionTrace {
  readonly from: string;
  readonly to: string;
  /** The day for which the rate was looked up. */
  readonly day: Day;
  /** The period of the day has not ended, so a later rate may replace this one. */
  readonly provisional?: true;
  /** For display, to 10 decimals; the legs have the exact rates. */
  readonly rate: number;
  /** The stored rates, each in its own direction: two if the conversion goes through the workspace's currency. */
  readonly legs: readonly { readonly from: string; readonly to: string; readonly day: Day; readonly rate: number }[];
  readonly values: readonly ConvertedValue[];
}

type StoredLeg = readonly [from: string, to: string, day: Day, rate: number];
/** The slug of a field, or the index of the upstream event in the trace. */
type StoredValue = readonly [fieldOrIndex: string | number, value: number, converted: number];

export type StoredConversion = readonly [
  from: string,
  to: string,
  day: Day,
  isProvisional: 0 | 1,
  rate: number,
  legs: readonly StoredLeg[],
  values: readonly StoredValue[],
];

/** The conversions as a positional JSON array, those of one rate together. */
export function encodeConversions(conversions: readonly FiringConversion[]): string {
  const byRate = new Map<string, FiringConversion[]>();
  for (const conversion of conversions) {
    const key = `${conversion.rate.from} ${conversion.on.day} ${conversion.on.isProvisional}`;
    const same = byRate.get(key);
    if (same === undefined) byRate.set(key, [conversion]);
    else same.push(conversion);
  }
  return `[${[...byRate.values()].map(encodeRate).join()}]`;
}

function encodeRate(conversions: readonly FiringConversion[]): string {
  const { rate, on } = conversions[0] as FieldConversion;
  const legs = rate.legs.map((leg) => `["${leg.from}","${leg.to}","${leg.day}",${leg.rate}]`);
  const values = conversions.map((conversion) => {
    const fieldOrIndex = 'upstream' in conversion ? conversion.upstream : JSON.stringify(conversion.field);
    return `[${fieldOrIndex},${conversion.value},${conversion.converted}]`;
  });
  const pair = `${JSON.stringify(rate.from)},"${rate.to}","${on.day}",${on.isProvisional ? 1 : 0}`;
  return `[${pair},${displayedRate(rate)},[${legs.join()}],[${values.join()}]]`;
}

const displayedPlaces = 10;

/** The rate of the pair, to 10 decimals. */
export function displayedRate({ numerator, denominator }: Pick<ExchangeRate, 'numerator' | 'denominator'>): Decimal {
  return denominator.equals(Decimal.one) ? numerator : numerator.dividedBy(denominator).rounded(displayedPlaces);
}

export function decodeConversions(
  stored: readonly StoredConversion[],
  upstream: readonly (readonly [repId: string, ruleName: string, amount: number])[],
): ConversionTrace[] {
  return stored.map(([from, to, day, isProvisional, rate, legs, values]) => ({
    from,
    to,
    day,
    ...(isProvisional === 1 ? { provisional: true as const } : {}),
    rate,
    legs: legs.map(([legFrom, legTo, legDay, legRate]) => ({ from: legFrom, to: legTo, day: legDay, rate: legRate })),
    values: values.map(([fieldOrIndex, value, converted]) => ({ ...nameOf(fieldOrIndex, upstream), value, converted })),
  }));
}

function nameOf(
  fieldOrIndex: string | number,
  upstream: readonly (readonly [repId: string, ruleName: string, amount: number])[],
): Pick<ConvertedValue, 'field' | 'repId' | 'ruleName'> {
  if (typeof fieldOrIndex === 'string') return { field: fieldOrIndex };
  const [repId, ruleName] = upstream[fieldOrIndex] as readonly [string, string, number];
  return { repId, ruleName };
}
