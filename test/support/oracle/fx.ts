import { plusDays } from './calendar.js';
import { leavesIn } from './conditions.js';
import type { Config, Rule } from './config.js';
import { type Amount, amount, ONE } from './decimal.js';
import { formulaOn, foundName, type Mapped, numberFrom, planCurrency, readField, readStandard } from './fields.js';
import { periodDays, periodIn } from './fiscal.js';
import { fieldsOfFormula, isFormulaText } from './formulas.js';
import type { World, WorldDeal, WorldPlanVersion } from './world.js';

/** Money model, section 2: an exact quotient. */
interface Quotient {
  over: Amount;
  under: Amount;
}

/** The day of a rate. Of an open period the latest rate counts, of any age. */
interface RateDay {
  day: string;
  ofAnyAge: boolean;
}

/** (1) the stored pair, (2) the inverse of the opposite pair, (3) both legs through the workspace's currency. */
function findRate(world: World, table: string, from: string, to: string, on: RateDay): Quotient | null {
  const direct = findDirect(world, table, from, to, on);
  const middle = world.workspace.currency;
  if (direct !== null || from === middle || to === middle) return direct;
  const first = findDirect(world, table, from, middle, on);
  const second = findDirect(world, table, middle, to, on);
  if (first === null || second === null) return null;
  return { over: first.over.times(second.over), under: first.under.times(second.under) };
}

function findDirect(world: World, table: string, from: string, to: string, on: RateDay): Quotient | null {
  const stored = latest(world, table, from, to, on);
  if (stored !== null) return { over: stored, under: ONE };
  const opposite = latest(world, table, to, from, on);
  return opposite === null ? null : { over: ONE, under: opposite };
}

function latest(world: World, table: string, from: string, to: string, { day, ofAnyAge }: RateDay): Amount | null {
  const { fxMaxAgeDays = 45 } = world.workspace;
  const usable = (world.fxRates ?? []).filter(
    (rate) =>
      (rate.table ?? 'default') === table &&
      rate.from === from &&
      rate.to === to &&
      rate.day <= day &&
      (ofAnyAge || fxMaxAgeDays === null || plusDays(rate.day, fxMaxAgeDays) >= day),
  );
  const last = usable.sort((a, b) => (a.day < b.day ? -1 : 1)).at(-1);
  return last === undefined ? null : amount(last.rate);
}

/** What decides on the day of the rate, besides the terms of the version. */
type RatedRule = Pick<Rule, 'attainmentPeriod'> & Partial<Pick<Rule, 'calendar'>>;

/** The day that the version names for a deal under a rule. */
function rateDay(world: World, { fx }: WorldPlanVersion, rule: RatedRule, closeDate: string): RateDay {
  const exact = (day: string): RateDay => ({ day, ofAnyAge: false });
  if (fx?.date === 'fixed') return exact(fx.day ?? '');
  if (fx?.date !== 'period_start' && fx?.date !== 'period_end') return exact(closeDate);
  const period = periodIn(world, rule.calendar ?? 'calendar', rule.attainmentPeriod, closeDate);
  const days = period === null ? null : periodDays(world, period);
  if (days === null) return exact(closeDate);
  return fx.date === 'period_start' ? exact(days.first) : { day: days.last, ofAnyAge: days.last >= world.asOf };
}

/** The value in the currency of the plan. Null: no rate. */
export function inPlanCurrency(
  world: World,
  version: WorldPlanVersion,
  rule: RatedRule,
  { value, currency, closeDate }: { value: Amount; currency: string; closeDate: string },
): Amount | null {
  const to = planCurrency(world, version);
  if (currency === to) return value;
  const on = rateDay(world, version, rule, closeDate);
  const rate = findRate(world, version.fx?.table ?? 'default', currency, to, on);
  return rate === null ? null : value.times(rate.over).dividedBy(rate.under);
}

/** At the rate of the default table for a day. Null: no rate. */
export function onDay(
  world: World,
  { value, from, to, day }: { value: Amount; from: string; to: string; day: string },
): Amount | null {
  if (from === to) return value;
  const rate = findRate(world, 'default', from, to, { day, ofAnyAge: false });
  return rate === null ? null : value.times(rate.over).dividedBy(rate.under);
}

