import { expect } from 'chai';
import { operations } from '#src/operations.js';
import { guardJson } from '#src/platform/http/json-body.js';
import { toJsonSchema } from '#src/platform/json-schema.js';
import { maxKeysOf } from '#src/platform/operations/max-keys.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';

// biome-ignore lint/suspicious/noExplicitAny: JSON schemas are read at every depth
type Schema = any;

/** A value with every required key, and in its lists one item. */
function smallest(schema: Schema): unknown {
  const { properties, required = [], items, anyOf } = schema;
  if (anyOf !== undefined) return smallest(anyOf[0]);
  if (items !== undefined) return [smallest(items)];
  if (properties === undefined) return 1;
  return Object.fromEntries(required.map((name: string) => [name, smallest(properties[name])]));
}

const lists = (operations as readonly AnyOperation[]).flatMap((operation) => {
  if (operation.body === undefined || operation.access === 'public') return [];
  const { properties = {} } = toJsonSchema(operation.body, 'input') as Schema;
  return Object.entries<Schema>(properties).flatMap(([name, { items, maxItems }]) =>
    items?.properties === undefined || maxItems === undefined ? [] : [{ operation, name, items, maxItems }],
  );
});

describe('the declared limit of a list can be reached', () => {
  it('in operations with lists of objects', () => {
    expect(lists.map(({ operation, name }) => `${operation.id} ${name}`)).to.include.members([
      'setScores scores',
      'setFxRates rates',
      'upsertReps reps',
    ]);
  });

  for (const { operation, name, items, maxItems } of lists)
    it(`${operation.id}: ${maxItems} ${name}`, () => {
      const body = { [name]: Array.from({ length: maxItems }, () => smallest(items)) };
      expect(() => guardJson(body, maxKeysOf(operation))).not.to.throw();
    });
});
