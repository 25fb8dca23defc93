import { expect } from 'chai';
import { type Backend } from './harness/fleet.js';
import { repetition, runEpisodes } from './run-episodes.js';

const episodes = Number(process.env['FAULT_EPISODES'] ?? 24);
const first = Number(process.env['FAULT_SEED'] ?? 1);

describe('under random faults, with two API and two worker processes,', () => {
  for (const [index, backend] of (['postgres', 'redis'] as const satisfies Backend[]).entries()) {
    const seeds = Array.from({ length: episodes / 2 }, (_, offset) => first + index * (episodes / 2) + offset);

    it(`no pay is lost, doubled or stale: episodes ${seeds[0]} to ${seeds.at(-1)}, queue on ${backend}`, async function () {
      this.timeout(60_000 + seeds.length * 30_000);
      const results = await runEpisodes(backend, seeds);
      if (results === null) {
        process.stderr.write(`SKIPPED: no redis-server is installed, so no episodes of faults on ${backend}\n`);
        this.skip();
      }
      const failed = results.find(({ violation }) => violation !== null);
      if (failed !== undefined)
        expect.fail(`${failed.violation?.message}\n\nto repeat: ${repetition(backend, failed.seed)}`);
      expect(results).to.have.lengthOf(seeds.length);
    });
  }
});
