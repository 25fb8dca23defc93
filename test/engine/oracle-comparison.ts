import { expect } from 'chai';
import fc from 'fast-check';
import { byKey, comparableRows, continuedLedgers, engineLedger, periodicCredits } from '#test/support/engine-world.js';
import { cleanLedger } from '#test/support/oracle/clean-ledger.js';
import { arbitraryWorld } from '#test/support/oracle/worlds.js';

const creditWorld = () => arbitraryWorld({ credits: true });
const refundWorld = () => arbitraryWorld({ credits: true, refunds: true });
const refundFxWorld = () => arbitraryWorld({ credits: true, refunds: true, fx: true });
const formulaWorld = () => arbitraryWorld({ credits: true, refunds: true, formulas: true });
const formulaFxWorld = () => arbitraryWorld({ credits: true, formulas: true, fx: true });
const creditNoteWorld = () => arbitraryWorld({ credits: true, creditNotes: true });
const creditNoteRefundWorld = () => arbitraryWorld({ credits: true, refunds: true, creditNotes: true });
const creditNoteFxWorld = () => arbitraryWorld({ credits: true, creditNotes: true, fx: true });
const lineWorld = () => arbitraryWorld({ credits: true, lines: true });
const lineFxWorld = () => arbitraryWorld({ credits: true, lines: true, fx: true });
const lineNoteWorld = () => arbitraryWorld({ credits: true, lines: true, creditNotes: true });
const lineRefundWorld = () => arbitraryWorld({ credits: true, lines: true, refunds: true });
const lineMixedWorld = () =>
  arbitraryWorld({ credits: true, lines: true, refunds: true, creditNotes: true, fx: true, formulas: true });
const fxWorld = () => arbitraryWorld({ credits: true, fx: true });

