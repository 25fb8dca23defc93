import { expect } from 'chai';
import fc from 'fast-check';
import { cleanLedger } from '#test/support/oracle/clean-ledger.js';
import { arbitraryWorld } from '#test/support/oracle/worlds.js';

describe('the rows of the oracle on random worlds', () => {
  it('converge, contain each natural key once, and do not depend on the order of the input', () => {
    fc.assert(
      fc.property(arbitraryWorld({ contested: true }), (given) => {
        const rows = cleanLedger(given);
        const keys = rows.map((row) => JSON.stringify([row.repId, row.planId, row.ruleName, row.dealId]));
        expect(new Set(keys).size).to.equal(keys.length);
        const turned = {
          ...given,
          reps: [...given.reps].reverse(),
          plans: [...given.plans].reverse(),
          assignments: [...given.assignments].reverse(),
          quotas: [...given.quotas].reverse(),
          deals: [...given.deals].reverse(),
          storedRows: [...given.storedRows].reverse(),
        };
        expect(cleanLedger(turned)).to.deep.equal(rows);
      }),
      { numRuns: 100, seed: 20260331 },
    );
  });

  it('leave every frozen row unchanged', () => {
    fc.assert(
      fc.property(arbitraryWorld(), (given) => {
        const storedRows = cleanLedger(given);
        expect(cleanLedger({ ...given, storedRows })).to.deep.equal(storedRows);
      }),
      { numRuns: 100, seed: 20260630 },
    );
  });
});
