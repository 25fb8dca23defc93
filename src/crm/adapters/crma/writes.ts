import { z } from 'zod';
import { type CrmHttp } from '../http.js';
import { type CrmAccess, CrmFailure, type WrittenBatch } from '../port.js';
import {
  checkFields,
  type DealWrite,
  type FieldLabels,
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
import { type CrmaAttribute, toCurrency } from './values.js';

const scope = 'record_permission:read-write';
/** The CRM has no request for several records, so a few requests run at the same time. */
const concurrency = 4;

const labels: FieldLabels = {
  field: 'the attribute',
  number: 'number or currency',
  text: 'text',
  writable: 'the attribute must be writable and hold one value',
};

const missingScope = permissionMissing(`The connection lacks the scope ${scope}: grant it and connect again.`);

/** Writes to the deals of crm-a. */
export class CrmaWriter {
  constructor(
    private readonly http: CrmHttp,
    private readonly apiBase: string,
    private readonly access: CrmAccess,
    private readonly isDealId: (dealId: string) => boolean,
  ) {}

  /** `held`: the granted scopes; null if the CRM does not report them. */
  check(targets: WriteTargets, attributes: readonly CrmaAttribute[], held: readonly string[] | null): WriteCheck {
    const written = new Set(writtenFields(targets).map(([, name]) => name));
    const ids = attributes
      .filter((attribute) => written.has(attribute.api_slug))
      .flatMap(({ id }) => id?.attribute_id ?? []);
    return {
      findings: [
        ...(held === null || held.includes(scope) ? [] : [missingScope]),
        ...checkFields(targets, targetFields(attributes), labels),
      ],
      properties: ids,
    };
  }

  async write(
    targets: WriteTargets,
    attributes: readonly CrmaAttribute[],
    writes: readonly DealWrite[],
  ): Promise<WrittenBatch> {
    const { ready, results } = prepareWrites(targets, targetFields(attributes), writes, this.isDealId);
    const [left, done] = [[...ready], [...results]];
    let failure: CrmFailure | null = null;
    const sendRest = async () => {
      for (let next = left.shift(); next !== undefined && failure === null; next = left.shift()) {
        try {
          done.push(await this.send(next));
        } catch (error) {
          if (!(error instanceof CrmFailure)) throw error;
          // Prefers the failure that leaves the outcome unknown.
          failure = error.kind === 'unavailable' ? error : (failure ?? error);
        }
      }
    };
    const senders = Array.from({ length: concurrency }, sendRest);
    await Promise.all(senders);
    return { results: done, failure };
  }

  private async send({ dealId, json }: ReadyWrite): Promise<WriteResult> {
    const rejection: { code?: string } = {};
    try {
      const response = await this.http.getOrNull({
        method: 'PATCH',
        url: `${this.apiBase}/v2/objects/deals/records/${dealId}`,
        json: { data: { values: json } },
        access: this.access,
        schema: z.object({ data: z.object({ id: z.object({ record_id: z.string() }) }) }),
        needs: scope,
        classifyError: ({ status, body }) => {
          if (status === 400) rejection.code = readCode(body);
          return null;
        },
      });
      const written = response?.body.data.id.record_id;
      if (written === undefined) return { dealId, problem: { kind: 'gone' } };
      return { dealId, problem: written === dealId ? null : { kind: 'gone', survivor: written } };
    } catch (error) {
      if (rejection.code === undefined) throw error;
      return rejectedValues(dealId, rejection.code);
    }
  }
}

function targetFields(attributes: readonly CrmaAttribute[]): ReadonlyMap<string, TargetField> {
  return new Map(
    attributes.map((attribute) => [
      attribute.api_slug,
      {
        kind: toKind(attribute.type),
        isWritable: attribute.is_writable !== false && attribute.is_multiselect !== true,
        isStandard: attribute.is_system_attribute === true,
        currency: attribute.type === 'currency' ? toCurrency(attribute.config?.currency?.default_currency_code) : null,
      },
    ]),
  );
}

function toKind(type: string): TargetField['kind'] {
  if (type === 'number' || type === 'currency') return 'number';
  return type === 'text' ? 'text' : 'other';
}

const rejected = z.object({ code: z.string().regex(/^[\w.-]{1,60}$/) });

function readCode(body: unknown): string {
  return rejected.safeParse(body).data?.code ?? 'status 400';
}
