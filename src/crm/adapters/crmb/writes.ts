import { z } from 'zod';
import { chunk } from '../../../kernel/chunk.js';
import { type CrmHttp, type CrmRequest } from '../http.js';
import { type CrmAccess, CrmFailure, unlessRejected, type WrittenBatch } from '../port.js';
import {
  checkFields,
  type DealWrite,
  type FieldLabels,
  failed,
  permissionMissing,
  prepareWrites,
  type ReadyWrite,
  rejectedValues,
  type TargetField,
  type WriteCheck,
  type WriteResult,
  type WriteTargets,
  writtenFields,
} from '../write-back.js';
import { type CrmbProperty } from './values.js';

const scope = 'crm.objects.deals.write';

const labels: FieldLabels = {
  field: 'the property',
  number: 'number',
  text: 'single-line text',
  writable: 'use a property that is neither calculated nor read-only',
};

const missingScope = permissionMissing(`The connection lacks the scope ${scope}: add it to the app and connect again.`);

const updated = z.object({
  results: z.array(z.object({ id: z.string() })),
  errors: z
    .array(
      z.object({
        category: z.string().nullish(),
        context: z.object({ ids: z.array(z.string()).nullish() }).nullish(),
      }),
    )
    .nullish(),
});
/** Problems of a property, and not of a deal. The CRM names them in the message. */
const propertyProblem = z.object({ message: z.string().regex(/PROPERTY_DOESNT_EXIST|READ_ONLY_VALUE/) });
/** Only text that looks like a code is shown. */
const category = z.object({ category: z.string().regex(/^\w{1,60}$/) });

/** Reads of the account that the writer needs. */
interface CrmbWriteReads {
  /** Loads every property of deals. */
  properties(): Promise<readonly CrmbProperty[]>;
  /** The currency of the account; null if unknown. */
  currency(): Promise<string | null>;
}

/** Writes to the deals of crm-b. */
export class CrmbWriter {
  constructor(
    private readonly http: CrmHttp,
    private readonly url: string,
    private readonly access: CrmAccess,
    private readonly isDealId: (dealId: string) => boolean,
    private readonly reads: CrmbWriteReads,
  ) {}

  async check(targets: WriteTargets): Promise<WriteCheck> {
    const permitted = await this.isPermitted();
    const findings = checkFields(targets, await this.fields(), labels);
    return {
      findings: permitted ? findings : [missingScope, ...findings],
      properties: writtenFields(targets).map(([, name]) => name),
    };
  }

  async write(targets: WriteTargets, writes: readonly DealWrite[]): Promise<WrittenBatch> {
    const { ready, results } = prepareWrites(targets, await this.fields(), writes, this.isDealId);
    const done = [...results];
    // Batches that the CRM rejected, in halves until the deal that it rejects is alone.
    const left = ready.length === 0 ? [] : [ready];
    for (let batch = left.shift(); batch !== undefined; batch = left.shift()) {
      try {
        const written = await this.send(batch);
        if (written !== null) done.push(...written);
        else left.unshift(...chunk(batch, Math.ceil(batch.length / 2)));
      } catch (error) {
        if (error instanceof CrmFailure) return { results: done, failure: error };
        throw error;
      }
    }
    return { results: done, failure: null };
  }

  /** Null if the CRM wrote nothing because of one of several deals. */
  private async send(batch: readonly ReadyWrite[]): Promise<WriteResult[] | null> {
    const inputs = batch.map(({ dealId, json }) => ({ id: dealId, properties: toTexts(json) }));
    const rejection: { code?: string } = {};
    try {
      const { body } = await this.http.request({
        ...this.post({ inputs }, updated),
        classifyError: ({ status, body: response }) => {
          if (status === 400 && !propertyProblem.safeParse(response).success)
            rejection.code = category.safeParse(response).data?.category ?? 'status 400';
          return null;
        },
      });
      return toResults(batch, body);
    } catch (error) {
      const [only, ...others] = batch;
      if (rejection.code === undefined || only === undefined) throw error;
      return others.length === 0 ? [rejectedValues(only.dealId, rejection.code)] : null;
    }
  }

  /** The CRM checks the scope before the inputs, so a request without inputs changes nothing and shows whether it is granted. */
  private async isPermitted(): Promise<boolean> {
    let isDenied = false;
    const request: CrmRequest<unknown> = {
      ...this.post({ inputs: [] }, z.unknown()),
      classifyError: ({ status }) => {
        isDenied = status === 403;
        return null;
      },
    };
    await unlessRejected(() => this.http.request(request), null);
    return !isDenied;
  }

  private async fields(): Promise<ReadonlyMap<string, TargetField>> {
    const currency = await this.reads.currency();
    const properties = (await this.reads.properties()).filter(({ archived }) => archived !== true);
    return new Map(properties.map((property) => [property.name, targetField(property, currency)]));
  }

  private post<T>(json: unknown, schema: z.ZodType<T>) {
    return { method: 'POST', url: this.url, json, access: this.access, schema, needs: scope } as const;
  }
}

function targetField(property: CrmbProperty, currency: string | null): TargetField {
  const { type, showCurrencySymbol, currencyPropertyName, numberDisplayHint, modificationMetadata } = property;
  // Custom amounts are in the currency of the account, unless a property names another one.
  const isOfAccount = showCurrencySymbol === true && currencyPropertyName == null;
  const number = numberDisplayHint === 'percentage' ? 'ratio' : 'number';
  return {
    kind: type === 'number' ? number : type === 'string' ? 'text' : 'other',
    isWritable: property.calculated !== true && modificationMetadata?.readOnlyValue !== true,
    isStandard: property.hubspotDefined === true,
    currency: isOfAccount ? currency : null,
  };
}

/** All values are texts. An empty one clears the property. */
function toTexts(json: ReadyWrite['json']): Record<string, string> {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, value === null ? '' : String(value)]));
}

/** A deal that was merged is written under the id of the deal that it became. */
function toResults(batch: readonly ReadyWrite[], { results, errors }: z.infer<typeof updated>): WriteResult[] {
  const requested = new Set(batch.map(({ dealId }) => dealId));
  const written = new Set(results.map(({ id }) => id));
  const survivors = results.filter(({ id }) => !requested.has(id));
  const problems = new Map(
    (errors ?? []).flatMap(({ category: code, context }) =>
      (context?.ids ?? []).map((id) => [id, code ?? ''] as const),
    ),
  );
  return batch.map(({ dealId }): WriteResult => {
    if (written.has(dealId)) return { dealId, problem: null };
    const code = problems.get(dealId);
    if (code === 'OBJECT_NOT_FOUND') return { dealId, problem: { kind: 'gone' } };
    if (code !== undefined) return rejectedValues(dealId, code);
    const [survivor, ...others] = survivors;
    return survivor !== undefined && others.length === 0
      ? { dealId, problem: { kind: 'gone', survivor: survivor.id } }
      : failed(dealId, 'the CRM does not report whether it has the values');
  });
}
