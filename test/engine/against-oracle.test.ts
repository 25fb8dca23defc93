import { expect } from 'chai';
import fc from 'fast-check';
import { byKey, engineLedger } from '#test/support/engine-world.js';
import { cleanLedger } from '#test/support/oracle/clean-ledger.js';
import { arbitraryWorld } from '#test/support/oracle/worlds.js';

const runs = Number(process.env['ENGINE_RUNS'] ?? 2000);

describe('the engine compared with an independent implementation of the calculation', function () {
  // Each world takes 15 ms on an idle core.
  this.timeout(60_000 + runs * 60);

  it(`gives the same rows on ${runs} random worlds`, () => {
    fc.assert(
      fc.property(arbitraryWorld(), (world) => {
        expect(engineLedger(world)).to.deep.equal(cleanLedger(world).toSorted(byKey));
      }),
      { numRuns: runs },
    );
  });

  it('gives the same rows for any order of the deals', () => {
    fc.assert(
      fc.property(
        arbitraryWorld().chain((world) =>
          fc.shuffledSubarray(world.deals, { minLength: world.deals.length }).map((deals) => ({ world, deals })),
        ),
        ({ world, deals }) => {
          expect(engineLedger({ ...world, deals })).to.deep.equal(engineLedger(world));
        },
      ),
      { numRuns: Math.ceil(runs / 5) },
    );
  });
});
