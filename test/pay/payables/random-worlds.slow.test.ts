import { describeRandomWorlds } from './random-worlds.js';

/** Other worlds in every run; the title shows the first seed. */
describeRandomWorlds(200, Number(process.env['PAYABLES_SEED'] ?? Date.now() % 2 ** 31));
