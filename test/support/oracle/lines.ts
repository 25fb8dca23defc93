import { allPass, leavesIn } from './conditions.js';
import type { Condition, Rule, Tier } from './config.js';
import { type Amount, amount, sum, text, ZERO } from './decimal.js';
import {
  countOf,
  currencyFits,
  formulaOn,
  numberFrom,
  type Present,
  planCurrency,
  readField,
  readStandard,
} from './fields.js';
import { fieldsOfFormula, isFormulaText } from './formulas.js';
import { type Exchange, inPlanCurrency, moneyIn } from './fx.js';
import type { World, WorldDeal, WorldLine, WorldPlanVersion, WorldTable } from './world.js';

/** L7. */
export interface LinesOfRule {
  conditions: Condition[];
  takesDeal: boolean;
  flatPer: 'deal' | 'line' | 'unit';
}

export function isOfLines(slug: string): boolean {
  return slug === '_lines' || namesIn(slug).some((name) => /^line\./i.test(name));
}

function namesIn(slug: string): string[] {
  return isFormulaText(slug) ? fieldsOfFormula(slug) : [slug];
}

/** L13: the fields whose sum over lines is the base; null for a base of the deal. */
export function baseOfLines({ lines, payoutBase, measure }: Rule): string | null {
  if (lines === null || payoutBase === '1' || payoutBase === 'variable_target') return null;
  const slug = payoutBase ?? measure;
  return isOfLines(slug) ? slug : null;
}

/** L16. */
export function tierOfLines({ lines, phase, tierBy, tierValueField }: Rule): boolean {
  return (
    lines !== null && phase !== 'periodic' && tierBy === 'value' && tierValueField !== null && isOfLines(tierValueField)
  );
}

const STANDARD: Record<string, keyof WorldLine> = {
  id: 'lineId',
  product_code: 'productCode',
  name: 'name',
  family: 'family',
  quantity: 'quantity',
  unit_price: 'unitPrice',
  list_price: 'listPrice',
  cost: 'cost',
  discount: 'discount',
  amount: 'amount',
  currency: 'currency',
  months: 'months',
};
const MONEY = ['unit_price', 'list_price', 'amount', 'cost'];

/** A line as one rule of a plan sees it. */
export interface SeenLine {
  line: WorldLine;
  read: (slug: string) => Present | null;
  /** Money that it has no rate for, among these slugs. */
  lacksRate: (slugs: string[]) => boolean;
  currency: string;
}

interface Sight {
  world: World;
  version: WorldPlanVersion;
  rule: Rule;
  deal: WorldDeal;
  /** Null: the plan does not convert. */
  exchange: Exchange | null;
}

function seen(line: WorldLine, sight: Sight): SeenLine {
  const { world, version, rule, deal, exchange } = sight;
  const currency = line.currency ?? currencyOfDeal(sight);
  const own = (name: string): Present | null => {
    const field = STANDARD[name.toLowerCase()];
    const value =
      field === undefined
        ? Object.entries(line.fields ?? {}).find(([slug]) => slug.toLowerCase() === name.toLowerCase())?.[1]
        : (line[field] as Present | null | undefined);
    return value === undefined || value === null || value === '' ? null : value;
  };
  const converted = (name: string): Amount | null => {
    const value = numberFrom(own(name));
    if (value === null || deal.closeDate === null) return value;
    return inPlanCurrency(world, version, rule, { value, currency, closeDate: deal.closeDate });
  };
  const isConverted = (name: string) =>
    exchange !== null && MONEY.includes(name.toLowerCase()) && numberFrom(own(name)) !== null;
  const readName = (slug: string): Present | null => {
    if (/^line\./i.test(slug)) {
      const name = slug.slice('line.'.length);
      const value = isConverted(name) ? converted(name) : null;
      return value === null ? own(name) : text(value);
    }
    const ofDeal = exchange?.read(slug);
    return ofDeal === undefined ? readField(world, version, deal, slug) : text(ofDeal);
  };
  return {
    line,
    currency,
    read: (slug) => (isFormulaText(slug) ? formulaOn(readName, slug) : readName(slug)),
    lacksRate: (slugs) =>
      slugs
        .flatMap(namesIn)
        .filter((name) => /^line\./i.test(name))
        .some((name) => isConverted(name.slice(5)) && converted(name.slice(5)) === null),
  };
}

