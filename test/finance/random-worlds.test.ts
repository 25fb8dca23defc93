import { RandomBooks } from './book-worlds.js';

describe('the books of a random workspace', function () {
  this.timeout(60_000);

  it('are those of an independent implementation', () => RandomBooks.run(1));
});
