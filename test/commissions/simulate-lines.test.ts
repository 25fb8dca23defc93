import { expect } from 'chai';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

const products = {
  name: 'Products',
  keys: [{ name: 'family', field: 'line.family', match: 'exact' }],
  columns: [{ name: 'base' }, { name: 'accelerated' }],
  rows: [
    { keys: { family: 'software' }, values: { base: 0.1, accelerated: 0.14 } },
    { keys: { family: 'services' }, values: { base: 0.04, accelerated: 0.05 } },
    { keys: { family: 'hardware' }, values: { base: 0.02, accelerated: 0.02 } },
  ],
};
const rule = {
  name: 'Products',
  measure: 'line.amount',
  lines: {},
  tiers: [{ tierIndex: 0, minThreshold: 0, table: 'products', column: 'base' }],
};
const lines = [
  { lineId: '1', family: 'software', amount: 30_000 },
  { lineId: '2', family: 'services', amount: '15000.00' },
  { lineId: '3', family: 'Support', amount: 5_000 },
];

describe('the simulation of lines and rate tables', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  let api: ApiClient;
  let repId: string;

  beforeEach(async () => {
    ({ workspaceId, api } = await service.workspace());
    [repId] = (await api.saveReps('Ann')) as [string];
  });

  const simulate = (change: object = {}): Promise<ApiResponse> =>
    api.post('/v1/commissions/simulate', {
      config: { rules: [rule] },
      period: '2026-Q1',
      repId,
      deals: [{ dealId: 'D', closeDate: '2026-02-10', amount: 50_000, lines }],
      tables: [products],
      ...change,
    });

  it('pays each line by its row and says why a line pays nothing', async () => {
    const { status, body } = await simulate();
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.total).to.equal(3_600);
    const [deal] = body.reps[0].rules[0].deals;
    expect(
      deal.trace.lines.map((line: { amount: number; reason?: string }) => [line.amount, line.reason]),
    ).to.deep.equal([
      [3_000, undefined],
      [600, undefined],
      [0, 'rate_not_found'],
    ]);
  });

  it('keeps the lines of a stored deal that the request does not name, for everyone who may simulate it', async () => {
    await api.expect(200, 'PUT', '/v1/rate-tables/Products', { ...products, name: undefined });
    const { planId } = await api.createPlan({ name: 'AE', config: { rules: [rule] } }, [repId]);
    const [mia, out] = await api.saveReps({ name: 'Mia', role: 'manager' }, { name: 'Out', role: 'manager' });
    await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    await api.expect(200, 'PATCH', `/v1/reps/${repId}`, { managerId: mia });
    await api.putDeal('D', { amount: 50_000, closeDate: '2026-02-10', stage: 'Proposal', repId, lines });
    const simulated = async (client: ApiClient, more: object = {}, ofRep = repId) => {
      const deals = [{ dealId: 'D', stage: 'Won', closeDate: '2026-02-20', ...more }];
      const sent = { planId, period: '2026-Q1', repId: ofRep, deals };
      return (await client.expect(200, 'POST', '/v1/commissions/simulate', sent)).total;
    };
    expect(await simulated(await service.as(workspaceId, repId))).to.equal(3_600);
    const asMia = await service.as(workspaceId, mia as string);
    expect(await simulated(asMia)).to.equal(3_600);
    expect(await simulated(asMia, { lines: [lines[1]] })).to.equal(600);
    // A manager of other people learns nothing of the products.
    const others = { amount: 50_000 };
    expect(await simulated(await service.as(workspaceId, out as string), others, out)).to.equal(0);
  });

  it('rejects plans that cannot use their tables', async () => {
    const codeOf = async (change: object) => {
      const { status, body } = await simulate(change);
      return [status, body.code];
    };
    const tier = (pay: object) => ({
      config: { rules: [{ ...rule, tiers: [{ tierIndex: 0, minThreshold: 0, ...pay }] }] },
    });
    expect(await codeOf({ tables: [] })).to.deep.equal([400, 'rate_table_not_found']);
    expect(await codeOf(tier({ table: 'Products' }))).to.deep.equal([400, 'column_not_found']);
    expect(await codeOf(tier({ table: 'Products', column: 'base', rate: 0.1 }))).to.deep.equal([
      400,
      'VALIDATION_FAILED',
    ]);
    const inEuros = {
      ...products,
      currency: 'EUR',
      columns: [{ name: 'base', kind: 'amount' }, { name: 'accelerated' }],
    };
    expect(await codeOf({ tables: [inEuros] })).to.deep.equal([400, 'currency_differs']);
    const { lines: _, ...whole } = { ...rule, measure: 'amount' };
    expect(await codeOf({ config: { rules: [whole] } })).to.deep.equal([400, 'VALIDATION_FAILED']);
    expect(await codeOf({ tables: [{ ...products, rows: [...products.rows, products.rows[0]] }] })).to.deep.equal([
      400,
      'rows_overlap',
    ]);
    const withoutValue = { ...products, rows: [{ keys: {}, values: { base: 0.1 } }] };
    expect(await codeOf({ tables: [withoutValue] })).to.deep.equal([400, 'value_missing']);
  });

  it('rejects rules that name lines where they have none', async () => {
    const pathsOf = async (change: object, other: object[] = []) => {
      const { body } = await simulate({ config: { rules: [{ ...rule, ...change }, ...other] } });
      return body.details?.issues?.map(({ path }: { path: string }) => path);
    };
    const onFamily = { field: 'line.family', fieldType: 'text', operator: 'equals', value: 'software' };
    expect(await pathsOf({ measure: 'amount' })).to.deep.equal(['config.rules.0.measure']);
    expect(await pathsOf({ payoutBase: 'amount' })).to.deep.equal(['config.rules.0.payoutBase']);
    expect(await pathsOf({ conditions: [onFamily] })).to.deep.equal(['config.rules.0.conditions.0']);
    expect(await pathsOf({ flatPer: 'line', payoutMode: 'rate_times_attainment' })).to.include(
      'config.rules.0.flatPer',
    );
    expect(await pathsOf({ executionPhase: 'cascade' })).to.deep.equal(['config.rules.0.payoutBase']);
    expect(await pathsOf({ tierMode: 'interpolated', tierBy: 'value', tierValueField: 'line.amount' })).to.include(
      'config.rules.0.tierMode',
    );
  });

  it('runs tests of a plan with their own tables', async () => {
    const test = {
      name: 'lines',
      deals: [{ dealId: 'D', closeDate: '2026-02-10', amount: 50_000, lines }],
      tables: [products],
      expected: [{ ruleName: 'Products', amount: 3_600 }],
    };
    const { planId } = await api.createPlan({
      name: 'Flat',
      config: { rules: [{ name: 'Flat', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }] },
    });
    const run = (change: object) =>
      api.post(`/v1/plans/${planId}/tests/run`, { config: { rules: [rule] }, tests: [{ ...test, ...change }] });
    expect((await run({})).body).to.deep.include({ passed: true });
    expect((await run({ tables: [] })).body.code).to.equal('rate_table_not_found');
  });
});
