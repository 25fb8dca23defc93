import { z } from 'zod';

/** A JSON Schema as it is sent; nothing of ours looks into it but to add and to leave out. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

interface Described {
  readonly jsonSchema: Record<string, unknown>;
  readonly io: 'input' | 'output';
}

/** Leaves out what is true of every value and noise in the reader's eye, and what would break a client too soon. */
export function tidySchema({ jsonSchema, io }: Described): void {
  // An answer may gain fields; a client that refuses unknown ones would break with each.
  if (io === 'output' && jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
}

/** The schema in draft 7, which every validator knows, with nothing to look up elsewhere. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    target: 'draft-7',
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      tidySchema({ jsonSchema, io });
      // The pattern of an instant is a page long and says no more than its format; Unicode classes are not for everybody.
      if (jsonSchema.format === 'date-time' || jsonSchema.pattern?.includes('\\p{') === true) delete jsonSchema.pattern;
      delete jsonSchema.propertyNames;
    },
  });
  return described;
}
