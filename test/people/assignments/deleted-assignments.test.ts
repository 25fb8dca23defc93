import { expect } from 'chai';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

const tier = (rate: number, tierIndex = 0, minThreshold = 0) => ({ tierIndex, minThreshold, rate });

describe('the deletion of an assignment while no worker is running', () => {
  const service = Service.duringSuite({ worker: false });
  let workspaceId: string;
  let api: ApiClient;
  let mia: string;
  let ann: string;
  let bob: string;

  beforeEach(async () => {
    ({ workspaceId, api } = await service.workspace());
    const managerEmail = 'mia@x.io';
    [mia, ann, bob] = await api.saveReps({ name: 'Mia', role: 'manager' }, { name: 'Ann', managerEmail }, 'Bob');
  });

  const calculateAll = () =>
    service.running.service.parts.resolve(LaneRunner).calculateNow(workspaceId, [mia, ann, bob]);
  /** A plan of one rule with the people on it; returns the ids of their assignments. */
  const assigned = async (name: string, rule: object, ...repIds: string[]): Promise<string[]> => {
    const { planId } = await api.createPlan({ name, config: { rules: [flatRule(name, 0.1, rule)] } });
    return (await api.assign(repIds, planId)).map((assignment: { assignmentId: string }) => assignment.assignmentId);
  };
  const remove = (assignmentId: string | undefined) => api.expect(200, 'DELETE', `/v1/assignments/${assignmentId}`);
  const deal = (dealId: string, repId: string, amount = 100) =>
    api.send('PUT', `/v1/deals/${dealId}`, { amount, closeDate: '2026-03-10', repId });
  const paid = async (dealId: string): Promise<Record<string, number>> => {
    await calculateAll();
    const { events } = await api.expect(200, 'GET', `/v1/commissions?dealId=${dealId}`);
    const earned = events.filter((event: { status: string }) => event.status === 'earned');
    return Object.fromEntries(
      earned.map((event: { ruleName: string; amount: number }) => [event.ruleName, event.amount]),
    );
  };

  it('comes after the deals that were stored before it', async () => {
    const [assignmentId] = await assigned('New', {}, ann);
    await deal('corrected', ann, 500);
    await calculateAll();
    await Promise.all([deal('corrected', ann, 100), deal('last', ann)]);
    await remove(assignmentId);
    await deal('late', ann);
    await deal('corrected', ann, 900);
    expect([await paid('corrected'), await paid('last'), await paid('late')]).to.deep.equal([
      { New: 10 },
      { New: 10 },
      {},
    ]);
  });

  it('comes after the calculation of the people below a manager', async () => {
    const override = { executionPhase: 'cascade', dependsOn: 'New', tiers: [tier(0.5)] };
    await assigned('New', {}, ann);
    const [assignmentId] = await assigned('Override', override, mia);
    await calculateAll();
    await deal('last', ann);
    await remove(assignmentId);
    expect(await paid('last')).to.deep.equal({ New: 10, Override: 5 });
  });

  it('comes after the calculation of the people whom the plan ranks', async () => {
    const ranked = { tierBy: 'rank', tiers: [tier(0.2, 0, 1), tier(0.1, 1, 2)] };
    const [assignmentId] = await assigned('Race', ranked, ann, bob);
    await deal('first', ann, 100);
    await calculateAll();
    await deal('more', bob, 300);
    await remove(assignmentId);
    expect([await paid('first'), await paid('more')]).to.deep.equal([{ Race: 10 }, { Race: 60 }]);
  });

  it('leaves what was earned, also after the plan itself was deleted and the deal was corrected', async () => {
    const { planId } = await api.createPlan({ name: 'New', config: { rules: [flatRule('New', 0.1)] } });
    const [assignment] = await api.assign([ann], planId);
    await deal('kept', ann);
    await calculateAll();
    await remove(assignment.assignmentId);
    await api.expect(200, 'DELETE', `/v1/plans/${planId}`);
    await deal('kept', ann, 500);
    expect(await paid('kept')).to.deep.equal({ New: 10 });
  });

  it('keeps nothing on days of a later assignment to the plan, which can be shortened and moved', async () => {
    const { planId } = await api.createPlan({ name: 'New', config: { rules: [flatRule('New', 0.1)] } });
    const [first] = await api.assign([ann], planId);
    await deal('first', ann);
    await calculateAll();
    await remove(first.assignmentId);
    const [second] = await api.expect(201, 'POST', '/v1/assignments', {
      ...{ repIds: [ann], planId, effectiveStart: '2026-05-01', effectiveEnd: '2026-12-31' },
    });
    const shift = (dates: object) => api.expect(200, 'PATCH', `/v1/assignments/${second.assignmentId}`, dates);
    await api.send('PUT', '/v1/deals/august', { amount: 100, closeDate: '2026-08-10', repId: ann });
    await api.send('PUT', '/v1/deals/april', { amount: 100, closeDate: '2026-04-10', repId: ann });
    expect([await paid('first'), await paid('april'), await paid('august')]).to.deep.equal([
      { New: 10 },
      {},
      { New: 10 },
    ]);
    await shift({ effectiveEnd: '2026-07-31' });
    expect([await paid('first'), await paid('april'), await paid('august')]).to.deep.equal([{ New: 10 }, {}, {}]);
    await shift({ effectiveStart: '2026-04-01' });
    expect(await paid('april')).to.deep.equal({ New: 10 });
    await shift({ effectiveStart: '2026-06-01' });
    expect([await paid('first'), await paid('april')]).to.deep.equal([{ New: 10 }, {}]);
  });

  describe('and a deal that moves away from its days', () => {
    const tiers = [tier(0.08), tier(0.12, 1, 1)];
    let planId: string;

    /** Ann has earned on `moved` under an assignment that was deleted, and is on the plan until March 1 and from June 1. */
    beforeEach(async () => {
      ({ planId } = await api.createPlan({
        name: 'Plan',
        config: { rules: [{ name: 'New', measure: 'amount', tiers }] },
      }));
      const [deleted] = await api.assign([ann], planId);
      for (const period of ['2026-Q1', '2026-Q2']) await api.setQuota([ann], 'New', period, 1000);
      await move('2026-05-20');
      await remove(deleted.assignmentId);
      for (const dates of [{ effectiveEnd: '2026-03-01' }, { effectiveStart: '2026-06-01' }])
        await api.expect(201, 'POST', '/v1/assignments', { repIds: [ann], planId, ...dates });
      await api.send('PUT', '/v1/deals/june', { amount: 500, closeDate: '2026-06-01', repId: ann });
      await move('2026-03-05');
    });

    const move = async (closeDate: string) => {
      await api.send('PUT', '/v1/deals/moved', { amount: 600, closeDate, repId: ann });
      await calculateAll();
    };

    it('leaves its event and its credit where they were, as long as nothing is earned on the new day', async () => {
      expect([await paid('moved'), await paid('june')]).to.deep.equal([{ New: 48 }, { New: 60 }]);
    });

    it('takes its credit from the deals of its former period once it is earned on another day', async () => {
      await move('2026-02-01');
      expect([await paid('moved'), await paid('june')]).to.deep.equal([{ New: 48 }, { New: 40 }]);
      expect(await recalculated()).to.deep.equal({ eventsWritten: 0, eventsReversed: 0 });
    });

    it('reverses its event and takes its credit if the new day lies in an approved period', async () => {
      await api.generate(ann, '2026-02');
      await api.approve(ann, '2026-02');
      await move('2026-02-01');
      expect([await paid('moved'), await paid('june')]).to.deep.equal([{}, { New: 40 }]);
      expect(await recalculated()).to.deep.equal({ eventsWritten: 0, eventsReversed: 0 });
    });

    const recalculated = async () => {
      const { jobId } = await api.expect(200, 'POST', '/v1/commissions/recalculate', { repId: ann, async: true });
      await calculateAll();
      const { result } = await api.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);
      return { eventsWritten: result.eventsWritten, eventsReversed: result.eventsReversed };
    };
  });
});
