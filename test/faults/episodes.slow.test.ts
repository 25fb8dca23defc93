import { describeEpisodes } from './episode-tests.js';
import { backendOf } from './harness/commit-choice.js';

/** Both sets contain kills of each server, lost wake-ups and, on Redis, a flush, with and without a CRM. */
const seeds = { postgres: [1, 2, 3, 4], redis: [15, 16, 17, 18] };

const backend = backendOf('episodes');
describeEpisodes(backend, seeds[backend]);
