import { z } from 'zod';
import { isOpportunityId } from '../../../kernel/opportunity-id.js';
import { type CrmHttp } from '../http.js';
import { type CrmAccess, CrmFailure, type WrittenBatch } from '../port.js';
import {
  checkFields,
  type DealWrite,
  type FieldLabels,
  failed,
  permissionMissing,
  prepareWrites,
  type ReadyWrite,
  type TargetField,
  type WriteCheck,
  type WriteResult,
  type WriteTargets,
} from '../write-back.js';
import { type DescribedDeal } from './deals.js';

const labels: FieldLabels = {
  field: 'the custom field',
  number: 'Number, Currency or Percent',
  text: 'Text',
  writable: 'give the connected user Edit access in the field-level security; a formula field cannot be written',
};

const missingPermission = permissionMissing(
  'The connected user lacks Edit on Opportunity: grant it in a permission set.',
);

const saved = z.array(
  z.object({
    id: z.string().nullish(),
    success: z.boolean(),
    errors: z.array(z.object({ statusCode: z.string(), fields: z.array(z.string()).nullish() })).nullish(),
  }),
);
type SaveError = NonNullable<z.infer<typeof saved>[number]['errors']>[number];

const gone: readonly string[] = ['ENTITY_IS_DELETED', 'INVALID_CROSS_REFERENCE_KEY'];
/** The user may not write the field, so no deal can be written. */
const deniedField = 'INVALID_FIELD_FOR_INSERT_UPDATE';

const explanations: ReadonlyMap<string, string> = new Map([
  ['FIELD_CUSTOM_VALIDATION_EXCEPTION', 'a validation rule rejects the change'],
  ['CANNOT_EXECUTE_FLOW_TRIGGER', 'a Flow on Opportunity fails'],
  ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', 'a trigger on Opportunity fails'],
  ['REQUIRED_FIELD_MISSING', 'the deal lacks a required field'],
  ['UNABLE_TO_LOCK_ROW', 'another change held the deal'],
  ['INSUFFICIENT_ACCESS_OR_READONLY', 'the connected user may not edit the deal'],
  ['INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY', 'the connected user may not edit the deal'],
  ['ENTITY_IS_LOCKED', 'an approval process has locked the deal'],
  ['NUMBER_OUTSIDE_VALID_RANGE', 'the number has more digits than the field'],
  ['STRING_TOO_LONG', 'the text is longer than the field'],
]);

/** Reads of the organisation that the writer needs. */
interface CrmcWriteReads {
  described(): Promise<DescribedDeal>;
  /** URL of a path of the API. */
  url(path: string): Promise<string>;
  /** The reason to pause if the request limit is nearly used up; otherwise null. */
  quotaFailure(headers: Headers): CrmFailure | null;
}

/** Writes to the deals of crm-c. */
export class CrmcWriter {
  constructor(
    private readonly http: CrmHttp,
    private readonly access: CrmAccess,
    private readonly reads: CrmcWriteReads,
  ) {}

  /** Webhooks report no fields. */
  async check(targets: WriteTargets): Promise<WriteCheck> {
    const described = await this.reads.described();
    const findings = checkFields(targets, targetFields(described), labels);
    return { findings: described.updateable === false ? [missingPermission, ...findings] : findings, properties: [] };
  }

  async write(targets: WriteTargets, writes: readonly DealWrite[]): Promise<WrittenBatch> {
    const fields = targetFields(await this.reads.described());
    const { ready, results } = prepareWrites(targets, fields, writes, isOpportunityId);
    if (ready.length === 0) return { results, failure: null };
    const { body, headers } = await this.http.request({
      method: 'PATCH',
      url: await this.reads.url('/composite/sobjects'),
      json: {
        allOrNone: false,
        records: ready.map(({ dealId, json }) => ({ attributes: { type: 'Opportunity' }, id: dealId, ...json })),
      },
      access: this.access,
      schema: saved.length(ready.length),
      needs: 'Edit on Opportunity',
    });
    assertFieldsWritable(body);
    const written = ready.map((write, index) => toResult(write, body[index] as z.infer<typeof saved>[number]));
    return { results: [...results, ...written], failure: this.reads.quotaFailure(headers) };
  }
}

function targetFields({ fields }: DescribedDeal): ReadonlyMap<string, TargetField> {
  return new Map(
    fields.map((field) => [
      field.name,
      {
        kind: toKind(field.type),
        isWritable: field.updateable !== false && field.calculated !== true,
        isStandard: !field.name.endsWith('__c'),
        // Amounts are in the currency of the deal.
        currency: null,
      },
    ]),
  );
}

function toKind(type: string): TargetField['kind'] {
  if (type === 'double' || type === 'currency') return 'number';
  if (type === 'percent') return 'percent';
  return type === 'string' || type === 'textarea' ? 'text' : 'other';
}

function assertFieldsWritable(rows: z.infer<typeof saved>): void {
  const denied = rows.flatMap(({ errors }) => errors ?? []).find(({ statusCode }) => statusCode === deniedField);
  if (denied === undefined) return;
  throw new CrmFailure('rejected', `crmc: the connected user may not write ${namesIn(denied) || 'a field'}`);
}

function toResult({ dealId }: ReadyWrite, { success, errors }: z.infer<typeof saved>[number]): WriteResult {
  if (success) return { dealId, problem: null };
  const [error] = errors ?? [];
  if (error === undefined) return failed(dealId, 'the CRM gives no reason');
  if (gone.includes(error.statusCode)) return { dealId, problem: { kind: 'gone' } };
  const code = /^\w{1,80}$/.test(error.statusCode) ? error.statusCode : 'unknown error';
  const explanation = explanations.get(error.statusCode);
  const names = namesIn(error);
  return failed(
    dealId,
    `${code}${explanation === undefined ? '' : `: ${explanation}`}${names === '' ? '' : ` (${names})`}`,
  );
}

function namesIn({ fields }: SaveError): string {
  return (fields ?? []).filter((name) => /^\w{1,80}$/.test(name)).join(', ');
}
