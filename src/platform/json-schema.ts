import { z } from 'zod';

/** A JSON Schema as it is sent to clients. The code only adds and removes keywords. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

interface Described {
  readonly jsonSchema: Record<string, unknown>;
  readonly io: 'input' | 'output';
}

/** Removes limits that hold for every value, and keywords that would make clients reject future responses. */
export function tidySchema({ jsonSchema, io }: Described): void {
  // A response may gain fields; a client that rejects unknown fields would fail with each.
  if (io === 'output' && jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
}

/** The schema in draft 7, which every validator supports, without references. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    target: 'draft-7',
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      tidySchema({ jsonSchema, io });
      // The pattern of an instant is a page long and adds nothing to its format. Not every validator supports
      // Unicode classes.
      if (jsonSchema.format === 'date-time' || jsonSchema.pattern?.includes('\\p{') === true) delete jsonSchema.pattern;
      delete jsonSchema.propertyNames;
    },
  });
  return described;
}
