import {
  asNumber,
  type Fields,
  type FieldValue,
  isAbsent,
  type StandardField,
  standardFields,
} from '../engine/field-value.js';
import { own } from '../engine/slug.js';
import { usualSlugs } from '../engine/standard-slugs.js';
import { Decimal } from '../kernel/decimal.js';
import {
  type DealContent,
  type DealTerms,
  givenNames,
  mergedContent,
  type Projection,
  projectDeal,
  standardSlug,
  standardValue,
} from './deal.js';

/** A value that a source has reported since a person corrected it. */
interface Reported {
  readonly value: FieldValue;
  /** The part of the reported content, with which the source's value can be taken. */
  readonly content: DealContent;
  /** The rep whom the reported owner is. */
  readonly repId: string | null;
  /** The CRM; null for the API and for files. */
  readonly provider: string | null;
  readonly at: string;
  /** Whether it differs from the value of the person. */
  readonly conflicts: boolean;
  /** Who has dismissed the conflict, which stays dismissed until a source reports another value. */
  readonly dismissed?: { readonly by: string; readonly at: string };
}

/** A value that a person has corrected. It replaces what sources report until the correction ends. */
interface Correction {
  readonly value: FieldValue;
  readonly content: DealContent;
  readonly by: string;
  readonly at: string;
  /** Null until a source reports the value. */
  readonly reported: Reported | null;
}

/** The corrections of a deal by name: a standard value, `owner`, or `fields.` and the slug. */
export type Corrections = Readonly<Record<string, Correction>>;

/** `name` without the prefix is a standard value. */
const fieldPrefix = 'fields.';
const ownerName = 'owner';
const ownerGiven = ['repId', 'ownerId', 'ownerEmail'] as const;

const standardByName: ReadonlyMap<string, StandardField> = new Map(
  standardFields.map((standard) => [standard === 'ownerId' ? ownerName : givenNames[standard], standard]),
);

function slugsOf(standard: StandardField, terms: DealTerms): readonly string[] {
  const mapped = terms.standard[standard];
  return mapped === undefined ? usualSlugs[standard] : [mapped];
}

/** The names of the values in the content: of its standard values, and of fields that are none. */
export function valueNames({ fields, given }: DealContent, terms: DealTerms): Set<string> {
  const names = new Set<string>();
  const ofStandard = new Set<string>();
  for (const [name, standard] of standardByName) {
    for (const slug of slugsOf(standard, terms)) ofStandard.add(slug);
    const isNamed = name === ownerName && ownerGiven.some((key) => given[key] !== undefined);
    if (isNamed || standardValue({ fields, given }, standard, terms) !== undefined) names.add(name);
    else if (slugsOf(standard, terms).some((slug) => Object.hasOwn(fields, slug))) names.add(name);
  }
  for (const slug of Object.keys(fields)) if (!ofStandard.has(slug)) names.add(`${fieldPrefix}${slug}`);
  return names;
}

/** The part of the content with the value; without the value if the content has none. */
function partOf(content: DealContent, name: string, terms: DealTerms): DealContent {
  const standard = standardByName.get(name);
  if (standard === undefined) {
    const slug = name.slice(fieldPrefix.length);
    return { fields: { [slug]: own(content.fields, slug) ?? null }, given: {} };
  }
  const keys = name === ownerName ? ownerGiven : ([givenNames[standard]] as const);
  const given = Object.fromEntries(
    keys.flatMap((key) => (content.given[key] === undefined ? [] : [[key, content.given[key]]])),
  );
  if (Object.keys(given).length > 0) return { fields: {}, given };
  const slug = standardSlug(content.fields, standard, terms);
  const value = slug === undefined ? undefined : own(content.fields, slug);
  return slug === undefined || isAbsent(value) ? empty : { fields: { [slug]: value }, given: {} };
}

const empty: DealContent = { fields: {}, given: {} };

/** The value as people compare it: standard values are read, so that 120 and "120.00" are the same. */
export function readValue(content: DealContent, projection: Projection, name: string): FieldValue {
  const standard = standardByName.get(name);
  if (standard === undefined) {
    const value = own(content.fields, name.slice(fieldPrefix.length));
    return isAbsent(value) ? null : value;
  }
  switch (standard) {
    case 'ownerId':
      return projection.givenRepId ?? projection.ownerId ?? projection.ownerEmail;
    case 'dealAmount':
      return projection.amount === null ? null : Decimal.of(projection.amount).toString();
    default:
      return projection[givenNames[standard] as 'name' | 'stage' | 'closeDate' | 'createdDate' | 'currency'];
  }
}

/** A report with the rep whom its owner is. */
export interface ResolvedContent {
  readonly content: DealContent;
  readonly repId: string | null;
}

function differs(one: ResolvedContent, other: ResolvedContent, name: string, terms: DealTerms): boolean {
  if (name === ownerName && (one.repId !== null || other.repId !== null)) return one.repId !== other.repId;
  const read = ({ content }: ResolvedContent) => readValue(content, projectDeal(content, terms), name);
  return !isSameValue(read(one), read(other));
}

/** A file has only texts, so a text equals the number or the truth value of a CRM that it says. */
function isSameValue(one: FieldValue, other: FieldValue): boolean {
  if (typeof one === typeof other || one === null || other === null)
    return JSON.stringify(one) === JSON.stringify(other);
  const [first, second] = [asNumber(one), asNumber(other)];
  return first === null || second === null ? String(one) === String(other) : first.equals(second);
}

