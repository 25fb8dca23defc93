import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

/** Ann and Bob of North, managed by Mia, and Cid of South earn 10 % of 1,000, 2,000 and 4,000; each has an unpaid deal. */
describe('what is earned and not paid, of some people', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let api: ApiClient;
  let mia: string;

  beforeEach(async () => {
    workspace = await service.workspace();
    ({ api } = workspace);
    await api.put('/v1/person-fields', { fields: [{ slug: 'region', label: 'Region', type: 'text' }] });
    [mia = ''] = await api.saveReps({ email: 'mia@acme.test', name: 'Mia', role: 'manager' });
    const reps = await api.saveReps(
      { email: 'ann@acme.test', name: 'Ann', team: 'North', title: 'AE', managerEmail: 'mia@acme.test' },
      { email: 'bob@acme.test', name: 'Bob', team: 'North', managerEmail: 'mia@acme.test', fields: { region: 'DACH' } },
      { email: 'cid@acme.test', name: 'Cid', team: 'South', location: 'Rome' },
    );
    const conditions = [{ field: 'kind', fieldType: 'text', operator: 'equals', value: 'new' }];
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New', 0.1, { conditions })] } }, reps);
    for (const [ownerId, amount] of [
      ['ann', 1000],
      ['bob', 2000],
      ['cid', 4000],
      ['gone', 8000],
    ] as const) {
      const deal = { ownerId: `${ownerId}@acme.test`, amount, stage: 'Won', closeDate: '2026-01-10' };
      await api.put(`/v1/deals/${ownerId}-new`, { ...deal, fields: { kind: 'new' } });
      await api.put(`/v1/deals/${ownerId}-old`, { ...deal, fields: { kind: 'old' } });
    }
    await service.waitForCalculations(workspace.workspaceId);
  });

  const earned = async (query: string, client = api): Promise<[names: string[], total: number]> => {
    const { reps, totals } = await client.expect(200, 'GET', `/v1/commissions?period=2026-01${query}`);
    return [reps.map(({ name }: { name: string }) => name), totals.total];
  };
  const unpaid = async (query: string): Promise<[deals: string[], count: number, sums: number[]]> => {
    const { deals, exceptions } = await api.expect(200, 'GET', `/v1/commissions/exceptions?period=2026-01${query}`);
    type Group = { readonly totals: { amount: number }[]; readonly deals: { dealId: string }[] };
    const ids = exceptions.flatMap((group: Group) => group.deals.map(({ dealId }) => dealId));
    return [ids.sort(), deals, exceptions.flatMap((group: Group) => group.totals.map(({ amount }) => amount))];
  };

  it('has the sums of exactly those who match', async () => {
    expect(await earned('')).to.deep.equal([['Ann', 'Bob', 'Cid'], 700]);
    expect(await earned('&team=north')).to.deep.equal([['Ann', 'Bob'], 300]);
    expect(await earned(`&managerId=${mia}&title=AE`)).to.deep.equal([['Ann'], 100]);
    expect(await earned('&location=Rome&role=rep')).to.deep.equal([['Cid'], 400]);
    expect(await earned('&fields=%7B%22region%22%3A%22DACH%22%7D')).to.deep.equal([['Bob'], 200]);
    expect(await earned('&query=BOB%40')).to.deep.equal([['Bob'], 200]);
    expect(await earned('&team=West')).to.deep.equal([[], 0]);
  });

  it('counts and sums their deals that were not paid, and no deal without a person', async () => {
    expect(await unpaid('')).to.deep.equal([
      ['ann-old', 'bob-old', 'cid-old', 'gone-new', 'gone-old'],
      5,
      [16_000, 7000],
    ]);
    expect(await unpaid('&team=North')).to.deep.equal([['ann-old', 'bob-old'], 2, [3000]]);
    expect(await unpaid('&query=cid')).to.deep.equal([['cid-old'], 1, [4000]]);
    expect(await unpaid('&team=West')).to.deep.equal([[], 0, []]);
  });

  it('names everyone who was not paid for a reason, whatever the page, of people who are given by id', async () => {
    const { reps } = await api.expect(200, 'GET', '/v1/reps');
    const [ann, bob, cid] = ['Ann', 'Bob', 'Cid'].map(
      (name) => reps.find((rep: { name: string }) => rep.name === name)?.id,
    );
    const named = async (query: string) => {
      const path = `/v1/commissions/exceptions?period=2026-01&limit=1${query}`;
      const { exceptions } = await api.expect(200, 'GET', path);
      return exceptions.map(({ reason, repIds, deals }: Record<string, unknown[]>) => [reason, repIds, deals?.length]);
    };
    const reason = 'rule_condition_failed';
    expect(await named(`&ids=${bob},${cid},${mia}`)).to.deep.equal([[reason, [bob, cid].sort(), 1]]);
    expect(await named(`&ids=${ann}&skip=1`)).to.deep.equal([[reason, [ann], 0]]);
    expect(await named('&team=North')).to.deep.equal([[reason, undefined, 1]]);
  });

  it('shows managers only the people below them', async () => {
    await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    const asMia = await workspace.as(mia);
    expect(await earned('&role=rep', asMia)).to.deep.equal([['Ann', 'Bob'], 300]);
    expect(await earned('&team=South', asMia)).to.deep.equal([[], 0]);
  });

  it('rejects values of fields that are no JSON object', async () => {
    await expectError('400 VALIDATION_FAILED', api.get('/v1/commissions?period=2026-01&fields=DACH'));
  });
});
