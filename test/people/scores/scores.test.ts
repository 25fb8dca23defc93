import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

const objectives = {
  name: 'Objectives',
  measure: 'mbo_points',
  attainmentPeriod: 'quarterly',
  executionPhase: 'periodic',
  payoutMode: 'rate_times_attainment',
  payoutBase: 'variable_target',
  conditions: [{ field: 'mbo_points', fieldType: 'number', operator: 'is_set' }],
  tiers: [{ tierIndex: 0, minThreshold: 0, rate: 1 }],
};

describe('scores of people by period', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let ann: string;
  let bob: string;

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
    [ann, bob] = await api.saveReps('Ann', 'Bob');
    await api.createPlan({ name: 'MBO', config: { rules: [objectives] } }, [ann, bob]);
    const quota = { measure: 'Objectives', period: '2026-Q1', target: 100, variableTarget: 5000 };
    await api.expect(201, 'POST', '/v1/quotas', { repIds: [ann, bob], ...quota });
  });

  type Score = { repId: string; period?: string; score: number | null };
  const set = (scores: readonly Score[], query = '', status = 200, field = 'mbo_points') =>
    api.expect(status, 'PUT', `/v1/scores${query}`, {
      field,
      scores: scores.map((score) => ({ period: '2026-Q1', ...score })),
    });
  const listed = async (query = '') =>
    (await api.expect(200, 'GET', `/v1/scores?field=mbo_points${query}`)).scores.map(
      ({ repName, period, score }: { repName: string; period: string; score: number }) => [repName, period, score],
    );
  const earned = async (repId: string) => {
    await service.waitForCalculations(workspaceId);
    const rows = await service.sql<{ amount: string }>(
      `select coalesce(sum(amount), 0) as amount from commission_events
       where workspace_id = $1 and rep_id = $2 and status = 'earned'`,
      workspaceId,
      repId,
    );
    return Number(rows[0]?.amount);
  };

  it('pay as a deal with the value in the field does, and are explained', async () => {
    const fields = { mbo_points: 85 };
    await api.expect(201, 'PUT', '/v1/deals/by-hand', { fields, repId: bob, closeDate: '2026-03-31' });
    expect(await set([{ repId: ann, score: 85 }])).to.deep.equal({ changed: 1, unchanged: 0, removed: 0 });
    expect([await earned(ann), await earned(bob)]).to.deep.equal([4250, 4250]);
    const [{ dealId, closeDate }] = (await api.expect(200, 'GET', '/v1/scores?field=mbo_points')).scores;
    expect([dealId, closeDate]).to.deep.equal([`score:mbo_points:${ann}:2026-Q1`, '2026-03-31']);
    const idsOf = async (query: string) =>
      (await api.expect(200, 'GET', `/v1/deals${query}`)).deals.map((deal: { deal_id: string }) => deal.deal_id);
    expect(await idsOf('')).to.have.members([dealId, 'by-hand']);
    expect(await idsOf('?scores=false')).to.deep.equal(['by-hand']);
    const { deal } = await api.expect(200, 'GET', `/v1/commissions?dealId=${encodeURIComponent(dealId)}`);
    expect(deal).to.deep.include({ name: 'Mbo points, 2026-Q1', repId: ann, fields });
    const [row] = await service.sql<{ event_id: string }>(
      `select event_id from commission_events where workspace_id = $1 and rep_id = $2 and status = 'earned'`,
      workspaceId,
      ann,
    );
    const explained = await api.expect(200, 'GET', `/v1/commissions/events/${row?.event_id}`);
    expect(explained.event.amount).to.equal(4250);
    expect(JSON.stringify(explained)).to.include('85');
  });

  it('show their effect before they are stored, replace each other and are removed', async () => {
    const effect = async (scores: readonly Score[]) => (await set(scores, '?dryRun=true&effect=true')).effect.totals;
    expect(await effect([{ repId: ann, score: 50 }])).to.deep.equal([{ currency: 'USD', delta: 2500 }]);
    expect(await listed()).to.deep.equal([]);
    await set([
      { repId: ann, score: 50 },
      { repId: bob, score: 100 },
    ]);
    expect(await earned(ann)).to.equal(2500);
    expect(await effect([{ repId: ann, score: null }])).to.deep.equal([{ currency: 'USD', delta: -2500 }]);
    expect(
      await set([
        { repId: ann, score: 60.5 },
        { repId: bob, score: 100 },
        { repId: ann, period: '2026-Q2', score: 1 },
      ]),
    ).to.deep.equal({ changed: 2, unchanged: 1, removed: 0 });
    expect(await listed()).to.deep.equal([
      ['Ann', '2026-Q1', 60.5],
      ['Ann', '2026-Q2', 1],
      ['Bob', '2026-Q1', 100],
    ]);
    expect(await listed(`&repId=${ann}&period=2026-Q2`)).to.deep.equal([['Ann', '2026-Q2', 1]]);
    expect(await listed(`&repIds=${bob}&period=2026-Q1`)).to.deep.equal([['Bob', '2026-Q1', 100]]);
    expect(await earned(ann)).to.equal(3025);
    expect(await set([{ repId: ann, score: null }])).to.deep.equal({ changed: 0, unchanged: 0, removed: 1 });
    expect(await set([{ repId: ann, score: null }])).to.deep.equal({ changed: 0, unchanged: 0, removed: 0 });
    expect(await earned(ann)).to.equal(0);
    await set([{ repId: ann, score: 20 }]);
    expect(await earned(ann)).to.equal(1000);
  });

  it('count on the last day of a person who left, and of a fiscal period', async () => {
    await api.expect(200, 'PATCH', `/v1/reps/${ann}`, { endDate: '2026-02-10' });
    await set([{ repId: ann, score: 10 }]);
    const [{ closeDate }] = (await api.expect(200, 'GET', '/v1/scores?field=mbo_points')).scores;
    expect(closeDate).to.equal('2026-02-10');
    const answer = await set([{ repId: bob, period: 'FY2026-Q1', score: 10 }], '', 400);
    expect(JSON.stringify(answer)).to.include('no fiscal year 2026 is defined');
    await api.expect(200, 'PUT', '/v1/fiscal-years', [{ year: 2026, start: '2026-02-01', pattern: 'months' }]);
    await set([{ repId: bob, period: 'FY2026-Q1', score: 10 }]);
    const of = (await api.expect(200, 'GET', `/v1/scores?field=mbo_points&repId=${bob}`)).scores;
    expect(of[0]).to.include({ period: 'FY2026-Q1', closeDate: '2026-04-30' });
  });

  it('are no exceptions where other rules of the plan read deals', async () => {
    const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
    await api.createPlan({ name: 'AE', config: { rules: [{ name: 'New', measure: 'amount', tiers }] } }, [ann]);
    await set([{ repId: ann, score: 50 }]);
    await earned(ann);
    const { exceptions } = await api.expect(200, 'GET', '/v1/commissions/exceptions?period=2026-Q1');
    expect(exceptions).to.deep.equal([]);
  });

  it('replace what someone has corrected in their deal', async () => {
    await set([{ repId: ann, score: 50 }]);
    const deal = { dealId: `score:mbo_points:${ann}:2026-Q1`, fields: { mbo_points: 70 } };
    await api.expect(200, 'POST', '/v1/deals/import?corrections=set', { deals: [deal] });
    expect(await listed()).to.deep.equal([['Ann', '2026-Q1', 70]]);
    await set([{ repId: ann, score: 80 }]);
    expect(await listed()).to.deep.equal([['Ann', '2026-Q1', 80]]);
    expect((await api.expect(200, 'GET', '/v1/deal-corrections')).corrections).to.deep.equal([]);
  });

  it('are rejected as a whole if one names no rep, occurs twice, or if the field is no field of scores', async () => {
    const noRep = '00000000-0000-4000-8000-000000000000';
    await set(
      [
        { repId: ann, score: 1 },
        { repId: noRep, score: 1 },
      ],
      '',
      404,
    );
    await set(
      [
        { repId: ann, score: 1 },
        { repId: ann, score: 2 },
      ],
      '',
      400,
    );
    for (const field of ['amount', 'value', 'stage', '_deals', '= a + b', 'a:b'])
      await set([{ repId: ann, score: 1 }], '', 400, field);
    await api.expect(201, 'POST', '/v1/fields/save', { standard: { dealAmount: 'acv' } });
    await set([{ repId: ann, score: 1 }], '', 400, 'acv');
    expect(await listed()).to.deep.equal([]);
  });
});
