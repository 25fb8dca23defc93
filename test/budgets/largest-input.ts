import { z } from 'zod';
import { type AnyOperation } from '#src/platform/operation.js';

// biome-ignore lint/suspicious/noExplicitAny: JSON schemas are read at every depth
type Schema = any;

/** Bodies stay below the limits of 1 MiB, 8 KiB without a token. */
const maxJsonBytes = 1000 * 1024;
const maxAnonymousBytes = 8000;

/** Valid values of formats and names whose schemas cannot state them. */
export interface KnownValues {
  /** By the name of the field, such as repId. */
  readonly byName: Readonly<Record<string, unknown>>;
}

/** The largest input that the schemas of the operation accept, or nearly so: lists and texts fill the body. */
export function largestBody(operation: AnyOperation, known: KnownValues): unknown {
  if (operation.body === undefined) return undefined;
  const limit = operation.access === 'public' ? maxAnonymousBytes : maxJsonBytes;
  const schema = z.toJSONSchema(operation.body, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Schema;
  for (let scale = 1; scale > 1e-5; scale *= 0.6) {
    const body = new Filler(known, scale).value(schema, 'body', 0);
    if (JSON.stringify(body).length <= limit) return body;
  }
  return {};
}

/** Fills a schema: every optional field is present, lists and texts have their max length times the scale. */
class Filler {
  constructor(
    private readonly known: KnownValues,
    private readonly scale: number,
  ) {}

  value(schema: Schema, name: string, index: number): unknown {
    const given = this.known.byName[name];
    if (given !== undefined) return typeof given === 'function' ? given(index) : given;
    const one = this.branch(schema);
    if (one.const !== undefined) return one.const;
    if (one.enum !== undefined) return one.enum[index % one.enum.length];
    if (one.type === 'array') return this.list(one, name);
    if (one.type === 'object') return this.object(one);
    if (one.type === 'number' || one.type === 'integer') return one.maximum ?? 1_000_000;
    if (one.type === 'boolean') return false;
    return this.text(one, index);
  }

  private branch(schema: Schema): Schema {
    const branches: Schema[] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [schema];
    return branches.find(({ type }) => type === 'array' || type === 'object') ?? branches[0];
  }

  private list(schema: Schema, name: string): unknown[] {
    const length = Math.max(schema.minItems ?? 1, Math.floor((schema.maxItems ?? 1000) * this.scale));
    return Array.from({ length }, (_, index) => this.value(schema.items ?? {}, name.replace(/s$/, ''), index));
  }

  private object(schema: Schema): Record<string, unknown> {
    const named = Object.entries(schema.properties ?? {}).map(([key, field]) => [key, this.value(field, key, 0)]);
    if (typeof schema.additionalProperties !== 'object' || Object.keys(schema.properties ?? {}).length > 0)
      return Object.fromEntries(named);
    const keys = Math.max(1, Math.floor(500 * this.scale));
    return Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key${at}`, `value ${at}`]));
  }

  private text(schema: Schema, index: number): string {
    if (schema.format === 'uuid') return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    if (schema.format === 'email') return `person${index}@example.test`;
    if (schema.format === 'date') return '2026-01-15';
    const length = Math.max(schema.minLength ?? 1, Math.floor(Math.min(schema.maxLength ?? 500, 10_000) * this.scale));
    return `${index}`.padEnd(length, 'x').slice(0, Math.max(length, 1));
  }
}

/** Plans near the limit of their cost: 50 rules that share 75 conditions, and lists of dates in another. */
const condition = (at: number) => ({
  field: `field${at % 9}`,
  fieldType: 'text',
  operator: 'not_contains',
  value: `value ${at}`.padEnd(400, 'x'),
});
const day = (at: number) => new Date(Date.UTC(2000, 0, 1 + at)).toISOString().slice(0, 10);
const tiers = Array.from({ length: 10 }, (_, at) => ({ tierIndex: at, minThreshold: at / 10, rate: 0.1 }));
const rulesWith = (count: number, conditions: (rule: number) => unknown[]) =>
  Array.from({ length: count }, (_, at) => ({
    name: `Rule ${at}`,
    measure: 'amount',
    tiers,
    conditions: conditions(at),
  }));

export const largestConfigs: Readonly<Record<string, object>> = {
  conditions: {
    dealConditions: [{ operator: 'or', rules: Array.from({ length: 25 }, (_, at) => condition(at)) }],
    rules: rulesWith(25, (rule) => Array.from({ length: 30 }, (_, at) => condition(rule + at))),
  },
  dates: {
    rules: rulesWith(4, () =>
      Array.from({ length: 15 }, (_, at) => ({
        field: `date${at}`,
        fieldType: 'date',
        operator: 'not_in',
        value: Array.from({ length: 1000 }, (_unused, index) => day(index)),
      })),
    ),
  },
};
