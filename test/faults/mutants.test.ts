import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { mutants } from './mutants/mutants.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('mutants', () => {
  it('each match their source text exactly once', () => {
    const lost = mutants.flatMap(({ name, changes }) =>
      changes
        .filter(({ file, from }) => readFileSync(path.join(root, file), 'utf8').split(from).length !== 2)
        .map(({ file, from }) => `${name}: ${file} does not contain exactly once: ${from}`),
    );
    expect(lost).to.deep.equal([]);
  });
});
