import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { canonicalJson } from '#src/kernel/canonical-json.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

const rule = (rate: number) => flatRule('New', rate);
const tests = [
  {
    name: 'A deal of 60,000',
    deals: [{ dealId: 'T', amount: 60_000, closeDate: '2026-01-15' }],
    expected: [{ ruleName: 'New', amount: 4800 }],
  },
];

interface World extends Workspace {
  readonly ben: string;
  readonly eva: string;
  readonly session: ApiClient;
  readonly other: ApiClient;
  readonly planId: string;
  readonly planVersionId: string;
}

describe('acceptance of plans', () => {
  const service = Service.duringSuite();

  /** Ben and Eva are paid 8 %; Ben has earned 4,800 in January. */
  async function create(mode: string | null, payouts = true): Promise<World> {
    const workspace = await service.workspace();
    const { api } = workspace;
    const [ben, eva] = await api.saveReps('Ben', 'Eva');
    const { planId, planVersionId } = await api.createPlan(
      { name: 'AE', config: { rules: [rule(0.08)] }, effectiveStart: '2026-01-01', tests },
      [ben, eva],
    );
    if (payouts)
      await api.expect(200, 'PATCH', '/v1/workspaces', {
        payouts: { enabled: true, from: '2026-01-01', period: 'monthly' },
      });
    if (mode !== null) await api.expect(200, 'PUT', `/v1/plans/${planVersionId}/acceptance`, { acceptance: mode });
    await api.putDeal('D1', { amount: 60_000, closeDate: '2026-01-15', repId: ben });
    await workspace.calculated();
    const session = await workspace.as(ben);
    const other = await workspace.as(eva);
    return Object.assign(workspace, { ben, eva, session, other, planId, planVersionId });
  }

  const documentOf = (client: ApiClient, planVersionId: string) =>
    client.expect(200, 'GET', `/v1/plans/${planVersionId}/document`);
  const accept = async (client: ApiClient, planVersionId: string, more: object = {}) => {
    const { sha256 } = await documentOf(client, planVersionId);
    return client.post(`/v1/plans/${planVersionId}/acceptances`, { signedName: 'Ben Ito', sha256, ...more });
  };
  const pays = async ({ api, ben }: World, period: string) =>
    (await api.expect(200, 'GET', `/v1/statements?repId=${ben}&period=${period}&live=true`)).summary.payable;
  const states = async (client: ApiClient) => {
    const { acceptances } = await client.expect(200, 'GET', '/v1/acceptances');
    return acceptances.map(
      ({ repName, version, status }: Record<string, unknown>) => `${repName} v${version} ${status}`,
    );
  };

  it('without it nothing is requested, held or mentioned', async () => {
    const world = await create(null);
    expect(await states(world.api)).to.deep.equal([]);
    expect(await pays(world, '2026-01')).to.equal(4800);
    await expectError('404 acceptance_not_needed', world.session.get(`/v1/plans/${world.planVersionId}/document`));
    const sent = { signedName: 'Ben', sha256: 'a'.repeat(64) };
    await expectError(
      '409 acceptance_not_needed',
      world.session.post(`/v1/plans/${world.planVersionId}/acceptances`, sent),
    );
  });

  it('the document has the configuration, the own terms and worked amounts, and is the same each time', async () => {
    const world = await create('required');
    await world.api.setQuota([world.ben], 'New', '2026-Q1', 100_000);
    const { document, sha256 } = await documentOf(world.session, world.planVersionId);
    expect(document.plan.config.rules[0]).to.include({ name: 'New' });
    expect(document.terms.quotas).to.deep.equal([
      { measure: 'New', period: '2026-Q1', target: '100000', variableTarget: null },
    ]);
    expect(document.workedAmounts[0].expected[0]).to.include({ ruleName: 'New', amount: 4800 });
    expect(sha256).to.equal(createHash('sha256').update(canonicalJson(document)).digest('hex'));
    expect(await documentOf(world.session, world.planVersionId)).to.include({ sha256 });
    expect((await documentOf(world.other, world.planVersionId)).sha256).not.to.equal(sha256);
    await expectError(
      '403 forbidden',
      world.session.get(`/v1/plans/${world.planVersionId}/document?repId=${world.eva}`),
    );
  });

  it('is signed by the person in a session, for the document that they have read, once', async () => {
    const world = await create('required');
    const { api, session, planVersionId } = world;
    const path = `/v1/plans/${planVersionId}/acceptances`;
    const changed = await expectError(
      '409 document_changed',
      accept(session, planVersionId, { sha256: 'a'.repeat(64) }),
    );
    expect(changed.details.sha256).to.equal((await documentOf(session, planVersionId)).sha256);
    await expectError('403 forbidden', api.post(path, { signedName: 'Ben', sha256: 'a'.repeat(64) }));
    const declined = await session.expect(200, 'POST', `/v1/plans/${planVersionId}/decline`, { reason: 'Too low' });
    expect(declined).to.include({ status: 'declined', reason: 'Too low' });
    expect((await accept(session, planVersionId)).body).to.include({ status: 'accepted', signedName: 'Ben Ito' });
    expect((await accept(session, planVersionId, { signedName: 'Other' })).body).to.include({ signedName: 'Ben Ito' });
    expect((await session.expect(200, 'POST', `/v1/plans/${planVersionId}/decline`, { reason: 'x' })).status).to.equal(
      'accepted',
    );
    expect(await states(api)).to.deep.equal(['Ben v1 accepted', 'Eva v1 waiting']);
    expect(await states(session)).to.deep.equal(['Ben v1 accepted']);
    expect(await api.expect(200, 'POST', `/v1/plans/${world.planId}/acceptances/remind`)).to.deep.equal({
      requested: 1,
    });
  });

  it('needs a recent proof of identity where the workspace does', async () => {
    const world = await create('required');
    await world.api.expect(200, 'PATCH', '/v1/workspaces', { stepUpMinutes: 5 });
    await world.sql(`update tokens set proved_at = now() - interval '1 hour' where workspace_id = $1`);
    await expectError('403 step_up_required', accept(world.session, world.planVersionId));
  });

  it('G15: hold_pay holds what is earned until the day of the acceptance', async () => {
    const world = await create('hold_pay');
    expect(await pays(world, '2026-01')).to.equal(0);
    const { payables } = await world.api.expect(200, 'GET', `/v1/payables?repId=${world.ben}`);
    expect(JSON.stringify(payables)).to.include('plan_not_accepted');
    await accept(world.session, world.planVersionId);
    await world.sql(`update plan_acceptances set decided_on = '2026-02-20' where workspace_id = $1`);
    expect(await pays(world, '2026-01')).to.equal(0);
    expect(await pays(world, '2026-02')).to.equal(4800);
  });

  it('G16: a change of the terms of one person asks only them, and what was released stays', async () => {
    const world = await create('hold_pay');
    const { api, session, other, planVersionId } = world;
    for (const client of [session, other]) await accept(client, planVersionId);
    await world.sql(`update plan_acceptances set decided_on = '2026-01-02' where workspace_id = $1`);
    expect(await states(api)).to.deep.equal(['Ben v1 accepted', 'Eva v1 accepted']);
    await api.setQuota([world.ben], 'New', '2026-Q2', 90_000);
    expect(await states(api)).to.deep.equal(['Ben v1 waiting', 'Eva v1 accepted']);
    expect(await pays(world, '2026-01')).to.equal(4800);
  });

  it('G17: a new version waits from its first day on, and earlier periods are paid', async () => {
    const world = await create('hold_pay');
    const { api, session, planVersionId } = world;
    await accept(session, planVersionId);
    await world.sql(`update plan_acceptances set decided_on = '2026-01-02' where workspace_id = $1`);
    await api.expect(200, 'PATCH', `/v1/plans/${world.planId}`, {
      config: { rules: [rule(0.1)] },
      effectiveStart: '2026-04-01',
      tests: [],
    });
    await api.putDeal('D2', { amount: 10_000, closeDate: '2026-03-15', repId: world.ben });
    await api.putDeal('D3', { amount: 10_000, closeDate: '2026-04-15', repId: world.ben });
    await world.calculated();
    expect(await pays(world, '2026-03')).to.equal(800);
    expect(await pays(world, '2026-04')).to.equal(0);
    expect(await states(session)).to.deep.equal(['Ben v1 accepted', 'Ben v2 waiting']);
  });

  it('G18: the former configuration has the former hash, and the former signature counts', async () => {
    const world = await create('hold_pay');
    const { api, session, planVersionId } = world;
    const { sha256 } = await documentOf(session, planVersionId);
    await accept(session, planVersionId);
    await world.sql(`update plan_acceptances set decided_on = '2026-01-02' where workspace_id = $1`);
    const change = (rate: number, given: readonly object[]) =>
      api.expect(200, 'PATCH', `/v1/plans/${world.planId}`, { config: { rules: [rule(rate)] }, tests: given });
    await change(0.09, []);
    await world.calculated();
    expect(await states(session)).to.deep.equal(['Ben v2 waiting']);
    expect(await pays(world, '2026-01')).to.equal(0);
    const { planVersionId: third } = await change(0.08, tests);
    await world.calculated();
    expect((await documentOf(session, third)).sha256).to.equal(sha256);
    expect(await states(session)).to.deep.equal(['Ben v3 accepted']);
    expect(await pays(world, '2026-01')).to.equal(4800);
  });

  it('G15: the acceptance of a version that replaces another one releases what that one has paid', async () => {
    const world = await create('hold_pay');
    const { api, session } = world;
    await api.generate(world.ben, '2026-01');
    await api.approve(world.ben, '2026-01');
    const { planVersionId } = await api.expect(200, 'PATCH', `/v1/plans/${world.planId}`, {
      config: { rules: [rule(0.09)] },
      tests: [],
    });
    await world.calculated();
    expect(await pays(world, '2026-02')).to.equal(0);
    await accept(session, planVersionId);
    await world.sql(`update plan_acceptances set decided_on = '2026-02-20' where workspace_id = $1`);
    expect(await pays(world, '2026-02')).to.equal(4800);
  });

  it('the document has the first day of a ramp, and draws as they are paid back, without deleted ones', async () => {
    const world = await create('required');
    const { api, ben, session, planVersionId } = world;
    const terms = async () => (await documentOf(session, planVersionId)).document.terms;
    const draw = { repId: ben, kind: 'advance', recoverable: true, amount: 1000, from: '2026-03-01', to: '2026-03-31' };
    const { drawId } = await api.expect(201, 'POST', '/v1/draws', draw);
    expect((await terms()).draws).to.deep.equal([
      { ...{ kind: 'advance', recoverable: true, amount: '1000', currency: 'USD' }, from: draw.from, to: draw.to },
    ]);
    await api.expect(200, 'PATCH', `/v1/draws/${drawId}`, { recovery: { start: 'after_end', maxPercent: 50 } });
    expect((await terms()).draws[0].recovery).to.deep.equal({
      ...{ start: 'after_end', day: null, maxPercent: 50, forgiveOn: null },
    });
    await api.expect(200, 'DELETE', `/v1/draws/${drawId}`);
    expect((await terms()).draws).to.deep.equal([]);
    const { rampId } = await api.expect(201, 'POST', '/v1/ramps', {
      name: 'New hires',
      steps: [{ months: 3, quotaPercent: 50 }],
    });
    const [assignment] = await api.expect(200, 'GET', `/v1/assignments?repId=${ben}`);
    const change = { rampId, rampFrom: '2026-04-01' };
    await api.expect(200, 'PATCH', `/v1/assignments/${assignment.assignmentId}`, change);
    expect((await terms()).assignments[0]).to.include({ rampFrom: '2026-04-01' });
  });

  it('requests go to everyone for a new version, and to those alone whose own terms change', async () => {
    const world = await create('required');
    const { api, ben, planId, session, planVersionId } = world;
    await api.expect(201, 'POST', '/v1/webhook-endpoints', {
      url: 'https://example.com/events',
      eventTypes: ['plan.acceptance_requested'],
    });
    const [zoe] = await api.saveReps('Zoe');
    const { rules } = await api.expect(200, 'GET', `/v1/plans/${planId}`);
    const names = new Map([
      [ben, 'Ben'],
      [world.eva, 'Eva'],
      [zoe, 'Zoe'],
    ]);
    let seen = 0;
    const requested = async () => {
      const rows = await world.sql<{ repId: string }>(
        `select data->>'repId' as "repId" from webhook_deliveries where workspace_id = $1 order by position`,
      );
      const added = rows.slice(seen).map(({ repId }) => names.get(repId));
      seen = rows.length;
      return added.sort();
    };
    await api.assign([zoe], planId);
    expect(await requested()).to.deep.equal(['Zoe']);
    await accept(session, planVersionId);
    await api.putDeal('D2', { amount: 10_000, closeDate: '2026-02-15', repId: ben });
    expect(await requested()).to.deep.equal([]);
    await api.setQuota([ben], 'New', '2026-Q1', 100_000);
    expect(await requested()).to.deep.equal(['Ben']);
    await api.expect(200, 'PUT', `/v1/plans/${planVersionId}/overrides/${ben}`, {
      rules: [{ ruleId: rules[0].id, tiers: [{ tierIndex: 0, rate: 0.09 }] }],
    });
    expect(await requested()).to.deep.equal(['Ben']);
    await api.expect(201, 'POST', '/v1/draws?dryRun=true', {
      ...{ repId: ben, kind: 'advance', recoverable: true, amount: 1000, from: '2026-03-01' },
    });
    expect(await requested()).to.deep.equal([]);
    await accept(session, planVersionId);
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, { name: 'AE 2026' });
    expect(await requested()).to.deep.equal([]);
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, { config: { rules: [rule(0.1)] }, tests: [] });
    expect(await requested()).to.deep.equal(['Ben', 'Eva', 'Zoe']);
  });

  it('hold_pay needs payouts', async () => {
    const world = await create(null, false);
    const path = `/v1/plans/${world.planVersionId}/acceptance`;
    await expectError('400 payouts_required', world.api.put(path, { acceptance: 'hold_pay' }));
    await expectError('404 plan_not_found', world.api.put('/v1/plans/x/acceptance', { acceptance: 'none' }));
    expect(await world.api.expect(200, 'PUT', path, { acceptance: 'required' })).to.include({ requested: 2 });
  });

  it('a plan without people says whether people accept it', async () => {
    const { api } = await service.workspace();
    const { planVersionId } = await api.createPlan({ name: 'Empty', config: { rules: [rule(0.08)] } }, []);
    const read = () => api.expect(200, 'GET', `/v1/plans/${planVersionId}`);
    expect(await read()).not.to.have.property('acceptance');
    await api.expect(200, 'PUT', `/v1/plans/${planVersionId}/acceptance`, { acceptance: 'required' });
    expect(await read()).to.include({ acceptance: 'required' });
  });

  it('are listed page by page, of some statuses and of one person, with the numbers of everyone', async () => {
    const world = await create('required');
    await accept(world.session, world.planVersionId);
    const read = async (query: string) => {
      const { acceptances, ...numbers } = await world.api.expect(200, 'GET', `/v1/acceptances?${query}`);
      return [acceptances.map(({ repName }: { repName: string }) => repName), numbers];
    };
    const numbers = { waiting: 1, accepted: 1, declined: 0 };
    expect(await read('')).to.deep.equal([['Ben', 'Eva'], numbers]);
    expect(await read('limit=1&offset=1')).to.deep.equal([['Eva'], numbers]);
    expect(await read(`planRef=${world.planVersionId}&status=waiting,declined&limit=200`)).to.deep.equal([
      ['Eva'],
      numbers,
    ]);
    expect(await read(`repId=${world.ben}`)).to.deep.equal([['Ben'], { waiting: 0, accepted: 1, declined: 0 }]);
    await expectError('403 forbidden', world.session.get(`/v1/acceptances?repId=${world.eva}`));
  });

  it('exports who has accepted which document, and who has not answered', async () => {
    const world = await create('required');
    await accept(world.session, world.planVersionId);
    const { sha256 } = await documentOf(world.session, world.planVersionId);
    const { body } = await world.api.get(`/v1/acceptances/export.csv?planRef=${world.planId}`);
    const rows = parse(body, { bom: true, columns: true }) as Record<string, string>[];
    expect(rows.map((row) => [row['Name'], row['Status'], row['Signed Name']])).to.deep.equal([
      ['Ben', 'accepted', 'Ben Ito'],
      ['Eva', 'waiting', ''],
    ]);
    expect(rows[0]).to.include({ 'Document SHA-256': sha256, Plan: 'AE', Version: '1' });
    expect(Date.parse(rows[0]?.['Decided At'] ?? '')).not.to.be.NaN;
  });
});