/** Compares the engine with the oracle on random worlds: about fifteen milliseconds per world on an idle core. */
export function describeOracleComparison(worldCount: number, seed: number): void {
  describe(`the engine compared with an independent implementation of the calculation, seed ${seed}`, function () {
    this.timeout(240_000 + worldCount * 200);

    it(`gives the same rows on ${worldCount} random worlds`, () => {
      fc.assert(
        fc.property(creditWorld(), (world) => {
          expect(comparableRows(engineLedger(world))).to.deep.equal(comparableRows(cleanLedger(world).toSorted(byKey)));
        }),
        { numRuns: worldCount, seed },
      );
    });

    it(`gives the same rows on ${worldCount} random worlds with exchange rates`, () => {
      fc.assert(
        fc.property(fxWorld(), (world) => {
          expect(comparableRows(engineLedger(world))).to.deep.equal(comparableRows(cleanLedger(world).toSorted(byKey)));
        }),
        { numRuns: worldCount, seed },
      );
    });

    it(`gives the same rows on ${worldCount} random worlds with refunds, half of them with exchange rates`, () => {
      const refunded: number[] = [];
      fc.assert(
        fc.property(fc.oneof(refundWorld(), refundFxWorld()), (world) => {
          const rows = comparableRows(engineLedger(world));
          expect(rows).to.deep.equal(comparableRows(cleanLedger(world).toSorted(byKey)));
          refunded.push(rows.filter(({ dealId }) => dealId.startsWith('refund:')).length);
        }),
        { numRuns: worldCount, seed },
      );
      expect(refunded.filter((count) => count > 0)).to.have.length.above(worldCount / 10);
    });

    it(`gives the same rows on ${worldCount} random worlds with credit notes`, () => {
      const used: number[] = [];
      const arbitrary = fc.oneof(creditNoteWorld(), creditNoteRefundWorld(), creditNoteFxWorld());
      fc.assert(
        fc.property(arbitrary, (world) => {
          const rows = comparableRows(engineLedger(world));
          expect(rows).to.deep.equal(comparableRows(cleanLedger(world).toSorted(byKey)));
          used.push(rows.filter(({ cutOff }) => cutOff?.startsWith('-')).length);
        }),
        { numRuns: worldCount, seed },
      );
      expect(used.filter((count) => count > 0)).to.have.length.least(Math.floor(worldCount / 50));
    });

    it(`gives the same rows on ${worldCount} random worlds with formulas, half of them with exchange rates`, () => {
      const rows: number[] = [];
      fc.assert(
        fc.property(fc.oneof(formulaWorld(), formulaFxWorld()), (world) => {
          const computed = comparableRows(engineLedger(world));
          expect(computed).to.deep.equal(comparableRows(cleanLedger(world).toSorted(byKey)));
          rows.push(computed.length);
        }),
        { numRuns: worldCount, seed },
      );
      expect(rows.filter((count) => count > 0)).to.have.length.above(worldCount / 3);
    });

    it(`gives the same rows on ${worldCount} random worlds with lines of deals and rate tables`, () => {
      const arbitrary = fc.oneof(lineWorld(), lineFxWorld(), lineNoteWorld(), lineRefundWorld());
      const paid = paidLines(arbitrary, worldCount, seed);
      expect(paid.filter((count) => count > 0)).to.have.length.above(worldCount / 3);
    });

    it(`gives the same rows on ${worldCount} random worlds with lines of deals and all of the above at once`, () => {
      const paid = paidLines(lineMixedWorld(), worldCount, seed);
      expect(paid.filter((count) => count > 0)).to.have.length.above(worldCount / 10);
    });

    it('gives the same rows from a day on when the events before it are only known as sums', () => {
      const rowCounts: number[] = [];
      const worldAndDay = fc.oneof(creditWorld(), fxWorld()).chain((world) =>
        fc.record({
          world: fc.constant(world),
          day: fc.constantFrom('2026-01-01', ...world.deals.flatMap(({ closeDate }) => closeDate ?? [])),
        }),
      );
      fc.assert(
        fc.property(worldAndDay, ({ world, day }) => {
          for (const { whole, continued } of continuedLedgers(world, day)) {
            expect(continued).to.deep.equal(whole);
            rowCounts.push(whole.length);
          }
        }),
        { numRuns: worldCount, seed },
      );
      expect(rowCounts.filter((count) => count > 0)).to.have.length.above(worldCount / 50);
    });

    it('gives periodic rules the same credit on the last day of the period as when they count', () => {
      const counts: number[] = [];
      fc.assert(
        fc.property(fc.oneof(creditWorld(), fxWorld(), refundWorld()), (world) => {
          const { ended, running } = periodicCredits(world);
          expect(running).to.deep.equal(ended);
          counts.push(ended.filter(({ credit }) => credit !== '0').length);
        }),
        // Few worlds have a periodic rule that counts something. The fixed seed of the gate has enough of them.
        { numRuns: worldCount > 20 ? 4 * worldCount : worldCount, seed },
      );
      expect(counts.filter((count) => count > 0)).to.have.length.above(worldCount / 50);
    });

    it('gives the same rows for every order of the deals', () => {
      fc.assert(
        fc.property(
          creditWorld().chain((world) =>
            fc.shuffledSubarray(world.deals, { minLength: world.deals.length }).map((deals) => ({ world, deals })),
          ),
          ({ world, deals }) => {
            expect(engineLedger({ ...world, deals })).to.deep.equal(engineLedger(world));
          },
        ),
        { numRuns: Math.ceil(worldCount / 5), seed },
      );
    });
  });
}

/** Compares the worlds; the number of rows of each that pay something on a deal with lines. */
function paidLines(arbitrary: ReturnType<typeof arbitraryWorld>, worldCount: number, seed: number): number[] {
  const paid: number[] = [];
  fc.assert(
    fc.property(arbitrary, (world) => {
      const rows = comparableRows(engineLedger(world));
      expect(rows).to.deep.equal(comparableRows(cleanLedger(world).toSorted(byKey)));
      const withLines = new Set(world.deals.flatMap(({ dealId, lines }) => (lines === undefined ? [] : [dealId])));
      paid.push(rows.filter(({ dealId, amount }) => withLines.has(dealId) && amount !== '0').length);
    }),
    { numRuns: worldCount, seed },
  );
  return paid;
}