/** The content in which corrected values replace those of the source. */
export function withCorrections(content: DealContent, corrections: Corrections, terms: DealTerms): DealContent {
  return Object.entries(corrections).reduce(
    (corrected, [name, { content: part }]) => withPart(corrected, name, part, terms),
    content,
  );
}

/** The content with one value from another one. */
export function withPart(content: DealContent, name: string, part: DealContent, terms: DealTerms): DealContent {
  if (Object.keys(part.fields).length > 0 || Object.keys(part.given).length > 0)
    return mergedContent(content, part, terms);
  const standard = standardByName.get(name) as StandardField;
  const removed = new Set<string>(slugsOf(standard, terms));
  const named = new Set<string>(name === ownerName ? ownerGiven : [givenNames[standard]]);
  const without = <T extends object>(record: T, keys: ReadonlySet<string>): T =>
    Object.fromEntries(Object.entries(record).filter(([key]) => !keys.has(key))) as T;
  return { fields: without<Fields>(content.fields, removed), given: without(content.given, named) };
}

interface PersonalChange {
  readonly by: string;
  readonly at: string;
  /** The names of the values that the person states; null for all values. */
  readonly stated: ReadonlySet<string> | null;
  readonly terms: DealTerms;
}

/** The corrections after a person has changed the stored content into another one. */
export function correctedBy(
  corrections: Corrections,
  before: ResolvedContent,
  after: ResolvedContent,
  { by, at, stated, terms }: PersonalChange,
): Corrections {
  const projection = projectDeal(after.content, terms);
  const names = stated ?? new Set([...valueNames(before.content, terms), ...valueNames(after.content, terms)]);
  const changed = [...names].filter((name) => differs(before, after, name, terms));
  const added = changed.map((name): [string, Correction] => {
    const content = partOf(after.content, name, terms);
    const reported = corrections[name]?.reported ?? null;
    return [name, { value: readValue(after.content, projection, name), content, by, at, reported }];
  });
  return { ...corrections, ...Object.fromEntries(added) };
}

/** The corrections after the corrected values have changed: whether the last reports still differ from them. */
export function restated(corrections: Corrections, corrected: ResolvedContent, terms: DealTerms): Corrections {
  const entries = Object.entries(corrections).map(([name, correction]): [string, Correction] => {
    const { reported } = correction;
    if (reported === null) return [name, correction];
    return [name, { ...correction, reported: { ...reported, conflicts: differs(reported, corrected, name, terms) } }];
  });
  return Object.fromEntries(entries);
}

export interface SourceReport extends ResolvedContent {
  /** The names of the values that the source states; null for all values. */
  readonly stated: ReadonlySet<string> | null;
  readonly provider: string | null;
  readonly at: string;
}

/** The corrections with what a source reports about their values. A report that repeats the last one changes nothing. */
export function afterReport(
  corrections: Corrections,
  report: SourceReport,
  corrected: ResolvedContent,
  terms: DealTerms,
): Corrections {
  const projection = projectDeal(report.content, terms);
  const entries = Object.entries(corrections).map(([name, correction]): [string, Correction] => {
    if (report.stated !== null && !report.stated.has(name)) return [name, correction];
    const value = readValue(report.content, projection, name);
    const conflicts = differs(report, corrected, name, terms);
    const last = correction.reported;
    const repeats = last !== null && JSON.stringify(last.value) === JSON.stringify(value);
    if (repeats && last.conflicts === conflicts) return [name, correction];
    const content = partOf(report.content, name, terms);
    const { provider, at, repId } = report;
    const isDismissed = last?.dismissed !== undefined && !differs(last, report, name, terms);
    const dismissed = isDismissed ? { dismissed: last.dismissed } : {};
    return [name, { ...correction, reported: { value, content, repId, provider, at, conflicts, ...dismissed } }];
  });
  const isSame = entries.every(([name, correction]) => corrections[name] === correction);
  return isSame ? corrections : Object.fromEntries(entries);
}

/** The corrections after someone has dismissed the conflict about a value, if a source still reports that value. */
export function withDismissed(
  corrections: Corrections,
  { name, reported: value }: { readonly name: string; readonly reported: FieldValue },
  dismissed: { readonly by: string; readonly at: string },
): Corrections {
  const correction = own(corrections, name);
  const reported = correction?.reported ?? null;
  if (correction === undefined || reported === null || !isOpen(reported)) return corrections;
  if (JSON.stringify(reported.value) !== JSON.stringify(value)) return corrections;
  return { ...corrections, [name]: { ...correction, reported: { ...reported, dismissed } } };
}

/** Whether a source states the value otherwise and the conflict has not been dismissed. */
export function isOpen(reported: Reported | null): reported is Reported {
  return reported?.conflicts === true && reported.dismissed === undefined;
}

/** The corrections without those whose values a report states otherwise. */
export function withoutReplaced(
  corrections: Corrections,
  report: SourceReport,
  corrected: ResolvedContent,
  terms: DealTerms,
): Corrections {
  const remaining = Object.entries(corrections).filter(
    ([name]) => (report.stated !== null && !report.stated.has(name)) || !differs(report, corrected, name, terms),
  );
  return Object.fromEntries(remaining);
}
