import { RandomBooks } from './book-worlds.js';

const first = Number(process.env.BOOKS_SEED ?? 2);
const runs = Number(process.env.BOOKS_RUNS ?? 30);

describe('the books of random workspaces', () => {
  for (let seed = first; seed < first + runs; seed += 1)
    it(`are those of an independent implementation (seed ${seed})`, () => RandomBooks.run(seed));
});
