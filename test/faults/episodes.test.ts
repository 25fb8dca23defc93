import { describeEpisodes } from './episode-tests.js';

/** Kills PostgreSQL and processes, loses wake-ups, and has a CRM. */
describeEpisodes('postgres', [1]);
