import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { type Claims, ClaimWorld } from './claims/claim-world.js';
import { commissionClaims } from './claims/commission-claims.js';
import { argumentOf, definitions, promisesOf, tests, wordsOf } from './claims/definitions.js';
import { peopleClaims } from './claims/people-claims.js';
import { planClaims } from './claims/plan-claims.js';
import { readingClaims } from './claims/reading-claims.js';

const groups: Readonly<Record<string, Claims>> = {
  'for plans': planClaims,
  'for people, assignments and quotas': peopleClaims,
  'for commission': commissionClaims,
  'for everything else': readingClaims,
};
const claims: Claims = Object.assign({}, ...Object.values(groups));

/** The names of all fields at any depth. */
function allKeys(value: unknown): Set<string> {
  if (value === null || typeof value !== 'object') return new Set();
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return new Set([...names, ...Object.values(value).flatMap((inner) => [...allKeys(inner)])]);
}

describe('the description of a tool', () => {
  const service = Service.duringSuite();

  for (const definition of definitions) {
    const { name } = definition;
    const claimed = Object.keys(claims[name] ?? {});

    it(`${name}: has claims, in its own words`, () => {
      expect(claimed).to.not.deep.equal([]);
      expect(claimed.filter((words) => !wordsOf(definition).includes(words))).to.deep.equal([]);
    });

    it(`${name}: every sentence about formats and changes has a claim`, () => {
      const isClaimed = (promise: string) =>
        claimed.some((words) => words.includes(promise) || promise.includes(words));
      expect(promisesOf(definition).filter((promise) => !isClaimed(promise))).to.deep.equal([]);
    });
  }

  it('has no claim of another tool', () => {
    const names = definitions.map(({ name }) => name);
    expect(Object.keys(claims).filter((name) => !names.includes(name))).to.deep.equal([]);
  });

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
          else
            it(`${name}: ${words} (${proof.file})`, () => {
              const file = new URL(proof.file, tests);
              expect(existsSync(file), proof.file).to.equal(true);
              const titles = readFileSync(file, 'utf8').match(/^ *(?:it|describe)\(.+$/gm) ?? [];
              expect(titles.filter((title) => title.includes(proof.title))).to.have.length(1);
            });
    });
});
