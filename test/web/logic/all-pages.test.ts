import { expect } from 'chai';
import { loadAllPages } from '#web/api/all-pages.js';

describe('all pages of a list', () => {
  for (const [count, requests] of [
    [0, ['0']],
    [2, ['0']],
    [3, ['0', '3']],
    [7, ['0', '3', '6']],
  ] as const)
    it(`of ${count} rows are loaded with ${requests.length} requests of 3 rows`, async () => {
      const rows = Array.from({ length: count }, (_, index) => index);
      const offsets: string[] = [];
      const loaded = await loadAllPages(3, async ({ limit, offset }) => {
        offsets.push(offset);
        return rows.slice(Number(offset), Number(offset) + Number(limit));
      });
      expect(loaded).to.deep.equal(rows);
      expect(offsets).to.deep.equal(requests);
    });
});