function currencyOfDeal({ world, version, deal }: Sight): string {
  const stated = readStandard(world, version, deal, 'currency');
  return typeof stated === 'string' && stated.trim() !== ''
    ? stated.trim().toUpperCase()
    : planCurrency(world, version);
}

function linesIn(sight: Sight): WorldLine[] {
  const { world, version, rule, deal } = sight;
  if (deal.lines !== undefined && deal.lines.length > 0) return deal.lines;
  if (rule.lines?.takesDeal !== true) return [];
  const value = readField(world, version, deal, 'amount');
  const isNumber = typeof value === 'number' || typeof value === 'string';
  const currency = moneyIn(world, version, deal, 'amount')?.currency ?? null;
  return [{ lineId: 'deal', amount: isNumber ? value : null, currency }];
}

/** L9 and L10: the lines that match; null where the rule does not fire on the deal. */
export function matching(sight: Sight, keys: string[]): SeenLine[] | null {
  const { world, version, rule, deal, exchange } = sight;
  const { conditions = [] } = rule.lines ?? {};
  const lines = linesIn(sight).map((line) => seen(line, sight));
  const compared = leavesIn(conditions).map(({ field }) => field);
  if (lines.some(({ lacksRate }) => lacksRate(compared))) return null;
  const found = lines.filter(({ read }) =>
    allPass(conditions, { world, version, deal, seenFrom: deal.closeDate ?? world.asOf, read }),
  );
  if (found.length === 0) return null;
  const credited = [...(rule.quotaCredit ?? []).map(({ field }) => field), rule.quotaMeasure];
  const paid = [rule.measure, rule.payoutBase, ...credited].filter((slug) => slug !== null);
  const valued = [...paid, ...(rule.tierValueField === null ? [] : [rule.tierValueField]), ...keys];
  if (found.some(({ lacksRate }) => lacksRate(valued))) return null;
  if (exchange !== null) return found;
  const ofLines = paid.flatMap(namesIn).some((name) => /^line\./i.test(name));
  const ofDeal = paid
    .filter((slug) => !['1', 'variable_target', '_deals', '_earned', '_lines'].includes(slug))
    .flatMap(namesIn)
    .filter((name) => !/^line\./i.test(name));
  const isForeign = ({ currency }: SeenLine) => currency !== planCurrency(world, version);
  if (ofLines && found.some(isForeign)) return null;
  return currencyFits(world, version, deal, ofDeal) ? found : null;
}

/** A counted line. Nothing is shared yet. */
export interface CountedLine extends SeenLine {
  measure: Amount;
  base: Amount;
  quantity: Amount | null;
  tierValue: Amount | null;
}

function numberOf({ read }: SeenLine, slug: string): Amount | null {
  return numberFrom(read(slug));
}

/** L11: the matching lines with a number in the measure and in a base of lines. */
export function counted(sight: Sight, found: SeenLine[]): CountedLine[] {
  const { world, version, rule, deal } = sight;
  const count = countOf(world, version, deal);
  const stated = (line: SeenLine, slug: string | null): Amount | null => {
    if (slug === null || !isOfLines(slug)) return ZERO;
    return slug === '_lines' ? count : numberOf(line, slug);
  };
  return found.flatMap((line) => {
    const measure = stated(line, rule.measure);
    const base = stated(line, baseOfLines(rule));
    if (measure === null || base === null) return [];
    const quantity = numberOf(line, 'line.quantity');
    return [{ ...line, measure, base, quantity, tierValue: valueOfTier(line, rule, count) }];
  });
}

function valueOfTier(line: SeenLine, rule: Rule, count: Amount): Amount | null {
  if (!tierOfLines(rule) || rule.tierValueField === null) return null;
  return rule.tierValueField === '_lines' ? count : numberOf(line, rule.tierValueField);
}

