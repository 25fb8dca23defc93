import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatTier } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

interface Group {
  readonly reason: string;
  readonly deals: readonly { dealId: string; missing: string[]; rules: { ruleName: string }[] }[];
}

describe('the exceptions of lines', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let ann: string;
  afterEach(() => workspace.expectSoundLedger());

  async function start(...rules: readonly object[]): Promise<void> {
    workspace = await service.workspace();
    [ann = ''] = await workspace.api.saveReps({ name: 'Ann' });
    if (rules.length > 0) await workspace.api.createPlan({ name: 'AE', config: { rules } }, [ann]);
  }

  const deal = (dealId: string, lines: readonly object[], more: object = {}) =>
    workspace.api.putDeal(dealId, { amount: 100, closeDate: '2026-02-10', repId: ann, lines, ...more });
  const listed = async (query = ''): Promise<readonly Group[]> => {
    await workspace.calculated();
    const path = `/v1/commissions/exceptions?period=2026-02${query}`;
    return (await workspace.api.expect(200, 'GET', path)).exceptions;
  };
  const dealsBy = async (query = '') =>
    Object.fromEntries((await listed(query)).map(({ reason, deals }) => [reason, deals.map((one) => one.dealId)]));

  it('list lines in the currency of the deal whose rounded sum is not its rounded amount, until it is accepted', async () => {
    await start({ name: 'All', measure: 'amount', tiers: flatTier(0.1) });
    const line = (amount: number, more: object = {}) => ({ lineId: String(amount), amount, ...more });
    await deal('equal', [line(60), line(40.004)]);
    await deal('less', [line(60), line(39.99)]);
    await deal('foreign', [line(60, { currency: 'EUR' })]);
    await deal('yen', [line(60.4), line(40)], { currency: 'JPY' });
    await deal('march', [line(1)], { closeDate: '2026-03-10' });
    await deal('deleted', [line(1)]);
    await workspace.api.expect(200, 'DELETE', '/v1/deals/deleted');
    await workspace.sql(
      `insert into deal_lines (workspace_id, deal_id, source, position, content)
       values ($1, 'equal', 'crm', 0, '{"lineId": "C", "amount": "1"}'), ($1, 'none', 'crm', 0, '{"lineId": "C"}')`,
    );
    const found = await dealsBy();
    expect(found['lines_differ']).to.deep.equal(['less']);
    const accepted = { dealId: 'less', reason: 'lines_differ', note: 'Rounding of the CRM' };
    await workspace.api.expect(201, 'POST', '/v1/commissions/exceptions/accepted', accepted);
    expect(await dealsBy()).not.to.have.property('lines_differ');
    expect((await dealsBy('&accepted=true'))['lines_differ']).to.deep.equal(['less']);
  });

  it('list a line that lacks a number although the other lines pay, with the field', async () => {
    await start(
      { name: 'Margin', measure: 'line.margin', lines: {}, tiers: flatTier(0.1) },
      {
        name: 'Seats',
        measure: '_lines',
        lines: {},
        flatPer: 'unit',
        tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 5 }],
      },
    );
    const line = (lineId: string, more: object) => ({ lineId, amount: 50, quantity: 1, ...more });
    await deal('whole', [line('1', { fields: { margin: 1 } }), line('2', { fields: { margin: 2 } })]);
    await deal('part', [line('1', { fields: { margin: 1 } }), line('2', { quantity: null })]);
    await deal('none', [line('1', {}), line('2', {})]);
    const groups = await listed();
    expect(groups.map(({ reason, deals }) => [reason, deals.map(({ dealId }) => dealId)])).to.deep.equal([
      ['field_missing', ['none']],
      ['line_field_missing', ['part']],
    ]);
    const [part] = groups[1]?.deals ?? [];
    expect(part?.missing).to.have.members(['line.margin', 'line.quantity']);
    expect(part?.rules.map(({ ruleName }) => ruleName)).to.have.members(['Margin', 'Seats']);
  });

  it('list a line without the value that decides its tier, with the field of this value', async () => {
    await start({
      name: 'Seats',
      measure: 'line.amount',
      lines: {},
      tierBy: 'value',
      tierValueField: 'line.seats',
      tiers: flatTier(0.1),
    });
    await deal('part', [
      { lineId: '1', amount: 50, fields: { seats: 3 } },
      { lineId: '2', amount: 50 },
    ]);
    const [group] = await listed();
    expect([group?.reason, group?.deals[0]?.missing]).to.deep.equal(['line_field_missing', ['line.seats']]);
  });

  it('list a line without a row of the rate table although the other lines pay', async () => {
    await start();
    await workspace.api.expect(200, 'PUT', '/v1/rate-tables/Products', {
      keys: [{ name: 'family', field: 'line.family', match: 'exact' }],
      columns: [{ name: 'base' }],
      rows: [{ keys: { family: 'software' }, values: { base: 0.1 } }],
    });
    const tiers = [{ tierIndex: 0, minThreshold: 0, table: 'Products' }];
    const rule = { name: 'Products', measure: 'line.amount', lines: {}, tiers };
    await workspace.api.createPlan({ name: 'Products', config: { rules: [rule] } }, [ann]);
    const line = (lineId: string, family: string) => ({ lineId, family, amount: 50 });
    await deal('paid', [line('1', 'software'), line('2', 'software')]);
    await deal('part', [line('1', 'software'), line('2', 'support')]);
    await deal('none', [line('1', 'support'), line('2', 'support')]);
    const [group, ...others] = await listed();
    expect(others).to.deep.equal([]);
    expect(group?.reason).to.equal('rate_not_found');
    expect(group?.deals.map(({ dealId, rules }) => [dealId, rules.length])).to.have.deep.members([
      ['part', 1],
      ['none', 1],
    ]);
  });

  it('list refunds in the period that name a line which the deal does not have', async () => {
    await start({
      name: 'All',
      measure: 'line.amount',
      lines: {},
      clawback: { window: { days: 365 } },
      tiers: flatTier(0.1),
    });
    const line = (lineId: string, amount = 50) => ({ lineId, amount });
    for (const dealId of ['whole', 'gone', 'negative']) {
      await deal(dealId, [line('1'), line('2')]);
      const refund = { day: '2026-02-20', cause: 'refund', lines: [{ lineId: '2' }] };
      await workspace.api.expect(200, 'PUT', `/v1/deals/${dealId}/refunds/R`, refund);
    }
    expect(await dealsBy()).to.deep.equal({});
    await deal('gone', [line('1', 100)]);
    await deal('negative', [line('1', 150), line('2', -50)]);
    const found = await dealsBy();
    expect(Object.keys(found)).to.deep.equal(['refund_line_missing']);
    expect(found['refund_line_missing']).to.have.members(['gone', 'negative']);
  });
});
