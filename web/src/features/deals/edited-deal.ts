import { standardNamedBy, usualSlugs } from '#src/client.js';
import { type Deal } from '../../api/queries.js';
import { isDay } from '../../shared/format/dates.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';
import { type Field } from '../plans/fields.js';
import { shownValue, typedValue } from '../plans/test-deal.js';

/** The texts of the form of a deal. */
export interface EditedDeal {
  readonly dealId: string;
  readonly name: string;
  readonly repId: string;
  readonly amount: string;
  readonly currency: string;
  readonly stage: string;
  readonly closeDate: string;
  /** Its other values, by slug. */
  readonly others: Readonly<Record<string, string>>;
}

/** A row of the import that contains the changed values only, so that every other value of the deal stays. */
export interface ChangedDeal {
  readonly dealId: string;
  readonly repId?: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The slugs under which the workspace reads the standard values of deals. */
export type StandardSlugs = Readonly<Record<string, string | undefined>>;

type StandardValue = keyof typeof usualSlugs;

/** The inputs of the form that are standard values of deals. */
const standardValues = {
  name: 'dealName',
  amount: 'dealAmount',
  currency: 'currency',
  stage: 'dealStage',
  closeDate: 'closeDate',
} as const satisfies Readonly<Record<string, StandardValue>>;
type StandardName = keyof typeof standardValues;
const standardNames = Object.keys(standardValues) as StandardName[];
/** The person is an input too. */
const shownValues: readonly StandardValue[] = [...Object.values(standardValues), 'ownerId'];

/** An input of the form: a value that every deal has, or another field by its slug. */
export type EditedInput = StandardName | 'repId' | `field ${string}`;

/** The input of a value that plans name. */
export function inputOf(named: string): EditedInput {
  const value = standardNamedBy(named);
  if (value === 'ownerId') return 'repId';
  return standardNames.find((name) => standardValues[name] === value) ?? `field ${named}`;
}

/** The deal with an empty input for the field, if it has none. */
export function withInput(edited: EditedDeal, input: string | undefined): EditedDeal {
  const slug = /^field (.+)$/.exec(input ?? '')?.[1];
  return slug === undefined ? edited : { ...edited, others: { [slug]: '', ...edited.others } };
}

/** The slugs from which the workspace reads a standard value. The form writes the first of them. */
function resolveSlugs(value: StandardValue, standard: StandardSlugs): readonly [string, ...string[]] {
  const mapped = standard[value];
  return mapped === undefined ? (usualSlugs[value] as [string, ...string[]]) : [mapped];
}

/** The slugs of the standard values that every deal shows, the owner left out. */
export function standardSlugs(standard: StandardSlugs): ReadonlySet<string> {
  return new Set(Object.values(standardValues).flatMap((value) => resolveSlugs(value, standard)));
}

/** The slugs of values that the form shows beside the other ones. */
function visibleSlugs(standard: StandardSlugs): ReadonlySet<string> {
  return new Set([...standardSlugs(standard), ...resolveSlugs('ownerId', standard)]);
}

/** The fields that can be added to the other values. Names of standard values in plans are no fields of the deal. */
export function listFreeFields(
  fields: readonly Field[],
  others: EditedDeal['others'],
  standard: StandardSlugs,
): readonly Field[] {
  const visible = visibleSlugs(standard);
  const isStandard = (slug: string) => shownValues.some((value) => value === standardNamedBy(slug));
  return fields.filter(({ slug }) => !visible.has(slug) && !isStandard(slug) && others[slug] === undefined);
}

/** What the form shows of a deal; null for a new one. Lists of texts are not edited. */
export function editedDeal(deal: Deal | null, standard: StandardSlugs): EditedDeal {
  const visible = visibleSlugs(standard);
  const others = Object.entries(deal?.fields ?? {}).filter(
    ([slug, value]) => !visible.has(slug) && !Array.isArray(value),
  );
  return {
    dealId: deal?.deal_id ?? '',
    name: deal?.name ?? '',
    repId: deal?.repId ?? '',
    amount: deal?.amount == null ? '' : writeNumber(deal.amount),
    currency: deal?.currency ?? '',
    stage: deal?.stage ?? '',
    closeDate: deal?.closeDate ?? '',
    others: Object.fromEntries(others.map(([slug, value]) => [slug, shownValue(value)])),
  };
}

/** What is wrong with a value of the form, by its name. */
export function listProblems(before: EditedDeal, now: EditedDeal): Partial<Record<StandardName, string>> {
  const emptied = standardNames.filter((name) => before[name] !== '' && now[name].trim() === '');
  return {
    ...Object.fromEntries(emptied.map((name) => [name, 'This value cannot be removed. Enter another one.'])),
    ...(now.amount.trim() !== '' && readNumber(now.amount) === null
      ? { amount: 'Enter a number such as 18,000.00.' }
      : {}),
    ...(now.closeDate !== '' && !isDay(now.closeDate) ? { closeDate: 'Enter a day with a four-digit year.' } : {}),
  };
}

/** The changed values as the import reads them; null if nothing has changed. */
export function changedDeal(
  before: EditedDeal,
  now: EditedDeal,
  standard: StandardSlugs,
  definitions: readonly Pick<Field, 'slug' | 'type'>[],
): ChangedDeal | null {
  const types = new Map(definitions.map(({ slug, type }) => [slug, type]));
  const named = standardNames
    .filter((name) => now[name].trim() !== before[name])
    .map(
      (name) =>
        [
          resolveSlugs(standardValues[name], standard)[0],
          name === 'amount' ? readNumber(now.amount) : now[name].trim(),
        ] as const,
    );
  const others = Object.entries(now.others)
    .filter(([slug, text]) => text !== (before.others[slug] ?? ''))
    .map(([slug, text]) => [slug, text.trim() === '' ? null : typedValue(text, types.get(slug))] as const);
  const isMoved = now.repId !== before.repId;
  if (named.length + others.length === 0 && !isMoved) return null;
  return {
    dealId: now.dealId.trim(),
    ...(isMoved ? { repId: now.repId } : {}),
    fields: Object.fromEntries([...named, ...others]),
  };
}
