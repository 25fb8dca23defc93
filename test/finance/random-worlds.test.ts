import { RandomBooks } from './book-worlds.js';

describe('the books of a random workspace', () => {
  it('are those of an independent implementation', () => RandomBooks.run(1));
});
