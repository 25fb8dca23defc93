import { RandomOrder } from './random-orders.js';

/** ORDER_RUNS and ORDER_SEED lengthen and repeat a run. */
const runs = Number(process.env['ORDER_RUNS'] ?? 5);
const first = Number(process.env['ORDER_SEED'] ?? 21);

describe('facts in a random order, with calculations between them', () => {
  it(`give the ledger of a clean recalculation in ${runs} worlds`, async function () {
    this.timeout(60_000 + runs * 10_000);
    for (let seed = first; seed < first + runs; seed += 1) await RandomOrder.run(seed);
  });
});
