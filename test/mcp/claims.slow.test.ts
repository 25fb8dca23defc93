import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { groups } from './claims/all-claims.js';
import { ClaimWorld } from './claims/claim-world.js';
import { argumentOf, definitions } from './claims/definitions.js';

/** The names of all fields at any depth. */
function allKeys(value: unknown): Set<string> {
  if (value === null || typeof value !== 'object') return new Set();
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return new Set([...names, ...Object.values(value).flatMap((inner) => [...allKeys(inner)])]);
}

describe('the description of a tool, on the running service,', () => {
  const service = Service.duringSuite();

  describe('is true of every list and every summary:', () => {
    let world: ClaimWorld;

    before(async () => {
      world = await ClaimWorld.create(service);
    });

    for (const definition of definitions.filter(({ annotations }) => annotations.readOnlyHint)) {
      const { name } = definition;

      if (argumentOf(definition, 'limit') !== undefined)
        it(`${name}: ${argumentOf(definition, 'limit')}`, async () => {
          const given = world.exampleOf(name);
          await world.call(name, { ...given, limit: 200 });
          await world.expectCode('VALIDATION_FAILED', name, { ...given, limit: 201 });
        });

      const [, omitted] = /^summary omits (.+)$/.exec(argumentOf(definition, 'detail') ?? '') ?? [];
      // These results have the names also beside the list, so each has its own claim.
      if (omitted !== undefined && !omitted.includes('.'))
        it(`${name}: summary omits ${omitted}`, async () => {
          const keysWith = async (detail: string) =>
            allKeys(await world.call(name, { ...world.exampleOf(name), detail }));
          const parts = omitted.split(', ');
          const [brief, full] = [await keysWith('summary'), await keysWith('full')];
          expect(parts.filter((part) => !full.has(part))).to.deep.equal([]);
          expect(parts.filter((part) => brief.has(part))).to.deep.equal([]);
        });
    }
  });

  for (const [group, ofTools] of Object.entries(groups))
    describe(`is true ${group}:`, () => {
      let world: ClaimWorld;

      before(async () => {
        world = await ClaimWorld.create(service);
      });

      for (const [name, proofs] of Object.entries(ofTools))
        for (const [words, proof] of Object.entries(proofs))
          if (typeof proof === 'function') it(`${name}: ${words}`, () => proof(world));
    });
});
