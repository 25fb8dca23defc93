import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { type Agent, done, FetchClient, sdkClient, seededWorkspace } from './mcp-fixture.js';

describe('an agent runs the life of a plan', () => {
  const service = Service.duringSuite();

  const clients: Readonly<Record<string, (token: string) => Promise<Agent>>> = {
    "the SDK's client": async (token) => (await sdkClient(service.url, token)).agent,
    'a client over fetch': async (token) => new FetchClient(service.url, token),
  };

  for (const [name, connect] of Object.entries(clients)) {
    it(`with ${name}: template, plan, people, quota, simulation, calculation, trace, new version, archive`, async () => {
      const { workspaceId, apiKey, api, ben } = await seededWorkspace(service);
      const agent = await connect(apiKey);
      expect(await agent.tools()).to.have.length(63);

      const { workspaceId: reportedId } = await done(agent, 'get_workspace');
      expect(reportedId).to.equal(workspaceId);
      const { reps } = await done(agent, 'list_reps', { email: 'BEN@acme.test' });
      expect(reps).to.have.length(1);
      expect(reps[0].id).to.equal(ben);
      const { templates } = await done(agent, 'list_plan_templates');
      const { config } = templates.find((one: { templateId: string }) => one.templateId === 'marginal-ae').planConfig;
      const { fields } = await done(agent, 'list_fields');
      expect(fields.map((field: { slug: string }) => field.slug)).to.include('dealAmount');

      const quota = { target: 100_000 };
      const tried = await done(agent, 'simulate_commissions', { config, period: '2026-Q1', repId: ben, quota });
      expect(tried.total).to.equal(10_400);

      const plan = await done(agent, 'create_plan', { name: 'AE', config, status: 'draft' });
      expect(plan).to.include({ status: 'draft', version: 1 });
      const { planId } = plan;
      const { assignments } = await done(agent, 'create_assignments', { repIds: [ben], planId });
      expect(assignments[0]).to.include({ repId: ben, planId });
      const { quotas } = await done(agent, 'set_quota', {
        repIds: [ben],
        planRuleId: plan.rules[0].id,
        period: '2026-Q1',
        target: 100_000,
      });
      expect(quotas[0].target).to.equal(100_000);
      const simulated = { planVersionId: plan.planVersionId, period: '2026-Q1' };
      expect((await done(agent, 'simulate_commissions', simulated)).total).to.equal(10_400);
      expect((await done(agent, 'set_plan_status', { planRef: planId, status: 'active' })).status).to.equal('active');

      const heard: number[] = [];
      const job = await agent.call('recalculate_commissions', { planId }, ({ progress }) => heard.push(progress));
      expect(job.structuredContent).to.include({ status: 'completed', scope: 'plan' });
      expect(heard.at(-1)).to.equal(1);
      const { jobId } = job.structuredContent;
      expect(await done(agent, 'get_recalculation_job', { jobId })).to.include({ jobId, status: 'completed' });

      const deal = await done(agent, 'get_commissions', { dealId: 'D-2' });
      expect(deal.total).to.equal(3200);
      expect(deal.events[0].trace.parts).to.deep.equal([
        { tierIndex: 0, rate: 0.08, part: 10_000 },
        { tierIndex: 1, rate: 0.12, part: 20_000 },
      ]);
      for (const [given, address] of [
        [{ dealId: 'D-2' }, '/v1/commissions?dealId=D-2'],
        [{ period: '2026-Q1' }, '/v1/commissions?period=2026-Q1'],
        [{ repId: ben, period: '2026-02' }, `/v1/commissions?repId=${ben}&period=2026-02`],
      ] as const) {
        expect(await done(agent, 'get_commissions', given)).to.deep.include((await api.get(address)).body);
      }

      const [rule] = config.rules;
      const richer = { ...config, rules: [{ ...rule, tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.2 }] }] };
      const second = await done(agent, 'update_plan', { planRef: planId, config: richer, effectiveStart: 'always' });
      expect(second).to.include({ planId, version: 2, status: 'active' });
      await service.waitForCalculations(workspaceId);
      expect((await done(agent, 'get_commissions', { dealId: 'D-2' })).events[0].amount).to.equal(6000);

      const unchanged = async (days: object) =>
        (await agent.call('preview_plan_change', { planRef: planId, config: richer, ...days })).content[0].text;
      expect(await unchanged({ period: '2026-Q1' })).to.include('It changes the pay of no rep in the period.');
      expect(await unchanged({ period: '2020-Q1' })).to.include('Nothing was earned in the period');
      expect(await unchanged({}))
        .to.include('period: is required')
        .and.not.include('from');

      const { versions } = await done(agent, 'get_plan_history', { planId });
      expect(versions.map((one: { version: number }) => one.version)).to.deep.equal([2, 1]);
      await done(agent, 'set_plan_status', { planRef: planId, status: 'archived' });
      expect((await done(agent, 'list_plans', { status: 'archived' })).plans[0].planId).to.equal(planId);
      await agent.close();
    });
  }
});
