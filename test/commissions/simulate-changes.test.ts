import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import {
  amounts,
  configOf,
  deals,
  describeSimulatedChanges,
  flat,
  SalesTeam,
  tiers,
  won,
} from './simulated-changes.js';

interface Warning {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

const richer = [
  { tierIndex: 0, minThreshold: 0, rate: 0.11 },
  { tierIndex: 1, minThreshold: 1, rate: 0.3 },
];

describeSimulatedChanges(
  'other rates from February on',
  'a cascade over two levels',
  'a renamed rule, without its quota and override',
);

describe('the simulation of a changed plan', () => {
  const service = Service.duringSuite();
  /** Shared by the tests, which change nothing that another test reads. */
  let team: SalesTeam;
  let planId: string;
  let repIds: SalesTeam['repIds'];

  before(async () => {
    team = await SalesTeam.create(service);
    ({ planId, repIds } = team);
  });

  const simulate = (body: object, client?: ApiClient) => team.simulate(body, client);

  it('equals what the change then calculates for a single manager, whose team is simulated too', async () => {
    const change = { config: configOf({ tiers: richer }) };
    const all = await simulate({ planId, period: '2026', ...change });
    const alone = await simulate({ planId, period: '2026', ...change, repId: repIds.mia });
    expect(alone.reps).to.have.length(1);
    expect(alone.reps[0]).to.deep.equal(all.reps.find(({ repId }: { repId: string }) => repId === repIds.mia));
    expect(alone.total).to.be.greaterThan(0);
  });

  it('of one month has no outcomes of deals of other months, also if their ids look like periods', async () => {
    const later = ['1234', '2026-01'].map((dealId) => ({ dealId, ownerId: 'ann', amount: 1, closeDate: '2026-02-11' }));
    await team.api.expect(200, 'POST', '/v1/deals/import', { deals: later });
    const { reps } = await simulate({ planId, period: '2026-01', repId: repIds.ann });
    expect(reps[0].outcomes.map(({ dealId }: { dealId: string }) => dealId)).to.deep.equal(['a1']);
  });

  it('a hypothetical deal of a rep also pays the manager', async () => {
    const made = { dealId: 'made', amount: 10_000, stage: 'Won', closeDate: '2026-03-01', repId: repIds.ben };
    const simulated = amounts(await simulate({ planId, period: '2026-Q1', deals: [made] }));
    expect(simulated[`${repIds.ben} New business made`]).to.equal(1000);
    expect(simulated[`${repIds.mia} Override made`]).to.equal(100);
  });

  it('pays periodic rules of a person without stored deals and quotas on the made-up deals or the assumed quota', async () => {
    const bonus = { ...deals, name: 'Bonus', executionPhase: 'periodic' };
    const made = { dealId: 'made', amount: 10_000, closeDate: '2026-03-01', repId: repIds.zoe };
    const flatBonus = {
      config: { rules: [{ ...bonus, tiers: flat }] },
      period: '2026-Q1',
      repId: repIds.zoe,
      asOf: '2026-04-01',
    };
    expect((await simulate({ ...flatBonus, deals: [made] })).total).to.equal(1000);
    const onTarget = { rules: [{ ...bonus, tiers: flat, payoutBase: 'variable_target' }] };
    const quota = { target: 100, variableTarget: 5000 };
    expect((await simulate({ ...flatBonus, config: onTarget, quota })).total).to.equal(500);
  });

  describe('of a stored deal of someone else', () => {
    /** What the simulation of the person pays them on the open deal of Ben. */
    const paidOn = async (repId: string, deal: object, client?: ApiClient) => {
      const varied = { dealId: 'open', amount: 10_000, stage: 'Won', closeDate: '2026-03-20', ...deal };
      const request = { planId: own.planId, period: '2026-Q1', repId, quota: { target: 100_000 }, deals: [varied] };
      const paid = amounts(await own.simulate(request, client));
      return Object.fromEntries(Object.entries(paid).filter(([key]) => key.endsWith(' open')));
    };
    let own: SalesTeam;

    before(async () => {
      own = await SalesTeam.create(service);
      const open = { amount: 5_000, closeDate: '2026-03-20', stage: 'Proposal', ownerId: 'ben' };
      await own.api.putDeal('open', open);
    });

    it('leaves it to its owner, for a manager and for an admin', async () => {
      const { mia, ben } = own.repIds;
      for (const client of [own.api, await service.as(own.workspaceId, mia)]) {
        expect(await paidOn(mia, {}, client)).to.deep.equal({ [`${mia} Override open`]: 100 });
        expect(await paidOn(ben, {}, client)).to.deep.equal({ [`${ben} New business open`]: 1000 });
      }
    });

    it('does not give it to a person with an overlay on it', async () => {
      const { mia, ben } = own.repIds;
      const credits = [{ repId: mia, kind: 'overlay', role: 'SE', percent: 50 }];
      await own.api.expect(200, 'PUT', '/v1/deals/open/credits', { credits });
      const client = await service.as(own.workspaceId, mia);
      expect(await paidOn(mia, {}, client)).to.deep.equal({ [`${mia} Override open`]: 100 });
      expect(await paidOn(ben, {}, client)).to.deep.equal({ [`${ben} New business open`]: 1000 });
    });

    it('gives it to the owner whom the request names by the id of the CRM or by e-mail, and to no one if it is no rep', async () => {
      const { ann, ben } = own.repIds;
      for (const owner of [{ ownerId: 'ann' }, { ownerEmail: 'Ann@x.io' }, { repId: ann }])
        expect(await paidOn(ben, { dealId: 'made open', ...owner })).to.deep.equal({});
      for (const owner of [{ ownerId: 'ann' }, { ownerEmail: 'Ann@x.io' }, { repId: ann }])
        expect(await paidOn(ann, { dealId: 'made open', ...owner })).to.have.all.keys(`${ann} New business made open`);
      expect(await paidOn(ann, { dealId: 'made open', ownerId: 'unknown' })).to.deep.equal({});
      expect(await paidOn(ann, { dealId: 'made open' })).to.have.all.keys(`${ann} New business made open`);
    });
  });

  describe('warnings', () => {
    const codes = ({ warnings }: { warnings: Warning[] }) => warnings.map(({ code, path }) => `${code} ${path}`);

    it('an unassigned plan causes a warning and not only an amount of 0', async () => {
      const other = await team.api.createPlan({ name: 'Other', config: configOf({ tiers }) });
      const answer = await simulate({ planId: other.planId, period: '2026-Q1' });
      expect(answer).to.include({ total: 0 });
      expect(codes(answer)).to.deep.equal(['unassigned ']);
      const assigned = await simulate({ planId, period: '2026-Q1', quota: { target: 1 } });
      expect(codes(assigned)).to.deep.equal([]);
    });

    it('a changed config has the warnings of a change, with the events that it would restate', async () => {
      const rules = [{ ...deals, measure: 'amout', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 8 }] }];
      const config = { dealConditions: [{ ...won, value: 'Closed Won' }], rules };
      const own = await SalesTeam.create(service);
      const change = { config, effectiveStart: '2026-02-01' };
      const answer = await own.simulate({ planId: own.planId, period: '2026-Q1', ...change });
      expect(codes(answer)).to.deep.equal([
        'rate_above_one config.rules.0.tiers.0.rate',
        'unknown_field config.rules.0.measure',
        'unknown_value config.dealConditions.0.value',
        'restates_open_periods effectiveStart',
      ]);
      const patched = await own.api.expect(200, 'PATCH', `/v1/plans/${own.planId}`, change);
      expect(patched.warnings.filter(({ code }: Warning) => code !== 'unassigned')).to.deep.equal(answer.warnings);
    });

    it('counts quotas that are missing in the simulated period, unless a quota is given', async () => {
      const period = '2026-Q3';
      const missing = await simulate({ planId, period });
      expect(missing.warnings[0].message).to.match(/^4 of 4 assigned reps have no quota for "New business" in 2026-Q3/);
      const ofOne = await simulate({ planId, period, repId: repIds.ann });
      expect(ofOne.warnings[0].message).to.match(/^1 of 1 assigned reps have no quota .*: Ann\. /i);
      expect(codes(await simulate({ planId, period, quota: { target: 5 } }))).to.deep.equal([]);
      const config = configOf({ tiers });
      const unsaved = await simulate({ config, period, repId: repIds.ann });
      expect(unsaved.warnings[0].message).to.match(/^1 of 1 assigned reps have no quota/);
      expect(unsaved.reps[0].outcomes.map((one: { ruleId: unknown }) => one.ruleId)).to.not.include(undefined);
    });

    it('a rep receives warnings about the terms and not about other people', async () => {
      const { ann, ben } = repIds;
      const rep = await service.as(team.workspaceId, ann);
      const config = { rules: [{ ...deals, tiers }] };
      const open = await team.api.createPlan({ name: 'Open', config }, [ann, ben]);
      const answer = await simulate({ planId: open.planId, period: '2026-Q3' }, rep);
      expect(codes(answer)).to.deep.equal(['no_deal_conditions config.dealConditions']);
      expect(answer.reps.map(({ repId }: { repId: string }) => repId)).to.deep.equal([ann]);
    });
  });
});
