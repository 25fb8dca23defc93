import { type Amount, amount } from './decimal.js';
import { fieldsOfFormula, isFormulaText, valueOfFormula } from './formulas.js';
import type { FieldValue, StandardName, World, WorldDeal, WorldPlanVersion } from './world.js';

/** What decides how slugs are read: a plan version, or nothing of a plan. */
export type Mapped = Pick<WorldPlanVersion, 'fieldMapping'>;

export type Present = string | number | boolean | string[];

const ALIASES: Record<string, string> = {
  stage: 'dealstage',
  dealstage: 'stage',
  amount: 'value',
  value: 'amount',
};

const STANDARD: Record<string, StandardName> = {
  stage: 'dealStage',
  dealstage: 'dealStage',
  dealStage: 'dealStage',
  amount: 'dealAmount',
  value: 'dealAmount',
  dealAmount: 'dealAmount',
  close_date: 'closeDate',
  closedate: 'closeDate',
  closeDate: 'closeDate',
  name: 'dealName',
  dealname: 'dealName',
  dealName: 'dealName',
  owner_id: 'ownerId',
  ownerId: 'ownerId',
  currency: 'currency',
  created_date: 'createdDate',
  createdDate: 'createdDate',
};

function own<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function present(value: FieldValue | undefined): Present | null {
  if (value === undefined || value === null || value === '') return null;
  if (Array.isArray(value) && value.length === 0) return null;
  return value;
}

/** Plans, "Formulas": a number beyond the bound stays one, so that it is no number where numbers are needed. */
export function formulaOn(read: (name: string) => Present | null, slug: string): string | null {
  const value = valueOfFormula(slug, (name) => {
    const found = read(name);
    const number = parsed(found);
    return number === null ? 'missing' : number.abs().gt(BOUND) ? 'too large' : number;
  });
  if (value === 'missing') return null;
  return value === 'too large' ? '1e16' : value.toFixed();
}

/** Section 4: the value that a slug of a plan has on a deal. Null: absent. */
export function readField(world: World, version: Mapped, deal: WorldDeal, slug: string): Present | null {
  if (isFormulaText(slug)) return formulaOn((name) => readField(world, version, deal, name), slug);

  const standardName = own(STANDARD, slug);

  const planSlug = own(version.fieldMapping ?? {}, slug);
  if (planSlug !== undefined && standardName !== 'closeDate') return present(own(deal.fields, planSlug));

  const measureSlug = own(world.workspace.measures, slug);
  if (measureSlug !== undefined) return present(own(deal.fields, measureSlug));

  const field = present(own(deal.fields, slug));
  if (field !== null) return field;

  const alias = own(ALIASES, slug);
  const aliased = alias === undefined ? null : present(own(deal.fields, alias));
  if (aliased !== null) return aliased;

  if (standardName !== undefined) return readStandard(world, version, deal, standardName);
  return inAnyCase(deal, slug) ?? aboutLines(deal, slug);
}

/** Lines of deals, L6. */
function aboutLines({ lines = [] }: WorldDeal, slug: string): Present | null {
  if (lines.length === 0) return null;
  const texts = (values: (string | null | undefined)[]) => present([...new Set(values.filter((each) => each != null))]);
  switch (slug.toLowerCase()) {
    case 'lines.count':
      return lines.length;
    case 'lines.families':
      return texts(lines.map(({ family }) => family));
    case 'lines.products':
      return texts(lines.map(({ productCode }) => productCode));
    default:
      return null;
  }
}

function withSmallLetters(name: string): string {
  return [...name].map((letter) => (letter >= 'A' && letter <= 'Z' ? letter.toLowerCase() : letter)).join('');
}

/** The names of the fields with a value that are the slug in another case, in code point order. */
function namesInAnyCase(deal: WorldDeal, slug: string): string[] {
  return Object.keys(deal.fields)
    .filter((name) => withSmallLetters(name) === withSmallLetters(slug) && present(own(deal.fields, name)) !== null)
    .sort((a, b) => (a < b ? -1 : 1));
}

