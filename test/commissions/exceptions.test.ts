import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatRule, flatTier } from '#test/support/terms.js';

interface Group {
  readonly reason: string;
  readonly count: number;
  readonly totals: unknown;
  readonly deals: { readonly dealId: string; readonly repName: string | null }[];
}

describe('deals that paid no commission', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  let api: ApiClient;
  const ids = new Map<string, string>();

  const deal = (dealId: string, ownerId: string, more: object = {}) =>
    api.put(`/v1/deals/${dealId}`, { amount: 1000, stage: 'Closed Won', closeDate: '2026-01-10', ownerId, ...more });
  const exceptions = (query = 'period=2026-01', client = api) =>
    client.expect(200, 'GET', `/v1/commissions/exceptions?${query}`);
  const dealsByReason = ({ exceptions: groups }: { exceptions: Group[] }) =>
    Object.fromEntries(groups.map(({ reason, deals }) => [reason, deals.map(({ dealId }) => dealId)]));

  before(async () => {
    ({ workspaceId, api } = await service.workspace());
    const managerEmail = 'mia@x.io';
    const people = await api.saveReps(
      { name: 'Mia', role: 'manager' },
      { name: 'Ann', managerEmail },
      'Bob',
      'Cy',
      'Dan',
      { name: 'Eve', managerEmail },
    );
    for (const [at, name] of ['Mia', 'Ann', 'Bob', 'Cy', 'Dan', 'Eve'].entries()) ids.set(name, people[at] as string);
    const conditions = [{ field: 'dealStage', fieldType: 'status', operator: 'equals', value: 'Closed Won' }];
    const tiers = [...flatTier(0.1), { tierIndex: 1, minThreshold: 1, rate: 0.2 }];
    const plan = (name: string, rule: object, ...people: string[]) =>
      api.createPlan(
        { name, config: { rules: [rule] } },
        people.map((person) => ids.get(person) as string),
      );
    await plan('Contract', flatRule('Contract', 0.1, { measure: 'acv' }), 'Eve');
    await plan('Flat', flatRule('New', 0.1, { conditions }), 'Ann', 'Cy');
    await plan('Tiered', { name: 'By quota', measure: 'amount', tiers, conditions }, 'Dan');
    await deal('paid', 'ann');
    await deal('foreign', 'ann', { currency: 'EUR', amount: 700 });
    await deal('huge', 'eve', { fields: { acv: '123456789012345678' } });
    await deal('renewal', 'ann', { stage: 'Renewal won' });
    await deal('open', 'ann', { stage: 'Negotiation' });
    await deal('lost', 'ann', { stage: 'Closed Lost' });
    await deal('orphan', 'unknown', { amount: 5000 });
    await deal('orphan-open', 'unknown', { stage: 'Negotiation' });
    await deal('elsewhere', 'unknown', { closeDate: '2026-02-10' });
    await deal('undated', 'ann', { closeDate: undefined });
    await deal('unassigned', 'bob');
    await deal('unassigned-2', 'bob', { amount: 3000 });
    await deal('no-quota', 'dan');
    await deal('in-time', 'cy');
    await service.waitForCalculations(workspaceId);
    await api.generate(ids.get('Cy'), '2026-01');
    await api.approve(ids.get('Cy'), '2026-01');
    await deal('late', 'cy');
    await service.waitForCalculations(workspaceId);
  });

  it('groups deals by reason, without open pipeline and lost deals', async () => {
    const answer = await exceptions();
    expect(dealsByReason(answer)).to.deep.equal({
      owner_unresolved: ['orphan'],
      no_close_date: ['undated'],
      no_assignment: ['unassigned-2', 'unassigned'],
      statement_locked: ['late'],
      quota_missing: ['no-quota'],
      currency_mismatch: ['foreign'],
      value_out_of_range: ['huge'],
      rule_condition_failed: ['renewal'],
    });
    expect(answer).to.include({ period: '2026-01', currency: 'USD', deals: 9 });
    const ofReason = (reason: string) => answer.exceptions.find((group: Group) => group.reason === reason);
    expect(ofReason('no_assignment')).to.deep.include({ count: 2, totals: [{ currency: 'USD', amount: 4000 }] });
    expect(ofReason('currency_mismatch').totals).to.deep.equal([{ currency: 'EUR', amount: 700 }]);
    const [unset] = ofReason('quota_missing').deals;
    expect(unset).to.include({ repName: 'Dan', amount: 1000, closeDate: '2026-01-10' });
    expect(unset.rules[0]).to.include({ planName: 'Tiered', ruleName: 'By quota' });
    expect(ofReason('value_out_of_range').deals[0].missing).to.deep.equal(['acv']);
  });

  it('lists the largest deals of each reason up to the limit and counts all', async () => {
    const { exceptions: groups } = await exceptions('period=2026-Q1&limit=1');
    const unassigned = groups.find(({ reason }: Group) => reason === 'no_assignment');
    expect(unassigned.count).to.equal(2);
    expect(unassigned.deals.map(({ dealId }: { dealId: string }) => dealId)).to.deep.equal(['unassigned-2']);
    expect(groups.find(({ reason }: Group) => reason === 'owner_unresolved').count).to.equal(2);
    await api.expect(400, 'GET', '/v1/commissions/exceptions?limit=0');
  });

  it('lists deals of the team that the plan of their manager should pay and does not', async () => {
    const { api: other, workspaceId: otherId } = await service.workspace();
    const [mia, ann] = await other.saveReps(
      { name: 'Mia', role: 'manager' },
      { name: 'Ann', managerEmail: 'mia@x.io' },
    );
    await other.createPlan({ name: 'AE', config: { rules: [flatRule('New', 0.1)] } }, [ann as string]);
    const tiers = [...flatTier(0.1), { tierIndex: 1, minThreshold: 1, rate: 0.2 }];
    const rule = { name: 'Team', measure: 'amount', executionPhase: 'cascade', tierMode: 'marginal', tiers };
    await other.createPlan({ name: 'Lead', config: { rules: [rule] } }, [mia as string]);
    await other.put('/v1/deals/won', { amount: 1000, stage: 'Won', closeDate: '2026-01-10', ownerId: 'ann@x.io' });
    await service.waitForCalculations(otherId);
    const { exceptions: groups } = await exceptions('period=2026-01', other);
    expect(groups.map(({ reason, deals }: Group) => [reason, deals[0]?.dealId])).to.deep.equal([
      ['quota_missing', 'won'],
    ]);
    expect(groups[0].deals[0].repName).to.equal('Mia');
  });

  it('shows a manager the people below under managerScope reports, and rejects reps', async () => {
    const manager = await service.as(workspaceId, ids.get('Mia') as string);
    const rep = await service.as(workspaceId, ids.get('Ann') as string);
    expect(await exceptions('period=2026-01', manager)).to.deep.equal(await exceptions());
    await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    expect(dealsByReason(await exceptions('period=2026-01', manager))).to.deep.equal({
      no_close_date: ['undated'],
      currency_mismatch: ['foreign'],
      value_out_of_range: ['huge'],
      rule_condition_failed: ['renewal'],
    });
    expect((await rep.get('/v1/commissions/exceptions?period=2026-01')).status).to.equal(403);
  });

  it('no longer lists a deal whose cause was removed', async () => {
    await api.setQuota([ids.get('Dan')], 'By quota', '2026-Q1', 1000);
    await deal('orphan', 'ann');
    await service.waitForCalculations(workspaceId);
    expect(dealsByReason(await exceptions())).to.not.have.any.keys('quota_missing', 'owner_unresolved');
  });
});
