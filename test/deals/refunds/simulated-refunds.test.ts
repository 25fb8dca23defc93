import { expect } from 'chai';
import { type ApiResponse } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';
import { newBusiness, override, saveTeam } from './clawback-terms.js';

const clawback = { window: { days: 180 }, declining: true };

interface SimulatedRule {
  readonly name: string;
  readonly deals: { dealId: string; refundId?: string; amount: number; trace: { refund?: object } }[];
}

interface SimulatedPerson {
  readonly repId: string;
  readonly rules: readonly SimulatedRule[];
  readonly outcomes: { dealId: string; refundId?: string; reason: string | null }[];
}

describe('refunds in simulations', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let people: Record<'mia' | 'ann' | 'bob', string>;
  let planId: string;

  /** Mia is the manager of Ann and Bob. Ann has 50,000 of January; they share 100,000 of February. */
  beforeEach(async () => {
    workspace = await service.workspace({ currency: 'USD' });
    const { api } = workspace;
    people = await saveTeam(api);
    const config = { clawback, rules: [newBusiness, override] };
    ({ planId } = await api.createPlan({ name: 'AE', config }, Object.values(people)));
    for (const period of ['2026-Q1', '2026-Q2'])
      await api.setQuota(Object.values(people), 'New business', period, 100_000);
    await api.putDeal('a', { amount: 50_000, closeDate: '2026-01-05', ownerId: 'ann' });
    await api.putDeal('d', { amount: 100_000, closeDate: '2026-02-10', ownerId: 'ann' });
    await api.expect(200, 'PUT', '/v1/deals/d/credits', {
      credits: [
        { email: 'ann@x.io', percent: 70 },
        { email: 'bob@x.io', percent: 30 },
      ],
    });
    await workspace.calculated();
  });

  const post = (body: object) => workspace.api.post('/v1/commissions/simulate', body);
  const simulate = (body: object) => workspace.api.expect(200, 'POST', '/v1/commissions/simulate', body);
  const put = (dealId: string, id: string, terms: object) =>
    workspace.api.expect(200, 'PUT', `/v1/deals/${dealId}/refunds/${id}`, { cause: 'refund', ...terms });

  const nameOf = (repId: string) => Object.entries(people).find(([, id]) => id === repId)?.[0] ?? repId;

  /** What is paid and taken back, as `ann d r` or `ann d`. */
  function amounts({ reps }: { reps: SimulatedPerson[] }): Record<string, number> {
    return Object.fromEntries(
      reps.flatMap(({ repId, rules }) =>
        rules.flatMap(({ deals }) =>
          deals.map(({ dealId, refundId, amount }) => [[nameOf(repId), dealId, refundId].join(' ').trim(), amount]),
        ),
      ),
    );
  }

  /** The same of the ledger. */
  async function earned(from: string, to: string): Promise<Record<string, number>> {
    await workspace.calculated();
    const rows = await workspace.sql(
      `select e.rep_id, replace(replace(e.deal_key, 'refund:', ''), ':', ' ') as key, e.amount::float8 as amount
       from commission_events e
       where e.workspace_id = $1 and e.status = 'earned' and e.earned_on between $2::date and $3::date`,
      from,
      to,
    );
    return Object.fromEntries(rows.map(({ rep_id, key, amount }) => [`${nameOf(rep_id)} ${key}`, amount]));
  }

  it('take back what the same refunds then take back, also of deals of earlier periods', async () => {
    const [r, s] = [
      { day: '2026-04-20', amount: 50_000 },
      { day: '2026-05-11', cause: 'cancellation' },
    ];
    const refunds = [
      { dealId: 'd', refundId: 'r', ...r, waivers: [{ repId: people.bob, percent: 50 }] },
      { dealId: 'd', refundId: 's', ...s },
    ];
    const simulated = await simulate({ planId, period: '2026-Q2', refunds });
    await put('d', 'r', r);
    await put('d', 's', s);
    await workspace.api.expect(200, 'POST', '/v1/deals/d/refunds/r/waive', {
      repId: people.bob,
      percent: 50,
      reason: 'Agreed',
    });
    const stored = await earned('2026-04-01', '2026-06-30');
    expect(Object.keys(stored).sort()).to.deep.equal([
      'ann d r',
      'ann d s',
      'bob d r',
      'bob d s',
      'mia d r',
      'mia d s',
    ]);
    expect(amounts(simulated)).to.deep.equal(stored);
    expect(amounts(await simulate({ planId, period: '2026-Q2' })), 'stored refunds').to.deep.equal(stored);
    const alone = await simulate({ planId, period: '2026-Q2', repId: people.mia });
    expect(amounts(alone)).to.deep.equal(
      Object.fromEntries(Object.entries(stored).filter(([key]) => key.startsWith('mia'))),
    );
  });

  it('show how the amount was computed, and why a refund takes nothing back', async () => {
    const refund = { dealId: 'd', day: '2026-04-20', amount: 50_000 };
    const { reps } = await simulate({ planId, period: '2026-Q2', repId: people.ann, refunds: [refund] });
    const [event] = reps[0].rules[0].deals;
    expect(event).to.include({ dealId: 'd', refundId: 'refund' });
    expect(event.trace.refund).to.include({ earnedOn: '2026-02-10', refunded: 50_000, elapsedDays: 69 });
    const late = { dealId: 'd', day: '2026-09-01' };
    const after = await simulate({ planId, period: '2026-Q3', repId: people.ann, refunds: [late] });
    expect(amounts(after)).to.deep.equal({});
    expect(
      after.reps[0].outcomes.map(({ dealId, refundId, reason }: SimulatedPerson['outcomes'][number]) => [
        dealId,
        refundId,
        reason,
      ]),
    ).to.deep.equal([['d', 'refund', 'outside_clawback_window']]);
  });

  it('are tried with another policy, and with made-up deals, while the stored ones stay in place', async () => {
    await put('d', 'r', { day: '2026-04-20', amount: 50_000 });
    const full = { clawback: { window: { days: 180 } }, rules: [newBusiness, override] };
    const tried = await simulate({ planId, config: full, period: '2026-Q2' });
    expect(amounts(tried)).to.deep.equal({ 'ann d r': -4200, 'bob d r': -1200, 'mia d r': -1080 });
    const none = await simulate({ planId, config: { rules: [newBusiness, override] }, period: '2026-Q2' });
    expect(amounts(none)).to.deep.equal({});
    const replaced = { dealId: 'd', refundId: 'r', day: '2026-04-20', amount: 100_000 };
    expect(amounts(await simulate({ planId, config: full, period: '2026-Q2', refunds: [replaced] }))).to.deep.equal({
      'ann d r': -8400,
      'bob d r': -2400,
      'mia d r': -2160,
    });
    const made = { dealId: 'made', amount: 10_000, closeDate: '2026-05-01', repId: people.bob };
    const ofMade = { dealId: 'made', day: '2026-06-01' };
    const ofBob = { config: full, repId: people.bob, deals: [made], quota: { target: 100_000 } };
    expect(amounts(await simulate({ ...ofBob, period: '2026-05' }))).to.deep.equal({ 'bob made': 800 });
    const refunded = await simulate({ ...ofBob, period: '2026-06', refunds: [ofMade] });
    expect(amounts(refunded)).to.deep.equal({ 'bob made refund': -800 });
    const varied = { dealId: 'd', amount: 80_000, repId: people.ann };
    const kept = await simulate({ planId, config: full, period: '2026-Q2', deals: [varied] });
    expect(amounts(kept)['ann d r'], 'the refund of a deal that is varied').to.be.lessThan(0);
  });

  it('are rejected if they are no refunds of a deal', async () => {
    const day = '2026-04-20';
    const simulated = (...refunds: object[]) => post({ planId, period: '2026-Q2', refunds });
    const expectIssue = async (response: Promise<ApiResponse>, path: string) => {
      const { issues } = (await expectError('400 VALIDATION_FAILED', response)).details;
      expect(issues.map((issue: { path: string }) => issue.path)).to.deep.equal([path]);
    };
    await expectIssue(simulated({ dealId: 'none', day }), 'refunds.0.dealId');
    await expectIssue(simulated({ dealId: 'd', day, amount: 100_000.01 }), 'refunds.0.amount');
    await expectIssue(simulated({ dealId: 'd', day }, { dealId: 'd', day }), 'refunds.1.refundId');
    await expectIssue(simulated({ dealId: 'd', refundId: 'a:b', day }), 'refunds.0.refundId');
    await workspace.api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    await workspace.api.saveReps('Zoe');
    await workspace.api.putDeal('z', { amount: 100, closeDate: '2026-02-10', ownerId: 'zoe' });
    const sent = { planId, period: '2026-Q2', refunds: [{ dealId: 'z', day }] };
    const [asMia, asAnn] = [await workspace.as(people.mia), await workspace.as(people.ann)];
    await expectIssue(asMia.post('/v1/commissions/simulate', sent), 'refunds.0.dealId');
    await expectError('403 forbidden', asAnn.post('/v1/commissions/simulate', sent));
  });
});
