import { RandomWorld } from './random-worlds.js';

/** PAYABLES_RUNS and PAYABLES_SEED repeat and lengthen a run. */
const runs = Number(process.env['PAYABLES_RUNS'] ?? 100);
const first = Number(process.env['PAYABLES_SEED'] ?? 1);

describe('payables in random worlds', () => {
  it(`equal the oracle after every step, and lose nothing, in ${runs} worlds`, () => {
    for (let seed = first; seed < first + runs; seed += 1) new RandomWorld(seed).run(14);
  });
});
