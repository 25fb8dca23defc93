import { expect } from 'chai';
import { type Backend } from './harness/fleet.js';
import { timeoutScale } from './harness/timeout-scale.js';
import { repetition, runEpisodes } from './run-episodes.js';

/** One test that runs the episodes of these seeds on one fleet. */
export function describeEpisodes(backend: Backend, seeds: readonly number[]): void {
  describe('under random faults, with two API and two worker processes,', () => {
    it(`loses, doubles and delays no commission: seeds ${seeds.join(', ')}, queue on ${backend}`, async function () {
      this.timeout((120_000 + seeds.length * 30_000) * timeoutScale);
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
}