function inAnyCase(deal: WorldDeal, slug: string): Present | null {
  const [name] = namesInAnyCase(deal, slug);
  return name === undefined ? null : present(own(deal.fields, name));
}

/** Section 4: the standard values, taken from the deal by the field mapping. A value given by name wins. */
export function readStandard(world: World, version: Mapped, deal: WorldDeal, name: StandardName): Present | null {
  if (name === 'closeDate') return present(deal.closeDate);
  const planSlug = own(version.fieldMapping ?? {}, name);
  if (planSlug !== undefined) return present(own(deal.fields, planSlug));
  const named = present(deal.given?.[name]);
  if (named !== null) return named;
  const slug = world.workspace.standard[name];
  return slug === undefined ? null : present(own(deal.fields, slug));
}

const NUMERIC = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Section 4: values beyond it in either direction are not numbers. */
export const BOUND: Amount = amount('1e15');

/** Section 4: numbers that arrive as numeric strings count as numbers. Null: absent, not a number, or out of range. */
export function numberFrom(value: unknown): Amount | null {
  const number = parsed(value);
  return number?.abs().lte(BOUND) ? number : null;
}

function parsed(value: unknown): Amount | null {
  if (typeof value === 'number') return Number.isFinite(value) ? amount(value) : null;
  if (typeof value === 'string' && NUMERIC.test(value.trim())) return amount(value.trim());
  return null;
}

export function readNumber(world: World, version: Mapped, deal: WorldDeal, slug: string): Amount | null {
  return numberFrom(readField(world, version, deal, slug));
}

/** Section 8a: what `amount` is for the plan, in the currency of the deal. Null: none. */
export function dealAmountOf(world: World, version: Mapped, deal: WorldDeal): Amount | null {
  return readNumber(world, version, deal, 'amount');
}

/** Section 8a, 1. */
export function countOf(world: World, version: Mapped, deal: WorldDeal): Amount {
  return amount(dealAmountOf(world, version, deal)?.lt(0) === true ? -1 : 1);
}

export function planCurrency(world: World, version: WorldPlanVersion): string {
  return version.currency ?? world.workspace.currency;
}

/**
 * Section 4, last sentences: a deal without a currency has the plan's, and a field with a currency beside it has
 * that one. All fields that a rule pays on must be in the plan's currency.
 */
export function currencyFits(
  world: World,
  version: WorldPlanVersion,
  deal: WorldDeal,
  slugs: readonly string[],
): boolean {
  const named = slugs.flatMap((slug) => (isFormulaText(slug) ? fieldsOfFormula(slug) : [slug]));
  return named.every((slug) => {
    const currency = ownCurrency(world, version, deal, slug) ?? readStandard(world, version, deal, 'currency');
    if (typeof currency !== 'string' || currency.trim() === '') return true;
    return currency.trim().toUpperCase() === planCurrency(world, version);
  });
}

/** The code in `<slug>_currency`, where the field itself was found in the deal. */
function ownCurrency(world: World, version: WorldPlanVersion, deal: WorldDeal, slug: string): string | null {
  const found = foundName(world, version, deal, slug);
  const code = found === null ? null : own(deal.fields, `${found}_currency`);
  return typeof code === 'string' && /^[A-Za-z]{3}$/.test(code) ? code : null;
}

/** The field of the deal in which the slug is found. Null: it is a standard value, or absent. */
export function foundName(world: World, version: Mapped, deal: WorldDeal, slug: string): string | null {
  const mapped = own(version.fieldMapping ?? {}, slug) ?? own(world.workspace.measures, slug);
  const names = mapped === undefined ? [slug, ALIASES[slug] ?? slug] : [mapped];
  const isCustom = mapped === undefined && own(STANDARD, slug) === undefined;
  const found =
    names.find((name) => present(own(deal.fields, name)) !== null) ??
    (isCustom ? namesInAnyCase(deal, slug)[0] : undefined);
  return found ?? null;
}
