import { expect } from 'chai';
import { jsonChunks } from '#src/platform/long-response.js';

const people = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `Zoë 💰 ${index}`, index }));

describe('the chunks of a long response', () => {
  for (const [what, body] of Object.entries({
    'an empty list': [],
    'a short list': people(2),
    'a long list': people(20_000),
    'a long list of items that have no JSON': Array.from({ length: 5 }, () => undefined),
    'an object without lists': { name: 'Zoë', at: new Date(0), left: undefined },
    'an object with lists and members that are left out': {
      first: undefined,
      people: people(7000),
      between: undefined,
      short: people(1),
      count: 7000,
      others: people(6),
      last: undefined,
    },
  }))
    it(`of ${what} are its JSON`, async () => {
      expect(Buffer.concat(await jsonChunks(body)).toString()).to.equal(JSON.stringify(body));
    });

  it('are small, however long the list is', async () => {
    const chunks = await jsonChunks({ people: people(20_000) });
    expect(chunks.length).to.be.above(5);
    expect(Math.max(...chunks.map(({ length }) => length))).to.be.below(128 * 1024);
  });

  it('have no character in two of them', async () => {
    for (const chunk of await jsonChunks(people(20_000))) expect(chunk.toString()).not.to.include('\ufffd');
  });
});
