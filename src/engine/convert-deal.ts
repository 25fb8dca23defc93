import { type Decimal } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type Condition, leavesOf } from './condition.js';
import { isLineSlug } from './deal-line.js';
import {
  convertAmount,
  defaultRateTable,
  type ExchangeRate,
  type ExchangeRates,
  type RateDay,
} from './exchange-rates.js';
import { asNumber, comparable, type FieldValue, isAbsent } from './field-value.js';
import { fieldsIn, isFormula } from './formula.js';
import { type Rule } from './plan-config.js';
import { type PlanFx } from './plan-fx.js';
import { namesLines } from './rule-lines.js';
import {
  codeBeside,
  type Deal,
  dealCount,
  type FieldSources,
  fieldSources,
  findKey,
  lineCount,
  own,
  type SlugMapping,
  teamEarnings,
} from './slug.js';

/** The exchange rates, and which fields of deals hold money in the workspace. */
export interface FxInput {
  readonly rates: ExchangeRates;
  /** The fields that the CRM defines as money. */
  readonly currencyFields: ReadonlySet<string>;
  /** The field that holds the amount of a deal; null if the workspace has not mapped it. */
  readonly amountSlug: string | null;
}

/** One converted value: of a field of a deal, or an amount of a person below. */
interface Conversion {
  readonly value: Decimal;
  readonly converted: Decimal;
  readonly rate: ExchangeRate;
  readonly on: RateDay;
}

export interface FieldConversion extends Conversion {
  readonly field: string;
}

/** A conversion of a firing: of a field, or of the event of a person below with the index. */
export type FiringConversion = FieldConversion | (Conversion & { readonly upstream: number });

/** A deal with its money in the currency of the plan. */
export interface ConvertedDeal {
  readonly deal: Deal;
  readonly conversions: readonly FieldConversion[];
  /** The fields whose number has no rate; they are as the deal has them. */
  readonly missing: readonly string[];
}

/** What a version converts: the sources of every field that it names, and by which rates. */
export interface CompiledFx {
  readonly terms: PlanFx;
  readonly currency: string;
  readonly sources: ReadonlyMap<string, FieldSources>;
  /** Where the mappings find the amount. */
  readonly amountKeys: ReadonlySet<string>;
}

const amountSlugs = ['amount', 'value', 'dealAmount'];

interface ConvertingVersion<OfRule extends Rule> {
  readonly currency: string;
  readonly fx?: PlanFx | null;
  readonly fieldMapping: SlugMapping;
  readonly dealConditions: readonly Condition[];
  readonly rules: readonly OfRule[];
}

/** Null for a version that converts nothing. */
export function compileFx<OfRule extends Rule>(
  version: ConvertingVersion<OfRule>,
  measures: SlugMapping,
  keysOf: (rule: OfRule) => readonly string[] = () => [],
): CompiledFx | null {
  const { fx, currency, fieldMapping, dealConditions, rules } = version;
  if (fx === undefined || fx === null) return null;
  const slugs = new Set(rules.flatMap((rule) => listFields(rule, dealConditions, keysOf(rule))));
  const sourcesOf = (slug: string) => fieldSources(slug, fieldMapping, measures);
  return {
    terms: fx,
    currency,
    sources: new Map([...slugs].map((slug) => [slug, sourcesOf(slug)])),
    amountKeys: new Set([...amountSlugs, ...amountSlugs.flatMap((slug) => sourcesOf(slug).keys)]),
  };
}

/** The fields of deals that a rule of the plan names, with those of all conditions and those of keys of rate tables. */
export function listFields(rule: Rule, dealConditions: readonly Condition[], keys: readonly string[] = []): string[] {
  const slugs = new Set([...listNames(rule, dealConditions), ...keys].flatMap(fieldsIn));
  const isOfDeal = (slug: string) =>
    slug !== dealCount &&
    slug !== lineCount &&
    slug !== teamEarnings &&
    (rule.lines === undefined || !isLineSlug(slug));
  return [...slugs].filter(isOfDeal);
}

/** The formulas among what {@link listFields} reads. */
export function listFormulas(rule: Rule, dealConditions: readonly Condition[]): string[] {
  const isOfDeal = (slug: string) => rule.lines === undefined || !namesLines(slug);
  return [...new Set(listNames(rule, dealConditions).filter((slug) => isFormula(slug) && isOfDeal(slug)))];
}

