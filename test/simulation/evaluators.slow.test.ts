import { describeEvaluators } from './evaluators.js';

/** Other worlds in every run; the title shows the seed. */
const seed = Number(process.env['EVALUATORS_SEED'] ?? Date.now() % 2 ** 31);
describeEvaluators(Number(process.env['EVALUATORS_RUNS'] ?? 100), seed);
