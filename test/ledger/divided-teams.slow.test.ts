import { describeDividedHistories } from './divided-histories.js';

/** Other histories in every run; the title shows the seed. */
const seed = Number(process.env['DIVIDED_SEED'] ?? Date.now() % 2 ** 31);
describeDividedHistories(Number(process.env['DIVIDED_RUNS'] ?? 20), seed);