function listNames(rule: Rule, dealConditions: readonly Condition[]): string[] {
  const { measure, payoutBase, tierValueField, quotaMeasure, quotaCredit = [], conditions, lines } = rule;
  const named = [measure, payoutBase, tierValueField, quotaMeasure, ...quotaCredit.map(({ field }) => field)];
  const compared = leavesOf([...dealConditions, ...conditions, ...(lines?.conditions ?? [])]).map(({ field }) => field);
  return [...named, ...compared].filter((slug) => slug !== undefined);
}

/** Where a number was found that counts as money, and its currency. */
interface Money {
  readonly key: string | null;
  readonly value: Decimal;
  readonly currency: string;
}

/** Converts the deals of one version. Keeps the last deal, which several rules read. */
export class DealConverter {
  private last: Deal | null = null;
  private readonly converted = new Map<string, ConvertedDeal>();

  constructor(
    private readonly compiled: CompiledFx,
    private readonly input: FxInput,
  ) {}

  /** The rate to the currency of the plan; null if there is none. */
  findRate(currency: string, on: RateDay): ExchangeRate | null {
    const { terms, currency: target } = this.compiled;
    return this.input.rates.find(terms.table ?? defaultRateTable, currency, target, on);
  }

  convert(deal: Deal, on: RateDay): ConvertedDeal {
    if (deal !== this.last) {
      this.last = deal;
      this.converted.clear();
    }
    return getOrInsert(this.converted, `${on.day} ${on.isProvisional}`, () => this.compute(deal, on));
  }

  private compute(deal: Deal, on: RateDay): ConvertedDeal {
    const conversions: FieldConversion[] = [];
    const missing: string[] = [];
    const fields: Record<string, FieldValue> = {};
    let amount: FieldValue | undefined;
    for (const [field, sources] of this.compiled.sources) {
      const money = this.findMoney(deal, sources);
      if (money === null || money.currency === this.compiled.currency) continue;
      const rate = this.findRate(money.currency, on);
      if (rate === null) {
        missing.push(field);
        continue;
      }
      const converted = convertAmount(money.value, rate);
      conversions.push({ field, value: money.value, converted, rate, on });
      if (money.key === null) amount = toFieldValue(converted);
      else fields[money.key] = toFieldValue(converted);
    }
    if (conversions.length === 0) return { deal, conversions, missing };
    const standard = amount === undefined ? deal.standard : { ...deal.standard, dealAmount: amount };
    const converted = { ...deal, fields: { ...deal.fields, ...fields }, standard, unconverted: deal };
    return { deal: converted, conversions, missing };
  }

  /** The number that the plan reads, if it is money. */
  private findMoney(deal: Deal, sources: FieldSources): Money | null {
    const key = findKey(deal, sources);
    if (key !== null) {
      const ownCode = codeBeside(deal, key);
      const isMoney =
        ownCode !== null ||
        this.compiled.amountKeys.has(key) ||
        key === this.input.amountSlug ||
        this.input.currencyFields.has(key);
      return isMoney ? this.toMoney(key, own(deal.fields, key), ownCode ?? deal.standard.currency) : null;
    }
    if (sources.standard !== 'dealAmount') return null;
    return this.toMoney(null, deal.standard.dealAmount, this.mappedCode(deal) ?? deal.standard.currency);
  }

  /** The currency beside the field that the workspace reads as the amount, unless the amount was given by name. */
  private mappedCode(deal: Deal): string | null {
    const { amountSlug } = this.input;
    if (amountSlug === null) return null;
    const mapped = asNumber(own(deal.fields, amountSlug));
    const amount = asNumber(deal.standard.dealAmount);
    return mapped !== null && amount?.equals(mapped) === true ? codeBeside(deal, amountSlug) : null;
  }

  private toMoney(key: string | null, stored: FieldValue | undefined, code: FieldValue | undefined): Money | null {
    const value = asNumber(stored);
    if (value === null) return null;
    const currency = isAbsent(code) ? this.compiled.currency : comparable(String(code)).toUpperCase();
    return { key, value, currency };
  }
}

/** A number that is exact as such; a longer one stays text. */
export function toFieldValue(value: Decimal): FieldValue {
  const text = value.toString();
  const number = Number(text);
  return text.length <= 15 && String(number) === text ? number : text;
}
