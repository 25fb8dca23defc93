import { z } from 'zod';

/** A JSON Schema as it is sent to clients. The code only adds and removes keywords. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * Metadata of a schema that the OpenAPI document describes as another named schema: free objects that are checked by
 * code have it.
 */
export const describedAs = 'describedAs';

/**
 * Metadata of a text in a query string that is the text of another value, such as a whole number: descriptions have
 * the schema of that value.
 */
export const queryValue = 'queryValue';

interface Described {
  readonly jsonSchema: Record<string, unknown>;
  readonly io: 'input' | 'output';
}

/** Removes limits that hold for every value, and keywords that would make clients reject future responses. */
export function tidySchema({ jsonSchema, io }: Described): void {
  // A response may gain fields; a client that rejects unknown fields would fail with each.
  if (io === 'output' && jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  const value = jsonSchema[queryValue];
  if (value !== undefined) {
    for (const keyword of ['type', 'pattern', 'enum', queryValue]) delete jsonSchema[keyword];
    Object.assign(jsonSchema, value);
  }
  const name = jsonSchema[describedAs];
  if (typeof name === 'string') {
    for (const keyword of ['type', 'additionalProperties', 'propertyNames', describedAs]) delete jsonSchema[keyword];
    jsonSchema['allOf'] = [{ $ref: `#/components/schemas/${name}` }];
  }
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
}

/**
 * The schema in draft 7, which every validator supports, without references. `bare` leaves out descriptions and
 * examples.
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', bare = false): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    target: 'draft-7',
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      delete jsonSchema[describedAs];
      tidySchema({ jsonSchema, io });
      // The pattern of an instant is a page long and adds nothing to its format. Not every validator supports
      // Unicode classes.
      if (jsonSchema.format === 'date-time' || jsonSchema.pattern?.includes('\\p{') === true) delete jsonSchema.pattern;
      delete jsonSchema.propertyNames;
      if (bare) {
        delete jsonSchema.description;
        delete jsonSchema['example'];
      }
    },
  });
  return described;
}
