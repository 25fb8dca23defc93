import { expect } from 'chai';
import { type Backend } from './harness/fleet.js';
import { patience } from './harness/patience.js';
import { repetition, runEpisodes } from './run-episodes.js';

const episodes = Number(process.env['FAULT_EPISODES'] ?? 24) / 2;
const first = Number(process.env['FAULT_SEED'] ?? 1);

/** Half of the episodes, on one of the backends. Each is a file of its own, so that they run beside each other. */
export function proveEpisodes(backend: Backend): void {
  const start = backend === 'postgres' ? first : first + episodes;
  const seeds = Array.from({ length: episodes }, (_, offset) => start + offset);

  describe('under random faults, with two API and two worker processes,', () => {
    it(`no pay is lost, doubled or stale: episodes ${seeds[0]} to ${seeds.at(-1)}, queue on ${backend}`, async function () {
      this.timeout((60_000 + seeds.length * 30_000) * patience);
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
  });
}
