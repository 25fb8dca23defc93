import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

/** Lists that are complete by default. */
describe('the pages of lists', () => {
  const service = Service.duringSuite();
  let api: ApiClient;

  before(async () => {
    ({ api } = await service.workspace());
    // Two people with one name have an order, too.
    const people = ['Ann', 'Ben', 'Ben', 'Cid', 'Dee'].map((name, index) => ({
      name,
      email: `person${index}@acme.test`,
    }));
    const ids = await api.saveReps(...people);
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New business', 0.1)] } }, ids);
    for (const period of ['2026-Q1', '2026-Q2']) await api.setQuota(ids, 'New business', period, 1000);
    await api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: '2026-01-01' } });
    const steps = [{ months: 1, quotaPercent: 50, variablePercent: 100 }];
    for (const [index, repId] of ids.entries()) {
      const days = { repId, from: '2026-03-02', to: '2026-03-06' };
      await api.expect(201, 'POST', '/v1/absences', { ...days, quotaRelief: 100, variableRelief: 0 });
      await api.expect(201, 'POST', '/v1/draws', { ...days, kind: 'guarantee', recoverable: true, amount: 100 });
      await api.expect(201, 'POST', '/v1/ramps', { name: `Ramp ${index}`, steps });
    }
  });

  const lists = [
    ['/v1/quotas', (body: unknown) => body as unknown[]],
    ['/v1/assignments', (body: unknown) => body as unknown[]],
    ['/v1/reps', ({ reps }: { reps: unknown[] }) => reps],
    ['/v1/absences', ({ absences }: { absences: unknown[] }) => absences],
    ['/v1/draws', ({ draws }: { draws: unknown[] }) => draws],
    ['/v1/ramps', ({ ramps }: { ramps: unknown[] }) => ramps],
  ] as const;

  for (const [path, itemsOf] of lists)
    it(`of ${path} contain each item once, in the order of the whole list`, async () => {
      const counts = new Set<number>();
      const read = async (query: string): Promise<unknown[]> => {
        const body = await api.expect(200, 'GET', path + query);
        if (body.count !== undefined) counts.add(body.count);
        return itemsOf(body);
      };
      const all = await read('');
      expect(all).to.have.length.of.at.least(5);
      const pages: unknown[][] = [];
      do pages.push(await read(`?limit=2&offset=${pages.length * 2}`));
      while (pages.at(-1)?.length === 2);
      expect(pages.flat()).to.deep.equal(all);
      expect(await read('?offset=1000')).to.deep.equal([]);
      expect([all.length]).to.include.members([...counts]);
      await expectError('400 VALIDATION_FAILED', api.get(`${path}?limit=0`));
      await expectError('400 VALIDATION_FAILED', api.get(`${path}?limit=10001`));
    });
});