const AMOUNT = ['amount', 'value', 'dealAmount'];

/** The fields that a mapping puts in the place of the amount, and the amount itself. */
function amountFields(world: World, version: Mapped): string[] {
  const { measures, standard } = world.workspace;
  const put = AMOUNT.flatMap((name) => [version.fieldMapping?.[name], measures[name]]);
  return [...AMOUNT, ...put, standard.dealAmount].filter((name) => name !== undefined);
}

/** What a slug reads on a deal, if it is a number of money. */
export function moneyIn(
  world: World,
  version: WorldPlanVersion,
  deal: WorldDeal,
  slug: string,
): { value: Amount; currency: string } | null {
  const value = numberFrom(readField(world, version, deal, slug));
  if (value === null) return null;
  const field = foundName(world, version, deal, slug);
  const code = field === null ? mappedCode(world, version, deal, value) : codeOf(deal, field);
  const isMoney =
    field === null
      ? AMOUNT.includes(slug)
      : code !== null ||
        amountFields(world, version).includes(field) ||
        (world.workspace.currencyFields ?? []).includes(field);
  if (!isMoney) return null;
  const text = code ?? readStandard(world, version, deal, 'currency');
  const hasCode = typeof text === 'string' && text.trim() !== '';
  return { value, currency: hasCode ? text.trim().toUpperCase() : planCurrency(world, version) };
}

/** The mapped field has its currency where the amount is what it holds. */
function mappedCode(world: World, version: Mapped, deal: WorldDeal, value: Amount): string | null {
  const mapped = version.fieldMapping?.['dealAmount'] ?? world.workspace.standard.dealAmount;
  const held = mapped === undefined || !Object.hasOwn(deal.fields, mapped) ? null : numberFrom(deal.fields[mapped]);
  return mapped !== undefined && held?.equals(value) === true ? codeOf(deal, mapped) : null;
}

function codeOf(deal: WorldDeal, field: string): string | null {
  const code = Object.hasOwn(deal.fields, `${field}_currency`) ? deal.fields[`${field}_currency`] : null;
  return typeof code === 'string' && /^[A-Za-z]{3}$/.test(code) ? code : null;
}

/** How a rule of a converting plan reads the money of a deal. */
export interface Exchange {
  /** A money field that the rule names has a number without a rate. */
  isMissing: boolean;
  /** The value in the currency of the plan; undefined: no money. */
  read(slug: string): Amount | undefined;
}

/** Null: the plan does not convert. */
export function exchangeOf(
  world: World,
  version: WorldPlanVersion,
  config: Config,
  rule: Rule,
  deal: WorldDeal,
  keys: string[] = [],
): Exchange | null {
  if (version.fx === undefined || version.fx === null) return null;
  const { closeDate } = deal;
  const money = (slug: string) => {
    const found = moneyIn(world, version, deal, slug);
    return found === null || closeDate === null
      ? undefined
      : inPlanCurrency(world, version, rule, { ...found, closeDate });
  };
  return {
    isMissing: [...namedFields(config, rule), ...keys.flatMap(fieldsNamed)].some((slug) => money(slug) === null),
    read: (slug) => {
      if (!isFormulaText(slug)) return money(slug) ?? undefined;
      const value = formulaOn((name) => money(name)?.toFixed() ?? readField(world, version, deal, name), slug);
      return value === null ? undefined : amount(value);
    },
  };
}

function namedFields(config: Config, rule: Rule): string[] {
  const own = [rule.measure, rule.payoutBase, rule.tierValueField, rule.quotaMeasure];
  const credited = (rule.quotaCredit ?? []).map(({ field }) => field);
  const compared = leavesIn([...config.dealConditions, ...rule.conditions]).map(({ field }) => field);
  const named = [...own, ...credited, ...compared].filter((slug) => slug !== null);
  return named.flatMap(fieldsNamed);
}

function fieldsNamed(slug: string): string[] {
  return isFormulaText(slug) ? fieldsOfFormula(slug) : [slug];
}
