import { describeOracleComparison } from './oracle-comparison.js';

/** Other worlds in every run; the title shows the seed. */
const seed = Number(process.env['ENGINE_SEED'] ?? Date.now() % 2 ** 31);
describeOracleComparison(Number(process.env['ENGINE_RUNS'] ?? 60), seed);
