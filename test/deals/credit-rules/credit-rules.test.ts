import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

const flat = (name: string, rate: number, terms: object = {}) => ({
  name,
  measure: 'amount',
  tiers: [{ tierIndex: 0, minThreshold: 0, rate }],
  ...terms,
});

describe('credit rules', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let people: string[];

  /** Ann owns the deals, Sam is an SDR, Pat is a partner. */
  beforeEach(async () => {
    workspace = await service.workspace();
    people = await workspace.api.saveReps('Ann', 'Sam', 'Pat');
    const rules = [flat('New', 0.1), flat('Overlay', 0.01, { creditKinds: ['overlay'], creditRoles: ['SE'] })];
    await workspace.api.createPlan({ name: 'AE', config: { rules } }, people);
  });
  afterEach(() => workspace.expectSoundLedger());

  const create = (terms: object, query = '') => workspace.api.expect(201, 'POST', `/v1/credit-rules${query}`, terms);
  const deal = (dealId: string, fields: object = {}, terms: object = {}) =>
    workspace.api.putDeal(dealId, { amount: 1000, closeDate: '2026-01-10', ownerId: 'ann', fields, ...terms });
  const sdr = { name: '1 SDR', kind: 'split', personField: 'opened_by', percent: 30 };
  const partner = { name: '2 Partner', kind: 'split', personField: 'via', percent: 80 };

  async function earned(): Promise<Record<string, number>> {
    await workspace.calculated();
    const rows = await workspace.sql(
      `select concat_ws(' ', r.name, e.deal_key) as key, e.amount::float8 as amount
       from commission_events e join reps r on r.workspace_id = e.workspace_id and r.rep_id = e.rep_id
       where e.workspace_id = $1 and e.status = 'earned'`,
    );
    return Object.fromEntries(rows.map(({ key, amount }) => [key, amount]));
  }

  it('have one budget of comparisons together, and may always become simpler', async () => {
    const values = Array.from({ length: 500 }, (_, at) => String(at));
    const conditions = Array.from({ length: 50 }, (_, at) => ({
      field: `f${at}`,
      fieldType: 'select',
      operator: 'in',
      value: values,
    }));
    const costly = (name: string, terms: object = {}) => ({ ...sdr, name, conditions, ...terms });
    const made: string[] = [];
    for (const name of ['1', '2', '3', '4', '5', '6', '7', '8', '9'])
      made.push((await create(costly(name))).rule.creditRuleId);
    const { details } = await expectError(
      '400 plan_too_complex',
      workspace.api.send('POST', '/v1/credit-rules', costly('10')),
    );
    expect(details).to.deep.equal({ cost: 5510, limit: 5000 });
    await create({ ...sdr, name: '10' });
    const grown = workspace.api.send('PATCH', `/v1/credit-rules/${made[0]}`, { conditions: [] });
    expect((await grown).status).to.equal(200);
    await create(costly('11'));
    expect((await workspace.api.expect(200, 'GET', '/v1/credit-rules')).creditRules).to.have.length(11);
  });

  it('S12: split rules take their percentage from what the owner still has, and what exceeds it is listed', async () => {
    await create(partner);
    await create(sdr);
    await deal('d', { opened_by: 'sam@x.io', via: 'PAT' });
    expect(await earned()).to.deep.equal({ 'Sam d': 30, 'Pat d': 70 });
    const { source, credits, warnings } = await workspace.api.expect(200, 'GET', '/v1/deals/d/credits');
    expect([source, warnings.map(({ code }: { code: string }) => code)]).to.deep.equal([
      'rule',
      ['split_rules_exceed_100'],
    ]);
    expect(
      credits.map(({ repName, percent, rule }: Record<string, unknown>) => [repName, percent, rule]),
    ).to.deep.equal([
      ['Sam', 30, '1 SDR'],
      ['Pat', 70, '2 Partner'],
    ]);
    const { exceptions } = await workspace.api.expect(200, 'GET', '/v1/commissions/exceptions?period=2026-01');
    expect(
      exceptions.map(({ reason, deals }: { reason: string; deals: { dealId: string }[] }) => [
        reason,
        deals[0]?.dealId,
      ]),
    ).to.deep.equal([['split_rules_exceed_100', 'd']]);
  });

  it('L6: see which products a deal has, and follow a change of them', async () => {
    const condition = { field: 'Lines.Families', fieldType: 'select', operator: 'equals', value: 'services' };
    await deal('d', { se: 'sam@x.io' }, { lines: [{ lineId: '1', family: 'services', amount: 1000 }] });
    const rule = { name: 'Services', kind: 'split', personField: 'se', percent: 40, conditions: [condition] };
    expect((await create(rule)).deals).to.equal(1);
    await deal('e', { se: 'sam@x.io' });
    const earnedBy = { 'Ann d': 60, 'Sam d': 40, 'Ann e': 100 };
    expect(await earned()).to.deep.equal(earnedBy);
    const put = (family: string) =>
      workspace.api.expect(200, 'PUT', '/v1/deals/e/lines', { lines: [{ lineId: '1', family, amount: 1000 }] });
    expect((await put('services')).warnings).to.deep.equal([]);
    expect(await earned()).to.deep.equal({ ...earnedBy, 'Ann e': 60, 'Sam e': 40 });
    await put('software');
    expect(await earned()).to.deep.equal(earnedBy);
    await deal('d', { se: 'sam@x.io', other: 1 });
    expect(await earned()).to.deep.equal(earnedBy);
    await workspace.api.expect(200, 'DELETE', '/v1/deals/d/lines');
    expect(await earned()).to.deep.equal({ 'Ann d': 100, 'Ann e': 100 });
  });

  it('follow the fields of the deal, their conditions and dates, also for stored deals', async () => {
    await deal('d', { se: 'sam', se_pct: '50', region: 'EMEA' });
    await deal('late', { se: 'sam', se_pct: 50, region: 'EMEA' }, { closeDate: '2026-04-01' });
    expect(await earned()).to.deep.equal({ 'Ann d': 100, 'Ann late': 100 });
    const terms = {
      name: 'SE',
      kind: 'overlay',
      role: 'SE',
      personField: 'se',
      percentField: 'se_pct',
      conditions: [{ field: 'region', fieldType: 'text', operator: 'equals', value: 'emea' }],
      effectiveEnd: '2026-03-31',
    };
    const planned = await create(terms, '?dryRun=true');
    expect(planned).to.deep.include({ deals: 1, reps: 2, dryRun: true });
    expect(planned.effect.totals).to.deep.equal([{ currency: 'USD', delta: 5 }]);
    expect(planned.samples[0].after[0]).to.include({ repName: 'Sam', percent: 50, rule: 'SE' });
    expect(await earned()).to.deep.equal({ 'Ann d': 100, 'Ann late': 100 });
    const { rule } = await create(terms);
    expect(await earned()).to.deep.equal({ 'Ann d': 100, 'Ann late': 100, 'Sam d': 5 });
    await deal('d', { se: 'pat', se_pct: '20', region: 'EMEA' });
    expect(await earned()).to.deep.equal({ 'Ann d': 100, 'Ann late': 100, 'Pat d': 2 });
    await deal('d', { se: 'pat', se_pct: '20', region: 'APAC' });
    expect(await earned()).to.deep.equal({ 'Ann d': 100, 'Ann late': 100 });
    const path = `/v1/credit-rules/${rule.creditRuleId}`;
    await workspace.api.expect(200, 'PATCH', path, { effectiveEnd: null, conditions: [] });
    expect(await earned()).to.deep.equal({ 'Ann d': 100, 'Ann late': 100, 'Pat d': 2, 'Sam late': 5 });
    await workspace.api.expect(200, 'DELETE', path);
    expect(await earned()).to.deep.equal({ 'Ann d': 100, 'Ann late': 100 });
  });

  it('find people who are added later, and owners that an admin matches', async () => {
    await create({ ...sdr, kind: 'split' });
    await deal('d', { opened_by: 'zoe' });
    await deal('e', { opened_by: 'ext-7' });
    expect(await earned()).to.deep.equal({ 'Ann d': 100, 'Ann e': 100 });
    const [zoe] = await workspace.api.saveReps('Zoe');
    const plans = await workspace.api.expect(200, 'GET', '/v1/plans');
    await workspace.api.assign([zoe], plans[0].planId);
    expect(await earned()).to.deep.equal({ 'Ann d': 70, 'Zoe d': 30, 'Ann e': 100 });
    await workspace.api.expect(200, 'PUT', '/v1/deal-owners', { matches: [{ owner: 'EXT-7', repId: zoe }] });
    expect(await earned()).to.deep.equal({ 'Ann d': 70, 'Zoe d': 30, 'Ann e': 70, 'Zoe e': 30 });
  });

  it('step back behind lines that are given for the deal', async () => {
    await create(sdr);
    await deal('d', { opened_by: 'sam' });
    expect(await earned()).to.deep.equal({ 'Ann d': 70, 'Sam d': 30 });
    await workspace.api.expect(200, 'PUT', '/v1/deals/d/credits', { credits: [{ email: 'pat@x.io', percent: 100 }] });
    expect(await earned()).to.deep.equal({ 'Pat d': 100 });
    await workspace.api.expect(200, 'DELETE', '/v1/deals/d/credits');
    await deal('d', { opened_by: 'zoe@x.io' });
    expect(await earned()).to.deep.equal({ 'Ann d': 100 });
  });

  it('are named once, and have a percentage or a field with it', async () => {
    await create(sdr);
    await expectError('409 credit_rule_name_taken', workspace.api.post('/v1/credit-rules', sdr));
    for (const wrong of [
      { percent: null },
      { percentField: 'x' },
      { percent: 101 },
      { effectiveStart: '2026-02-01', effectiveEnd: '2026-01-01' },
    ])
      await expectError(
        '400 VALIDATION_FAILED',
        workspace.api.post('/v1/credit-rules', { ...sdr, name: 'X', ...wrong }),
      );
    const { creditRules, count } = await workspace.api.expect(200, 'GET', '/v1/credit-rules');
    expect([count, creditRules[0]]).to.deep.include(1);
    expect(creditRules[0]).to.include({ name: '1 SDR', percent: 30, percentField: null });
  });
});
