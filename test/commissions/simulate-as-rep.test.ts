import { expect } from 'chai';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

const period = '2026-Q1';
const ranked = {
  rules: [
    {
      name: 'Place',
      baseField: 'amount',
      tierBy: 'rank',
      payoutMode: 'flat_per_event',
      tiers: [
        { min: 1, flatAmount: 100 },
        { min: 2, flatAmount: 10 },
      ],
    },
  ],
};
const flat = { rules: [{ name: 'Flat', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }] };

/** Ann and Ben are on a plan that ranks them; Ben is ahead. Cat leads a team with Ann, and sees only that team. */
describe('what a simulation may depend on', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let asAnn: ApiClient;
  let asCat: ApiClient;
  let ids: { ann: string; ben: string; cat: string };
  let planId: string;

  beforeEach(async () => {
    let workspaceId: string;
    ({ workspaceId, api } = await service.workspace());
    const [ann, ben, cat] = await api.saveReps({ name: 'Ann', managerEmail: 'cat@x.io' }, 'Ben', {
      name: 'Cat',
      role: 'manager',
    });
    ids = { ann, ben, cat };
    await api.expect(200, 'POST', '/v1/deals/import', {
      deals: [
        { dealId: 'b1', ownerId: 'ben', amount: 41_273.18, closeDate: '2026-01-20', stage: 'Won' },
        { dealId: 'a1', ownerId: 'ann', amount: 1_000, closeDate: '2026-01-15', stage: 'Won' },
        { dealId: 'a2', ownerId: 'ann', amount: 500, closeDate: '2026-03-15', stage: 'Proposal' },
        { dealId: 'b2', ownerId: 'ben', amount: 700, closeDate: '2026-03-15', stage: 'Proposal' },
      ],
    });
    ({ planId } = await api.createPlan({ name: 'Ranked', config: ranked }, [ann, ben]));
    await service.waitForCalculations(workspaceId);
    asAnn = await service.as(workspaceId, ann);
    asCat = await service.as(workspaceId, cat);
  });

  const send = (client: ApiClient, body: object): Promise<ApiResponse> =>
    client.post('/v1/commissions/simulate', { period, ...body });
  /** The amount and the rank of each deal of Ann. */
  const ofAnn = ({ status, body }: ApiResponse): Record<string, unknown> => {
    expect(status, JSON.stringify(body)).to.equal(200);
    const rep = body.reps.find(({ repId }: { repId: string }) => repId === ids.ann);
    const paid = rep.rules.flatMap((rule: { deals: object[] }) => rule.deals);
    return Object.fromEntries(
      paid.map((one: { dealId: string; amount: number; trace: { rank: number } }) => [
        one.dealId,
        [one.amount, one.trace.rank],
      ]),
    );
  };

  describe('by a rep', () => {
    it('returns the same rank whatever the varied amount is, so that it does not show the amounts of a peer', async () => {
      for (const amount of [1, 40_273.17, 40_273.18, 40_273.19, 1_000_000])
        expect(ofAnn(await send(asAnn, { planId, deals: [{ dealId: 'a2', amount, stage: 'Won' }] }))).to.deep.equal({
          a1: [10, 2],
          a2: [10, 2],
        });
    });

    it('equals the ledger without variations', async () => {
      const event = (await api.expect(200, 'GET', '/v1/commissions?dealId=a1')).events[0];
      expect([event.amount, event.trace.rank]).to.deep.equal([10, 2]);
      const simulated = ofAnn(await send(asAnn, { planId }));
      expect(simulated['a1']).to.deep.equal([10, 2]);
    });

    it('rejects a config with 403, alone and with a plan', async () => {
      for (const body of [{ config: flat }, { config: ranked, planId }, { config: flat, repId: ids.ann }])
        await expectError('403 forbidden', send(asAnn, body));
    });

    it('rejects deals that are unknown, closed or of another rep, with the same response', async () => {
      const messages = new Set<string>();
      for (const dealId of ['unknown', 'a1', 'b1', 'b2']) {
        const answer = await send(asAnn, { planId, deals: [{ dealId, amount: 5, closeDate: '2026-03-01' }] });
        await expectError('403 forbidden', answer);
        messages.add(answer.body.message);
      }
      expect(messages.size).to.equal(1);
    });

    it('rejects every value of a deal other than the amount, the stage and the close date', async () => {
      const others = [
        { fields: { amount: 9 } },
        { repId: ids.ben },
        { ownerId: 'ben' },
        { ownerEmail: 'ben@x.io' },
        { currency: 'EUR' },
        { name: 'x' },
        { createdDate: '2026-01-01' },
      ];
      for (const other of others)
        await expectError('403 forbidden', send(asAnn, { planId, deals: [{ dealId: 'a2', amount: 5, ...other }] }));
    });

    it('applies the varied amount, stage and close date to the stored deal', async () => {
      const { planId: flatId } = await api.createPlan({
        name: 'Flat',
        config: {
          ...flat,
          dealConditions: [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }],
        },
      });
      await api.assign([ids.ann], flatId);
      const quota = { target: 100 };
      const total = async (deal: object) =>
        (await send(asAnn, { planId: flatId, quota, deals: [{ dealId: 'a2', ...deal }] })).body.total;
      expect(await total({ stage: 'Won' })).to.equal(150);
      expect(await total({ stage: 'Won', amount: 2_000, repId: ids.ann })).to.equal(300);
      expect(await total({ stage: 'Won', closeDate: '2026-04-02' })).to.equal(100);
      await api.expect(201, 'POST', '/v1/fields/save', { standard: { dealAmount: 'acv' } });
      const acv = { dealId: 'a3', ownerId: 'ann', stage: 'Proposal', closeDate: '2026-02-01', fields: { acv: 50 } };
      await api.expect(200, 'POST', '/v1/deals/import', { deals: [acv] });
      const varied = await send(asAnn, { planId: flatId, quota, deals: [{ dealId: 'a3', amount: 70, stage: 'Won' }] });
      expect(
        varied.body.reps[0].rules[0].deals.find(({ dealId }: { dealId: string }) => dealId === 'a3').amount,
      ).to.equal(7);
    });

    it('finds only plans that are assigned to the rep and no drafts, by the id of the plan and of a version', async () => {
      const draft = { name: 'Draft', status: 'draft', config: flat };
      const plan = await api.createPlan(draft);
      for (const id of [plan.planId, plan.planVersionId])
        await expectError('404 plan_not_found', asAnn.get(`/v1/plans/${id}`));
      await expectError('404 plan_not_found', send(asAnn, { planId: plan.planId }));
      await expectError('404 plan_not_found', send(asAnn, { planVersionId: plan.planVersionId }));
      await expectError('404 plan_not_found', send(asAnn, { planId: crypto.randomUUID() }));
      expect((await send(api, { planVersionId: plan.planVersionId, repId: ids.ann })).status).to.equal(200);
      await api.assign([ids.ann], plan.planId);
      for (const tried of [{ planId: plan.planId }, { planVersionId: plan.planVersionId }])
        await expectError('404 plan_not_found', send(asAnn, tried));
      await api.expect(200, 'PATCH', `/v1/plans/${plan.planId}/status`, { status: 'active' });
      for (const tried of [{ planId: plan.planId }, { planVersionId: plan.planVersionId }])
        expect((await send(asAnn, tried)).status).to.equal(200);
    });
  });

  describe('by a manager who sees only their reports', () => {
    beforeEach(() => api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' }));

    const probe = (amount: number, plan: object) =>
      send(asCat, {
        ...plan,
        repId: ids.ann,
        deals: [{ dealId: 'probe', amount, stage: 'Won', closeDate: '2026-02-01', repId: ids.ann }],
      });

    it('takes the rank from the stored ranking', async () => {
      for (const amount of [40_000, 50_000])
        expect(ofAnn(await probe(amount, { planId }))['probe']).to.deep.equal([10, 2]);
    });

    it('ranks a config among the people whom the manager sees', async () => {
      for (const amount of [1, 50_000])
        expect(ofAnn(await probe(amount, { config: ranked }))['probe']).to.deep.equal([100, 1]);
    });
  });

  it('by an admin returns 400 plan_too_complex for a config that needs too many comparisons', async () => {
    const leaf = { field: 'stage', fieldType: 'text', operator: 'equals' };
    const values = Array.from({ length: 600 }, (_, index) => ({ ...leaf, value: `${index}` }));
    const rules = Array.from({ length: 10 }, (_, index) => ({
      ...flat.rules[0],
      name: `R${index}`,
      conditions: [{ operator: 'or', rules: values }],
    }));
    await expectError('400 plan_too_complex', send(api, { config: { rules }, repId: ids.ann }));
  });

  describe('of stored deals by a manager', () => {
    const enterprise = {
      dealConditions: [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }],
      rules: [
        {
          ...flat.rules[0],
          conditions: [{ field: 'segment', fieldType: 'text', operator: 'equals', value: 'ENT' }],
        },
      ],
    };
    const openDeal = { amount: 40_000, closeDate: '2026-03-20', stage: 'Proposal', fields: { segment: 'ENT' } };
    let enterpriseId: string;

    beforeEach(async () => {
      ({ planId: enterpriseId } = await api.createPlan({ name: 'Enterprise', config: enterprise }, [ids.cat, ids.ben]));
      const deals = ['cat', 'ben'].map((ownerId) => ({ dealId: `${ownerId}-9`, ownerId, ...openDeal }));
      await api.expect(200, 'POST', '/v1/deals/import', { deals });
    });

    const won = async (client: ApiClient, repId: string, deal: object) =>
      (await send(client, { planId: enterpriseId, repId, deals: [{ stage: 'Won', closeDate: '2026-03-20', ...deal }] }))
        .body.total;

    it('keeps the values that the request does not name', async () => {
      expect(await won(asCat, ids.cat, { dealId: 'cat-9', amount: 40_000 })).to.equal(4_000);
      expect(await won(asCat, ids.cat, { dealId: 'cat-9' })).to.equal(4_000);
      expect(await won(asCat, ids.cat, { dealId: 'cat-9', fields: { segment: 'SMB' } })).to.equal(0);
      expect(await won(asCat, ids.cat, { dealId: 'unknown', amount: 40_000 })).to.equal(0);
    });

    it('reads nothing of deals whose owner the manager does not see', async () => {
      const asOwn = { dealId: 'ben-9', amount: 40_000, repId: ids.cat };
      expect(await won(asCat, ids.cat, asOwn)).to.equal(4_000);
      await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
      expect(await won(asCat, ids.cat, asOwn)).to.equal(0);
    });
  });

  it('by a manager who sees everyone ranks the simulated credit', async () => {
    const deals = [{ dealId: 'a2', amount: 50_000, stage: 'Won', closeDate: '2026-02-01', repId: ids.ann }];
    for (const plan of [{ planId }, { config: ranked }])
      expect(ofAnn(await send(asCat, { ...plan, repId: ids.ann, deals }))['a2']).to.deep.equal([100, 1]);
  });
});
