import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { groups } from './claims/all-claims.js';
import { type Claims } from './claims/claim-world.js';
import { definitions, promisesOf, tests, wordsOf } from './claims/definitions.js';

const claims: Claims = Object.assign({}, ...Object.values(groups));

describe('the description of a tool', () => {
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

  describe('is true, as another test shows:', () => {
    for (const [name, proofs] of Object.entries(claims))
      for (const [words, proof] of Object.entries(proofs)) {
        if (typeof proof === 'function') continue;
        it(`${name}: ${words} (${proof.file})`, () => {
          const file = new URL(proof.file, tests);
          expect(existsSync(file), proof.file).to.equal(true);
          const titles = readFileSync(file, 'utf8').match(/^ *(?:it|describe)\(.+$/gm) ?? [];
          expect(titles.filter((title) => title.includes(proof.title))).to.have.length(1);
        });
      }
  });
});
