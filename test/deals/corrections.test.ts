import { expect } from 'chai';
import { recordReportedDeals } from '#src/deals/record-reported-deals.js';
import { CorrectedDeals } from '#test/deals/corrected-deals.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Random } from '#test/support/random.js';
import { Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';

type Value = string | null;
const names = ['amount', 'stage', 'owner', 'fields.region'] as const;
type Name = (typeof names)[number];
const columns: Record<Name, string> = {
  amount: 'amount',
  stage: 'stage',
  owner: 'owner_id',
  'fields.region': 'region',
};
describe('corrected values of deals', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
    const [ann, bob] = await api.saveReps('Ann', 'Bob');
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [flatRule('New', 0.1)] } }, [ann, bob]);
  });

  const content = (stated: ReadonlyMap<Name, Value>) =>
    Object.fromEntries([...stated].map(([name, value]) => [columns[name], value]));
  let clock = Date.parse('2026-05-01T00:00:00Z');
  const sync = (stated: ReadonlyMap<Name, Value>) => {
    clock += 60_000;
    const fields = { close_date: '2026-03-02', ...content(stated) };
    return service.running.service.unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, (tx) =>
      recordReportedDeals(tx, {
        provider: 'crmb',
        deals: [{ id: 'd1', fields, modifiedAt: new Date(clock), deleted: false }],
        fetchedAt: null,
        keepStale: false,
      }),
    );
  };
  const importRow = (stated: ReadonlyMap<Name, Value>, query: string) =>
    api.expect(200, 'POST', `/v1/deals/import?${query}`, {
      deals: [{ dealId: 'd1', fields: { close_date: '2026-03-02', ...content(stated) } }],
    });
  const corrections = async (query = '') =>
    (await api.expect(200, 'GET', `/v1/deal-corrections?dealId=d1${query}`)).corrections as {
      name: string;
      value: Value;
      reported: Value;
      conflict: boolean;
    }[];

  for (const seed of [1, 2, 3, 4])
    it(`survive syncs, files, requests and deletions in random order, and show exactly the conflicts that exist (${seed})`, async () => {
      const deals = await CorrectedDeals.create(service, seed);
      for (let count = 0; count < 30; count += 1) await deals.step();
      await deals.agreeOnCommission();
    });

  it('survive 20 syncs and imports, and pay what the person says', async () => {
    await sync(
      new Map<Name, Value>([
        ['amount', '100'],
        ['stage', 'Won'],
        ['owner', 'ann'],
      ]),
    );
    await importRow(new Map([['amount', '120']]), 'corrections=set');
    const random = new Random(7);
    for (let count = 0; count < 20; count += 1) {
      const stated = new Map<Name, Value>([
        ['amount', random.of(['100', '150'])],
        ['stage', 'Won'],
        ['owner', 'ann'],
      ]);
      await (random.below(2) === 0 ? sync(stated) : importRow(stated, ''));
    }
    await service.waitForCalculations(workspaceId);
    expect((await api.expect(200, 'GET', '/v1/commissions?period=2026')).totals.total).to.equal(12);
    const [conflict] = await corrections('&conflicts=true');
    expect(conflict).to.include({ name: 'amount', value: '120', conflict: true });
    const end = { corrections: [{ dealId: 'd1', name: 'amount' }] };
    const dry = await api.expect(200, 'POST', '/v1/deal-corrections/end?dryRun=true&effect=true', end);
    const delta = conflict?.reported === '100' ? -2 : 3;
    expect(dry).to.include({ ended: 1, changed: 1, dryRun: true });
    expect(dry.effect.totals).to.deep.equal([{ currency: 'USD', delta }]);
    await api.expect(200, 'POST', '/v1/deal-corrections/end', end);
    await service.waitForCalculations(workspaceId);
    expect((await api.expect(200, 'GET', '/v1/commissions?period=2026')).totals.total).to.equal(12 + delta);
    expect(await corrections()).to.deep.equal([]);
  });

  it('are listed as conflicts by an import and its dry run', async () => {
    await sync(
      new Map<Name, Value>([
        ['amount', '100'],
        ['stage', 'Won'],
        ['owner', 'ann'],
      ]),
    );
    await importRow(new Map([['owner', 'bob']]), 'corrections=set');
    const row = new Map<Name, Value>([
      ['amount', '150'],
      ['owner', 'ann'],
    ]);
    const dry = await importRow(row, 'dryRun=true');
    expect(dry).to.include({ changed: 1, conflicts: 1 });
    expect(dry.conflicting).to.deep.equal([{ dealId: 'd1', name: 'owner', kept: 'bob', reported: 'ann' }]);
    expect(await corrections('&conflicts=true')).to.deep.equal([]);
    await importRow(row, '');
    expect(await corrections('&conflicts=true')).to.have.length(1);
    expect(await importRow(row, '')).to.include({ changed: 0, unchanged: 1, conflicts: 1 });
  });

  it('return when an import that replaced them is taken back', async () => {
    await sync(
      new Map<Name, Value>([
        ['amount', '100'],
        ['stage', 'Won'],
        ['owner', 'ann'],
      ]),
    );
    await importRow(new Map([['amount', '120']]), 'corrections=set');
    await importRow(new Map([['amount', '150']]), 'corrections=replace');
    expect(await corrections()).to.deep.equal([]);
    const [{ importId }] = (await api.expect(200, 'GET', '/v1/imports')).imports;
    await api.expect(200, 'POST', `/v1/imports/${importId}/take-back`, {});
    expect((await corrections()).map(({ name, value }) => [name, value])).to.deep.equal([['amount', '120']]);
  });
});
