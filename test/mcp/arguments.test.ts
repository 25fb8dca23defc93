import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { done, FetchClient, rejected, seededWorkspace } from './mcp-fixture.js';

const tier = { tierIndex: 0, minThreshold: 0, rate: 0.1 };
const config = { rules: [{ name: 'R', measure: 'amount', tiers: [tier, { ...tier, tierIndex: 1, minThreshold: 1 }] }] };
const unknownRepId = '3f0b2a44-0000-4000-8000-000000000000';

describe('arguments of tools', () => {
  const service = Service.duringSuite();
  let seeded: Awaited<ReturnType<typeof seededWorkspace>>;
  let agent: FetchClient;
  let planId: string;
  let ruleId: string;

  before(async () => {
    seeded = await seededWorkspace(service);
    agent = new FetchClient(service.url, seeded.apiKey);
    const plan = await done(agent, 'create_plan', { name: 'AE', config, effectiveStart: '2026-01-01' });
    planId = plan.planId;
    ruleId = plan.rules[0].id;
  });

  describe('get_workspace names the caller', () => {
    it('for an API key', async () => {
      const { caller } = await done(agent, 'get_workspace');
      expect(caller).to.deep.include({ kind: 'ws', role: 'admin', repId: null });
      expect(caller.name).to.be.a('string').and.not.equal('');
    });

    it('for the session of a person', async () => {
      const rep = new FetchClient(service.url, await service.token(seeded.workspaceId, 'sess', seeded.ben));
      const { structuredContent, content } = await rep.call('get_workspace');
      expect(structuredContent.caller).to.deep.equal({ kind: 'sess', role: 'rep', repId: seeded.ben, name: 'Ben' });
      expect(content[0].text).to.include(`You act as rep, rep ${seeded.ben}.`);
    });

    it('for a connection token', async () => {
      const widget = new FetchClient(service.url, await service.token(seeded.workspaceId, 'conn'));
      const { caller } = await done(widget, 'get_workspace');
      expect(caller).to.deep.include({ kind: 'conn', role: null, repId: null });
    });
  });

  describe('an unknown id', () => {
    const rules = [{ ruleId: 'x', tiers: [{ tierIndex: 0, rate: 0.1 }] }];
    const calls: readonly (readonly [name: string, given: () => Record<string, unknown>, code: string])[] = [
      ['get_plan', () => ({ planId: 'AE' }), 'plan_not_found'],
      ['get_plan_history', () => ({ planId: 'AE' }), 'plan_not_found'],
      ['update_plan', () => ({ planRef: 'AE', effectiveStart: 'always' }), 'plan_not_found'],
      ['list_plan_overrides', () => ({ planVersionId: 'v1' }), 'plan_not_found'],
      ['set_plan_override', () => ({ planVersionId: planId, repId: seeded.ben, rules }), 'plan_rule_not_found'],
      ['delete_plan_override', () => ({ planVersionId: 'v1', repId: 'ben' }), 'plan_not_found'],
      ['list_assignments', () => ({ planId: 'AE' }), 'plan_not_found'],
      ['list_assignments', () => ({ repId: 'ben@acme.test' }), 'rep_not_found'],
      ['create_assignments', () => ({ repIds: ['Ben'], planId }), 'rep_not_found'],
      ['create_assignments', () => ({ repIds: [seeded.ben], planId: 'AE' }), 'plan_not_found'],
      ['update_assignment', () => ({ assignmentId: '1', effectiveEnd: 'never' }), 'assignment_not_found'],
      ['list_quotas', () => ({ repId: 'Ben' }), 'rep_not_found'],
      ['set_quota', () => ({ repIds: ['Ben'], measure: 'R', period: '2026-Q1', target: 1 }), 'rep_not_found'],
      [
        'set_quota',
        () => ({ planRuleId: 'R', targets: [{ repId: seeded.ben, period: '2026-Q1', target: 1 }] }),
        'plan_rule_not_found',
      ],
      [
        'set_quota',
        () => ({ planRuleId: ruleId, targets: [{ repId: 'Ben', period: '2026-Q1', target: 1 }] }),
        'rep_not_found',
      ],
      ['delete_quota', () => ({ quotaId: 'Q1' }), 'quota_not_found'],
      ['list_deals', () => ({ repId: 'ben' }), 'rep_not_found'],
      ['simulate_commissions', () => ({ planId: 'AE', period: '2026-Q1' }), 'plan_not_found'],
      ['simulate_commissions', () => ({ planVersionId: 'v1', period: '2026-Q1' }), 'plan_not_found'],
      ['simulate_commissions', () => ({ planId, period: '2026-Q1', repId: 'Ben' }), 'rep_not_found'],
      ['simulate_commissions', () => ({ planId, period: '2026-Q1', repId: unknownRepId }), 'rep_not_found'],
      ['recalculate_commissions', () => ({ repId: 'Ben' }), 'rep_not_found'],
      ['recalculate_commissions', () => ({ planId: 'AE' }), 'plan_not_found'],
      ['recalculate_commissions', () => ({ dealId: 'x'.repeat(300) }), 'deal_not_found'],
      ['recalculate_commissions', () => ({ dealId: 'D-1\u0001' }), 'deal_not_found'],
      ['get_recalculation_job', () => ({ jobId: 'last' }), 'job_not_found'],
      ['get_commissions', () => ({ dealId: 'nope' }), 'deal_not_found'],
      ['get_commissions', () => ({ dealId: 'nope\u0000' }), 'deal_not_found'],
      ['get_commissions', () => ({ repId: 'Ben' }), 'rep_not_found'],
      ['get_field_options', () => ({ slug: 'nope\u0000' }), 'field_not_found'],
    ];
    for (const [index, [name, given, code]] of calls.entries())
      it(`${index + 1}: ${name} rejects it with ${code}`, async () => {
        const answer = await rejected(agent, name, given());
        expect(answer, answer.message).to.include({ statusCode: 404, code });
      });

    it('is reported together with another invalid argument', async () => {
      const { code, details } = await rejected(agent, 'simulate_commissions', { planId: 'AE', period: 'soon' });
      expect(code).to.equal('VALIDATION_FAILED');
      expect(details.issues.map(({ path }: { path: string }) => path)).to.deep.equal(['planId', 'period']);
    });
  });

  it('take null and an empty text for an optional one that is left out, and for no required one', async () => {
    const all = { status: null, versions: '', limit: null, offset: null, detail: '' };
    expect(await done(agent, 'list_plans', all)).to.deep.equal(await done(agent, 'list_plans', {}));
    for (const blank of [null, ''])
      expect((await rejected(agent, 'update_plan', { planRef: planId, effectiveStart: blank })).code).to.equal(
        'VALIDATION_FAILED',
      );
  });

  describe('update_plan', () => {
    it('requires the first day of a change', async () => {
      const { code, message } = await rejected(agent, 'update_plan', { planRef: planId, config });
      expect(code).to.equal('VALIDATION_FAILED');
      expect(message).to.match(/^effectiveStart: is required/);
    });

    it('accepts a day, always for no earliest day, and the keywords never and workspace', async () => {
      const start = { planRef: planId, effectiveStart: '2026-02-01', effectiveEnd: '2026-12-31', currency: 'EUR' };
      expect(await done(agent, 'update_plan', start)).to.include({
        effectiveStart: '2026-02-01',
        effectiveEnd: '2026-12-31',
        currency: 'EUR',
      });
      const open = { planRef: planId, effectiveStart: 'always', effectiveEnd: 'never', currency: 'workspace' };
      expect(await done(agent, 'update_plan', open)).to.include({
        effectiveStart: null,
        effectiveEnd: null,
        currency: null,
      });
      expect((await rejected(agent, 'update_plan', { ...open, effectiveStart: 'now' })).code).to.equal(
        'VALIDATION_FAILED',
      );
    });

    it('returns warnings and names their codes in the summary', async () => {
      const rules = [{ ...config.rules[0], tiers: [{ ...tier, rate: 8 }] }];
      const { structuredContent, content } = await agent.call('update_plan', {
        planRef: planId,
        config: { rules },
        effectiveStart: 'always',
      });
      const codes = structuredContent.warnings.map((warning: { code: string }) => warning.code);
      expect(codes).to.deep.equal(['rate_above_one', 'no_deal_conditions', 'unassigned']);
      expect(content[0].text).to.include(`show them to the person: ${codes.join(', ')}.`);
    });
  });

  it('set_quota sets several periods and people in one call', async () => {
    const plan = await done(agent, 'create_plan', { name: 'Quotas', config });
    const { quotas } = await done(agent, 'set_quota', {
      planRuleId: plan.rules[0].id,
      targets: [
        { email: 'ben@acme.test', period: '2026-Q1', target: 100 },
        { repId: seeded.ben, period: '2026-Q2', target: 200, variableTarget: 50 },
        { repId: seeded.mia, period: '2026-Q1', target: 300 },
      ],
    });
    expect(
      quotas.map((one: { repId: string; period: string; target: number }) => [one.repId, one.period, one.target]),
    ).to.deep.equal([
      [seeded.ben, '2026-Q1', 100],
      [seeded.ben, '2026-Q2', 200],
      [seeded.mia, '2026-Q1', 300],
    ]);
  });
});
