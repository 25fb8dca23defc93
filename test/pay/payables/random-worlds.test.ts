import { describeRandomWorlds } from './random-worlds.js';

/** PAYABLES_RUNS and PAYABLES_SEED repeat and lengthen a run. */
describeRandomWorlds(Number(process.env['PAYABLES_RUNS'] ?? 40), Number(process.env['PAYABLES_SEED'] ?? 1));
