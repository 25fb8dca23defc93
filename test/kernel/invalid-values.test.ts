import { expect } from 'chai';
import { z } from 'zod';
import { readValue } from '#src/kernel/invalid-values.js';

const schema = z.strictObject({
  name: z.string().min(1).max(200),
  code: z.string().min(3).optional(),
  rate: z.number().min(0).max(10),
  above: z.number().gt(0).lt(1).optional(),
  count: z.int().max(1000).optional(),
  force: z.boolean().optional(),
  scope: z.enum(['events', 'all']).optional(),
  kind: z.literal('deal').optional(),
  tiers: z
    .array(z.strictObject({ rate: z.number() }))
    .min(1)
    .max(2)
    .optional(),
  config: z.record(z.string(), z.unknown()).optional(),
  day: z
    .string()
    .refine((text) => text !== 'today', 'must be a calendar day')
    .optional(),
});

const valid = { name: 'AE', rate: 0.1 };

function wrongIn(change: object): Record<string, string> {
  const read = readValue(schema, { ...valid, ...change });
  return Object.fromEntries(('issues' in read ? read.issues : []).map(({ path, message }) => [path, message]));
}

describe('the issues of an invalid value', () => {
  const cases: readonly (readonly [change: object, path: string, message: string])[] = [
    [{ name: undefined }, 'name', 'is required'],
    [{ name: null }, 'name', 'must be a text'],
    [{ name: 5 }, 'name', 'must be a text'],
    [{ name: '' }, 'name', 'must not be empty'],
    [{ name: 'x'.repeat(201) }, 'name', 'must have at most 200 characters'],
    [{ code: 'ab' }, 'code', 'must have at least 3 characters'],
    [{ rate: '0.08' }, 'rate', 'must be a number'],
    [{ rate: Number.POSITIVE_INFINITY }, 'rate', 'must be a number'],
    [{ rate: -1 }, 'rate', 'must be at least 0'],
    [{ rate: 50 }, 'rate', 'must be at most 10'],
    [{ above: 0 }, 'above', 'must be more than 0'],
    [{ above: 1 }, 'above', 'must be less than 1'],
    [{ count: 1.5 }, 'count', 'must be a whole number'],
    [{ count: 1001 }, 'count', 'must be at most 1,000'],
    [{ force: 'true' }, 'force', 'must be true or false'],
    [{ scope: 'everything' }, 'scope', 'must be one of events, all'],
    [{ kind: 'rep' }, 'kind', 'must be deal'],
    [{ tiers: {} }, 'tiers', 'must be a list'],
    [{ tiers: [] }, 'tiers', 'must not be empty'],
    [{ tiers: [{ rate: 1 }, { rate: 1 }, { rate: 1 }] }, 'tiers', 'must have at most 2 items'],
    [{ tiers: [{}] }, 'tiers.0.rate', 'is required'],
    [{ tiers: [{ rate: 1, treshold: 2 }] }, 'tiers.0.treshold', 'unknown field'],
    [{ config: [] }, 'config', 'must be an object'],
    [{ day: 'today' }, 'day', 'must be a calendar day'],
  ];
  for (const [change, path, message] of cases)
    it(`of ${JSON.stringify(change).slice(0, 40)}: ${path} ${message}`, () => {
      expect(wrongIn(change)).to.deep.equal({ [path]: message });
    });

  it('are one for each path, and one for each unknown key', () => {
    expect(wrongIn({ count: 2 ** 60, one: 1, two: 2 })).to.deep.equal({
      count: 'must be at most 9,007,199,254,740,991',
      one: 'unknown field',
      two: 'unknown field',
    });
  });
});
