import { CorrectedDeals } from '#test/deals/corrected-deals.js';
import { Service } from '#test/support/service.js';

const first = Number(process.env.CORRECTIONS_SEED ?? 1000);
const runs = Number(process.env.CORRECTIONS_RUNS ?? 20);

describe('corrected values of deals in many random orders', function () {
  this.timeout(600_000);
  const service = Service.duringSuite();

  for (let seed = first; seed < first + runs; seed += 1)
    it(`are kept, and the conflicts are those that exist (${seed})`, async () => {
      const deals = await CorrectedDeals.create(service, seed);
      for (let count = 0; count < 60; count += 1) await deals.step();
      await deals.agreeOnCommission();
    });
});
