import { expect } from 'chai';
import { backendOf } from './harness/commit-choice.js';
import { timeoutScale } from './harness/timeout-scale.js';
import { repetition, runEpisodes } from './run-episodes.js';

const episodes = 4;
/** Both sets contain kills of each server, lost wake-ups and, on Redis, a flush, with and without a CRM. */
const firstSeeds = { postgres: 1, redis: 15 };

describe('under random faults, with two API and two worker processes,', () => {
  const backend = backendOf('episodes');
  const seeds = Array.from({ length: episodes }, (_, offset) => firstSeeds[backend] + offset);

  it(`loses, doubles and delays no commission: episodes ${seeds[0]} to ${seeds.at(-1)}, queue on ${backend}`, async function () {
    this.timeout((60_000 + seeds.length * 30_000) * timeoutScale);
    const results = await runEpisodes(backend, seeds);
    if (results === null) {
      process.stderr.write(`SKIPPED: fault episodes on ${backend}, because redis-server is not installed\n`);
      this.skip();
    }
    const failed = results.find(({ violation }) => violation !== null);
    if (failed !== undefined)
      expect.fail(`${failed.violation?.message}\n\nto repeat: ${repetition(backend, failed.seed)}`);
    expect(results).to.have.lengthOf(seeds.length);
  });
});
