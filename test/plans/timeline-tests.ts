import { expect } from 'chai';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

interface Stretch {
  readonly planVersionId: string;
  readonly version: number;
  readonly from: string | null;
  readonly to: string | null;
}

export interface Plan {
  readonly planId: string;
  readonly planVersionId: string;
  readonly version: number;
  readonly name: string;
  readonly planStatus: string;
  readonly status: string;
  readonly versionStatus: string;
  readonly timeline: Stretch[];
  readonly inForce: Stretch | null;
  readonly effectiveStart: string | null;
  readonly effectiveEnd: string | null;
  readonly currency: string | null;
  readonly fieldMapping: object | null;
  readonly config: Record<string, unknown>;
  readonly rules: { id: string; name: string; tiers: { rate: number }[] }[];
  readonly warnings: { code: string; path: string; message: string }[];
  readonly overridesCarried?: object[];
  readonly overridesDropped?: object[];
  readonly rolledBackTo?: Stretch | null;
}

const tier = (rate: number, tierIndex = 0, minThreshold = 0) => ({ tierIndex, minThreshold, rate });
const rule = (rate: number, more: object = {}) => ({ name: 'New', measure: 'amount', tiers: [tier(rate)], ...more });
export const configOf = (rate: number, more: object = {}) => ({ rules: [rule(rate, more)] });

/** `version from..to` of each stretch. */
export const formatStretches = (stretches: readonly Stretch[]) =>
  stretches.map(({ version, from, to }) => `${version} ${from ?? ''}..${to ?? ''}`);