/** A sum over lines of a field of lines; a field that is absent is 0. */
export function sumOf(lines: SeenLine[], slug: string, count: Amount): Amount {
  return sum(lines.map((line) => (slug === '_lines' ? count : (numberOf(line, slug) ?? ZERO))));
}

// Tables

/** What a tier pays by a table; null: no row. */
export interface RatePay {
  kind: 'rate' | 'amount' | 'perUnit';
  value: Amount;
}

export function tableOf(world: World, tier: Tier): WorldTable | null {
  return world.tables?.find(({ name }) => name === tier.table) ?? null;
}

/** The fields that the tables of a rule look up. */
export function keysOf(world: World, { tiers }: Rule): string[] {
  return tiers.flatMap((tier) => tableOf(world, tier)?.keys.map(({ field }) => field) ?? []);
}

type Cell = string | number | { from?: number; to?: number };

/** T5. */
function matches(cell: Cell, match: string, value: Present | null): boolean {
  if (cell === '*') return true;
  if (value === null || Array.isArray(value)) return false;
  if (typeof cell === 'object') {
    const number = numberFrom(value);
    if (number === null) return false;
    return (cell.from === undefined || number.gte(cell.from)) && (cell.to === undefined || number.lt(cell.to));
  }
  const plain = (each: Present | number) => String(each).trim().toLowerCase();
  return match === 'prefix' ? plain(value).startsWith(plain(cell)) : plain(value) === plain(cell);
}

/** T6: how exact a cell is; the larger, the better. */
function exactness(cell: Cell): number {
  if (cell === '*') return 0;
  return typeof cell === 'object' ? 1 : String(cell).trim().length;
}

/** T3 to T8: what the table pays for these values on the day; null if it has no row and that is an exception. */
export function lookedUp(
  { keys, columns, rows, noMatch }: WorldTable,
  column: string | null,
  day: string,
  read: (slug: string) => Present | null,
): RatePay | null {
  const values = keys.map(({ field }) => read(field));
  const rowCells = (row: WorldTable['rows'][number]) => keys.map(({ name }) => row.keys[name] ?? '*');
  const found = rows
    .filter(({ effectiveStart, effectiveEnd }) => (effectiveStart ?? day) <= day && day <= (effectiveEnd ?? day))
    .filter((row) =>
      rowCells(row).every((cell, index) => matches(cell, keys[index]?.match ?? 'exact', values[index] ?? null)),
    )
    .sort((a, b) => {
      const [first, second] = [rowCells(a), rowCells(b)];
      const at = first.findIndex((cell, index) => exactness(cell) !== exactness(second[index] ?? '*'));
      return at < 0 ? 0 : exactness(second[at] as Cell) - exactness(first[at] as Cell);
    });
  const [row] = found;
  if (row === undefined) return noMatch === 'zero' ? { kind: 'rate', value: ZERO } : null;
  const name = column ?? columns[0]?.name ?? '';
  const value = row.values[name] ?? 0;
  if (typeof value === 'number')
    return { kind: columns.find((each) => each.name === name)?.kind ?? 'rate', value: amount(value) };
  const entries = Object.entries(value) as [RatePay['kind'], number][];
  const [[kind, of] = ['rate', 0] as const] = entries;
  return { kind, value: amount(of) };
}

/** T10 and L15: what a row pays for a line, before the share; null for nothing. */
export function payOfRow({ kind, value }: RatePay, line: CountedLine, isCreditNote: boolean): Amount | null {
  if (kind === 'rate') return value.times(line.base);
  return kind === 'amount' ? timesLine(value, line) : timesUnits(value, line, isCreditNote);
}

export function timesLine(value: Amount, { base }: CountedLine): Amount {
  return value.times(base.lt(0) ? -1 : 1);
}

export function timesUnits(value: Amount, { base, quantity }: CountedLine, isCreditNote: boolean): Amount | null {
  if (quantity === null) return null;
  return value.times(isCreditNote && base.lt(0) ? quantity.abs().negated() : quantity);
}
