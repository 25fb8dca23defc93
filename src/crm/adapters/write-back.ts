import { Decimal } from '../../kernel/decimal.js';

/** The values of a deal that are written to a CRM. Numbers are decimal texts. */
export interface DealValues {
  readonly commission: string;
  /** What everyone earns on the deal in this currency; absent if it is not written. */
  readonly commissionTotal?: string;
  /** Currency of the commission, ISO 4217 code. */
  readonly currency: string;
  readonly state: string;
  /** 1 is 100 %; null without a quota. */
  readonly attainment: string | null;
}

export const writtenValues = ['commission', 'commissionTotal', 'state', 'currency', 'attainment'] as const;
type WrittenValue = (typeof writtenValues)[number];

/** The CRM's own names of the fields that get the values; null for values that are not written. */
export type WriteTargets = Readonly<
  Record<Exclude<WrittenValue, 'commissionTotal'>, string | null> & { commissionTotal?: string | null }
>;

export interface DealWrite {
  readonly dealId: string;
  readonly values: DealValues;
}

export const findingCodes = [
  'permission_missing',
  'field_missing',
  'field_read_only',
  'field_standard',
  'field_type',
] as const;

/** What prevents writing, and what to do about it. */
export interface WriteFinding {
  readonly code: (typeof findingCodes)[number];
  /** The CRM's name of the field; null if it is about none. */
  readonly field: string | null;
  readonly message: string;
}

export interface WriteCheck {
  readonly findings: readonly WriteFinding[];
  /** The `property` of hints that report changes of the fields. */
  readonly properties: readonly string[];
}

export type WriteProblem =
  /** The CRM has no such deal. It wrote the values to `survivor`, if that is the deal into which this one was merged. */
  { readonly kind: 'gone'; readonly survivor?: string } | { readonly kind: 'failed'; readonly reason: string };

export interface WriteResult {
  readonly dealId: string;
  /** Null if the CRM has the values. */
  readonly problem: WriteProblem | null;
}

/** A field of the CRM that is to be written, in common terms. */
export interface TargetField {
  /** `percent` holds 120 for 120 %, `ratio` 1.2. */
  readonly kind: 'number' | 'percent' | 'ratio' | 'text' | 'other';
  readonly isWritable: boolean;
  /** A field that the vendor defines. Such a field is never written. */
  readonly isStandard: boolean;
  /** The currency of all its values; null if it has none, or that of the deal. */
  readonly currency: string | null;
}

/** How people of a CRM call what they create. */
export interface FieldLabels {
  /** Names a field with its article, such as "the property". */
  readonly field: string;
  readonly number: string;
  readonly text: string;
  /** How to make a field writable. */
  readonly writable: string;
}

/** The values that are written, with the names of their fields. */
export function writtenFields(targets: WriteTargets): (readonly [WrittenValue, string])[] {
  return writtenValues.flatMap((value) => {
    const name = targets[value] ?? null;
    return name === null ? [] : [[value, name] as const];
  });
}

/** Finds what is wrong with the fields. */
export function checkFields(
  targets: WriteTargets,
  fields: ReadonlyMap<string, TargetField>,
  labels: FieldLabels,
): WriteFinding[] {
  return writtenFields(targets).flatMap(([value, name]) => checkField(value, name, fields.get(name), labels) ?? []);
}

function checkField(
  value: WrittenValue,
  name: string,
  field: TargetField | undefined,
  labels: FieldLabels,
): WriteFinding | null {
  const type = isText(value) ? labels.text : labels.number;
  const finding = (code: WriteFinding['code'], message: string) => ({ code, field: name, message });
  if (field === undefined)
    return finding(
      'field_missing',
      `Deals have no field ${name} that the connection may see: create ${labels.field} ${name} of type ${type}.`,
    );
  if (field.isStandard)
    return finding(
      'field_standard',
      `${name} is a field of the vendor and is not written: create another field for it.`,
    );
  if (!field.isWritable) return finding('field_read_only', `The connection may not write ${name}: ${labels.writable}.`);
  if (isText(value) ? field.kind !== 'text' : !['number', 'percent', 'ratio'].includes(field.kind))
    return finding('field_type', `${name} cannot hold the ${value}: create ${labels.field} of type ${type} for it.`);
  return null;
}

function isText(value: WrittenValue): boolean {
  return value === 'state' || value === 'currency';
}

/** JSON values by the CRM's names of the fields. */
type FieldValues = Readonly<Record<string, string | number | null>>;

/** A deal with the values to send for it. */
export interface ReadyWrite {
  readonly dealId: string;
  readonly json: FieldValues;
}

/** Separates the deals that can be sent from those that cannot, with the reasons. */
export function prepareWrites(
  targets: WriteTargets,
  fields: ReadonlyMap<string, TargetField>,
  writes: readonly DealWrite[],
  isDealId: (dealId: string) => boolean,
): { readonly ready: readonly ReadyWrite[]; readonly results: readonly WriteResult[] } {
  const ready: ReadyWrite[] = [];
  const results: WriteResult[] = [];
  const commissionField = targets.commission ?? '';
  const fixed = fields.get(commissionField)?.currency ?? null;
  for (const { dealId, values } of writes) {
    const { currency } = values;
    if (!isDealId(dealId)) results.push({ dealId, problem: { kind: 'gone' } });
    else if (fixed !== null && fixed !== currency)
      results.push(failed(dealId, `the commission is in ${currency}, and ${commissionField} holds ${fixed}`));
    else ready.push({ dealId, json: fieldValues(targets, fields, values) });
  }
  return { ready, results };
}

export function failed(dealId: string, reason: string): WriteResult {
  return { dealId, problem: { kind: 'failed', reason } };
}

/** The CRM does not accept the values of the deal, for the reason that its code names. */
export function rejectedValues(dealId: string, code: string): WriteResult {
  return failed(dealId, `the CRM rejects the values: ${code}`);
}

export function permissionMissing(message: string): WriteFinding {
  return { code: 'permission_missing', field: null, message };
}

function fieldValues(
  targets: WriteTargets,
  fields: ReadonlyMap<string, TargetField>,
  { commission, commissionTotal, currency, state, attainment }: DealValues,
): FieldValues {
  return Object.fromEntries(
    writtenFields(targets).map(([value, name]) => {
      const json = {
        commission: Number(commission),
        commissionTotal: Number(commissionTotal ?? 0),
        currency,
        state,
        attainment: toRatio(attainment, fields.get(name)),
      };
      return [name, json[value]];
    }),
  );
}

function toRatio(attainment: string | null, field: TargetField | undefined): number | null {
  if (attainment === null) return null;
  const ratio = Decimal.of(attainment);
  return (field?.kind === 'ratio' ? ratio.rounded(4) : ratio.times(Decimal.of(100)).rounded(2)).toNumber();
}