/** The rules of the timeline, with lanes that workers calculate, or that are calculated before a result is read. */
export function describeTimeline(worker: boolean): void {
  describe(`the version timeline of a plan, with ${worker ? 'workers running' : 'no worker running before the result is read'}`, () => {
    const service = Service.duringSuite({ worker });
    let workspaceId: string;
    let api: ApiClient;
    let ann: string;

    beforeEach(async () => {
      ({ workspaceId, api } = await service.workspace());
      [ann] = await api.saveReps('Ann');
    });

    const calculateAll = async () => {
      if (worker) return service.waitForCalculations(workspaceId);
      await service.running.service.parts.resolve(LaneRunner).calculateNow(workspaceId, [ann]);
    };
    const createPlan = async (more: object = {}): Promise<Plan> => {
      const plan: Plan = await api.createPlan({ name: 'AE', config: configOf(0.1), ...more }, [ann]);
      return plan;
    };
    const patch = (planRef: string, change: object): Promise<Plan> =>
      api.expect(200, 'PATCH', `/v1/plans/${planRef}`, change);
    const setStatus = (planRef: string, status: string): Promise<Plan> =>
      api.expect(200, 'PATCH', `/v1/plans/${planRef}/status`, { status });
    const get = (planRef: string): Promise<Plan> => api.expect(200, 'GET', `/v1/plans/${planRef}`);
    const list = (query = ''): Promise<Plan[]> => api.expect(200, 'GET', `/v1/plans${query}`);
    const deal = (dealId: string, closeDate: string, amount = 100) =>
      api.send('PUT', `/v1/deals/${dealId}`, { amount, closeDate, stage: 'Closed Won', repId: ann });
    /** The amount of each deal after all calculations. */
    const paid = async (...dealIds: string[]): Promise<number[]> => {
      await calculateAll();
      const totals: number[] = [];
      for (const dealId of dealIds) {
        const { events } = await api.expect(200, 'GET', `/v1/commissions?dealId=${dealId}`);
        totals.push(
          events
            .filter((event: { status: string }) => event.status === 'earned')
            .reduce((sum: number, event: { amount: number }) => sum + event.amount, 0),
        );
      }
      return totals;
    };

    it('ends a plan with several versions when effectiveEnd is set', async () => {
      const plan = await createPlan();
      await patch(plan.planId, { config: configOf(0.2) });
      await deal('may', '2026-05-10');
      await deal('july', '2026-07-10');
      expect(await paid('may', 'july')).to.deep.equal([20, 20]);
      const ended = await patch(plan.planId, { effectiveEnd: '2026-06-30' });
      expect(formatStretches(ended.timeline)).to.deep.equal(['3 ..2026-06-30']);
      expect(await paid('may', 'july')).to.deep.equal([20, 0]);
      const [listed] = await list();
      expect(listed).to.deep.include({ version: 3, effectiveEnd: '2026-06-30' });
      expect(await get(plan.planId)).to.deep.include({ version: 3, effectiveEnd: '2026-06-30' });
    });

    for (const status of ['archived', 'deleted', 'draft']) {
      it(`keeps earned events and pays no new deal while a plan of two versions is ${status}`, async () => {
        const plan = await createPlan({ config: configOf(0.05) });
        await patch(plan.planId, { config: configOf(0.1) });
        await deal('before', '2026-03-10', 1000);
        expect(await paid('before')).to.deep.equal([100]);
        const stopped = await setStatus(plan.planId, status);
        expect(stopped).to.deep.include({
          planStatus: status,
          status,
          versionStatus: 'active',
          timeline: [],
          inForce: null,
        });
        await deal('after', '2026-03-11', 1000);
        await deal('before', '2026-03-10', 2000);
        expect(await paid('before', 'after')).to.deep.equal([100, 0]);
        const active = await setStatus(plan.planId, 'active');
        expect(active).to.deep.include({ planStatus: 'active', version: 2 });
        expect(await paid('before', 'after')).to.deep.equal([200, 100]);
      });
    }

    for (const status of ['archived', 'draft', 'deleted'])
      it(`pays a deal that was stored immediately before the plan was set to ${status}`, async () => {
        const plan = await createPlan();
        for (let number = 0; number < 5; number += 1) {
          await Promise.all([deal(`d${number}`, '2026-03-10'), deal(`e${number}`, '2026-04-10')]);
          await setStatus(plan.planId, status);
          await deal(`late${number}`, '2026-03-10');
          expect(await paid(`d${number}`, `e${number}`, `late${number}`)).to.deep.equal([10, 10, 0]);
          await setStatus(plan.planId, 'active');
          expect(await paid(`late${number}`)).to.deep.equal([10]);
        }
      });

    it('also reverses events by requests from before the stop', async () => {
      const plan = await createPlan();
      await deal('july', '2026-07-10');
      await deal('may', '2026-05-10');
      expect(await paid('july', 'may')).to.deep.equal([10, 10]);
      await patch(plan.planId, { effectiveEnd: '2026-06-30' });
      await patch(plan.planId, { config: configOf(0.2) });
      await setStatus(plan.planId, 'archived');
      expect(await paid('july', 'may')).to.deep.equal([0, 20]);
    });

    it('calculates a manager’s override on a deal that was stored immediately before the stop', async () => {
      const [mia] = await api.saveReps(
        { name: 'Mia', role: 'manager' },
        { email: 'ann@x.io', name: 'Ann', managerEmail: 'mia@x.io' },
      );
      await createPlan();
      const config = configOf(0.5, { name: 'Override', executionPhase: 'cascade', dependsOn: '_total' });
      const cascade: Plan = await api.createPlan({ name: 'Managers', config }, [mia]);
      await calculateAll();
      await deal('last', '2026-03-10');
      await setStatus(cascade.planId, 'archived');
      expect(await paid('last')).to.deep.equal([15]);
    });

    it('shows a job as completed when its calculation was done before a stop', async () => {
      const plan = await createPlan();
      await deal('d', '2026-03-10');
      const { jobId } = await api.expect(200, 'POST', '/v1/commissions/recalculate', { repId: ann, async: true });
      await setStatus(plan.planId, 'archived');
      await calculateAll();
      const job = await api.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);
      expect(job.status).to.equal('completed');
      expect(await paid('d')).to.deep.equal([10]);
    });

    it('adds a version for a config with a later start, and replaces a version whose start moves', async () => {
      const plan = await createPlan();
      await deal('june', '2026-06-10');
      await deal('july', '2026-07-10');
      await deal('august', '2026-08-10');
      const second = await patch(plan.planId, { config: configOf(0.2), effectiveStart: '2026-07-01' });
      expect(formatStretches(second.timeline)).to.deep.equal(['1 ..2026-06-30', '2 2026-07-01..']);
      expect(await paid('june', 'july', 'august')).to.deep.equal([10, 20, 20]);
      const third = await patch(second.planVersionId, { effectiveStart: '2026-08-01' });
      expect(formatStretches(third.timeline)).to.deep.equal(['1 ..2026-07-31', '3 2026-08-01..']);
      expect(await paid('june', 'july', 'august')).to.deep.equal([10, 10, 20]);
      const corrected = await patch(plan.planVersionId, { config: configOf(0.3) });
      expect(formatStretches(corrected.timeline)).to.deep.equal(['4 ..2026-07-31', '3 2026-08-01..']);
      expect(await paid('june', 'july', 'august')).to.deep.equal([30, 30, 20]);
    });

    it('changes a plan for one month and restores it afterwards', async () => {
      const plan = await createPlan();
      await patch(plan.planId, { config: configOf(0.4), effectiveStart: '2026-07-01', effectiveEnd: '2026-07-31' });
      const back = await patch(plan.planVersionId, { config: configOf(0.1), effectiveStart: '2026-08-01' });
      expect(formatStretches(back.timeline)).to.deep.equal([
        '1 ..2026-06-30',
        '2 2026-07-01..2026-07-31',
        '3 2026-08-01..',
      ]);
      await deal('june', '2026-06-30');
      await deal('july', '2026-07-31');
      await deal('august', '2026-08-01');
      expect(await paid('june', 'july', 'august')).to.deep.equal([10, 40, 10]);
    });

    it('applies no earlier version after the end of the version in force', async () => {
      const plan = await createPlan();
      await patch(plan.planId, { config: configOf(0.4), effectiveStart: '2026-07-01', effectiveEnd: '2026-07-31' });
      await deal('july', '2026-07-10');
      await deal('august', '2026-08-10');
      expect(await paid('july', 'august')).to.deep.equal([40, 0]);
    });

    it('keeps a draft version out of the timeline until it is activated', async () => {
      const plan = await createPlan();
      await deal('d', '2026-03-10');
      const draft = await patch(plan.planId, { config: configOf(0.2), status: 'draft' });
      expect(formatStretches(draft.timeline)).to.deep.equal(['1 ..']);
      expect(await paid('d')).to.deep.equal([10]);
      expect(formatStretches((await setStatus(draft.planVersionId, 'active')).timeline)).to.deep.equal(['2 ..']);
      expect(await paid('d')).to.deep.equal([20]);
    });

    it('restores the previous version when the version in force is archived, and returns it', async () => {
      const plan = await createPlan();
      await deal('d', '2026-03-10');
      const second = await patch(plan.planId, { config: configOf(0.2) });
      expect(await paid('d')).to.deep.equal([20]);
      const archived = await setStatus(second.planVersionId, 'archived');
      expect(archived).to.deep.include({ version: 2, status: 'archived', planStatus: 'active' });
      expect(archived.rolledBackTo).to.deep.equal({
        planVersionId: plan.planVersionId,
        version: 1,
        from: null,
        to: null,
      });
      expect(archived.inForce).to.deep.equal(archived.rolledBackTo);
      expect(await paid('d')).to.deep.equal([10]);
      const none = await setStatus(plan.planVersionId, 'archived');
      expect(none.rolledBackTo).to.equal(null);
      await deal('new', '2026-03-11');
      expect(await paid('d', 'new')).to.deep.equal([10, 0]);
    });

    it('activates the latest version when a plan without an active version is set to active', async () => {
      const plan = await createPlan({ status: 'draft' });
      await deal('d', '2026-03-10');
      expect(plan).to.deep.include({ planStatus: 'draft', status: 'draft' });
      const version = await setStatus(plan.planVersionId, 'active');
      expect(version).to.deep.include({ planStatus: 'draft', versionStatus: 'active', timeline: [] });
      expect(version.warnings.map(({ code }) => code)).to.include('plan_not_active');
      expect(await paid('d')).to.deep.equal([0]);
      await setStatus(plan.planVersionId, 'draft');
      expect(await setStatus(plan.planId, 'active')).to.deep.include({ planStatus: 'active', status: 'active' });
      expect(await paid('d')).to.deep.equal([10]);
    });

    it('cleans up events of a rule that a new version removed, and keeps those of stopped plans and earlier stretches', async () => {
      const config = { rules: [rule(0.1), rule(0.2, { name: 'Old' })] };
      const plan = await createPlan({ config });
      await deal('d', '2026-03-10');
      expect(await paid('d')).to.deep.equal([30]);
      const clean = () => api.expect(200, 'POST', '/v1/commissions/cleanup');
      const later = await patch(plan.planId, { config: configOf(0.1), effectiveStart: '2026-07-01' });
      await setStatus(plan.planId, 'archived');
      expect(await paid('d')).to.deep.equal([30]);
      expect(await clean()).to.deep.equal({ deleted: 0, skippedLocked: 0 });
      await setStatus(plan.planId, 'active');
      await setStatus(later.planVersionId, 'archived');
      await patch(plan.planVersionId, { config: configOf(0.1) });
      expect(await paid('d')).to.deep.equal([10]);
      expect(await clean()).to.deep.equal({ deleted: 1, skippedLocked: 0 });
      expect(await paid('d')).to.deep.equal([10]);
    });

    describe('overrides', () => {
      const override = (planVersionId: string, ruleId: string, tiers: object[]) =>
        api.expect(200, 'PUT', `/v1/plans/${planVersionId}/overrides/${ann}`, { rules: [{ ruleId, tiers }] });

      it('are copied to a version with new dates or a new config', async () => {
        const plan = await createPlan();
        await override(plan.planVersionId, plan.rules[0]?.id as string, [{ tierIndex: 0, rate: 0.3 }]);
        await deal('d', '2026-03-10');
        expect(await paid('d')).to.deep.equal([30]);
        const carried = {
          repId: ann,
          repName: 'Ann',
          ruleName: 'New',
          tierIndex: 0,
          minThreshold: 0,
          rate: 0.3,
        };
        for (const change of [{ effectiveEnd: '2026-12-31' }, { config: configOf(0.2) }, { currency: 'USD' }]) {
          const changed = await patch(plan.planId, change);
          expect(changed.overridesCarried).to.deep.equal([carried]);
          expect(changed.overridesDropped).to.deep.equal([]);
          expect(await paid('d')).to.deep.equal([30]);
        }
      });

      it('are reported if their rule was removed or their tier has another threshold', async () => {
        const config = { rules: [rule(0.1, { tiers: [tier(0.1), tier(0.2, 1, 1)] }), rule(0.1, { name: 'Old' })] };
        const plan = await createPlan({ config });
        const [first, second] = plan.rules as [Plan['rules'][0], Plan['rules'][0]];
        await api.expect(200, 'PUT', `/v1/plans/${plan.planVersionId}/overrides/${ann}`, {
          rules: [
            {
              ruleId: first.id,
              tiers: [
                { tierIndex: 0, rate: 0.3 },
                { tierIndex: 1, rate: 0.4 },
              ],
            },
            { ruleId: second.id, tiers: [{ tierIndex: 0, rate: 0.5 }] },
          ],
        });
        const changed = await patch(plan.planId, {
          config: { rules: [rule(0.1, { tiers: [tier(0.1), tier(0.2, 1, 1.5)] })] },
        });
        const of = { repId: ann, repName: 'Ann' };
        expect(changed.overridesCarried).to.deep.equal([
          { ...of, ruleName: 'New', tierIndex: 0, minThreshold: 0, rate: 0.3 },
        ]);
        expect(changed.overridesDropped).to.deep.equal([
          { ...of, ruleName: 'New', tierIndex: 1, minThreshold: 1, rate: 0.4, reason: 'tier_changed' },
          { ...of, ruleName: 'Old', tierIndex: 0, minThreshold: 0, rate: 0.5, reason: 'rule_removed' },
        ]);
        const [stored] = await api.expect(200, 'GET', `/v1/plans/${changed.planVersionId}/overrides`);
        expect(stored.rules).to.deep.equal([
          {
            ruleId: changed.rules[0]?.id,
            ruleName: 'New',
            tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.3 }],
          },
        ]);
      });
    });
  });
}
