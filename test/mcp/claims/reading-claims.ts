import { expect } from 'chai';
import { type Claims, changesNothing, flat, month, rule, testedIn, tier, valuesOf } from './claim-world.js';

/** Claims of the tools that read the workspace, its fields, deals, people and logs. */
export const readingClaims: Claims = {
  get_workspace: {
    'Changes: nothing.': changesNothing('get_workspace'),
    'Caller (role, rep id, name, kind of token)': testedIn('mcp/arguments', 'for the session of a person'),
    'the plans in force': async (world) => {
      const active = await world.addPlan();
      const draft = await world.addPlan({ status: 'draft' });
      const archived = await world.addPlan({ status: 'archived' });
      const { plans } = await world.call('get_workspace', { limit: 200 });
      expect(valuesOf(plans, 'planId')).to.include(active.planId).and.not.include.members([draft.planId]);
      expect(valuesOf(plans, 'planId')).to.not.include(archived.planId);
    },
    'Deleted plans too': async (world) => {
      const { planId } = await world.addPlan();
      await world.call('set_plan_status', { planRef: planId, status: 'deleted' });
      const shown = async (includeDeleted: boolean) =>
        valuesOf((await world.call('get_workspace', { includeDeleted, limit: 200 })).plans, 'planId');
      expect(await shown(true)).to.include(planId);
      expect(await shown(false)).to.not.include(planId);
    },
    'summary omits plans.config, plans.dealConditions, plans.rules, plans.tests, plans.fieldMapping': async (world) => {
      const { plans } = await world.call('get_workspace');
      expect(plans[0]).to.not.have.any.keys('config', 'dealConditions', 'rules', 'tests', 'fieldMapping');
    },
  },
  list_fields: {
    'Changes: nothing.': changesNothing('list_fields'),
    'Standard ones first': async (world) => {
      await world.addDeal(world.ids['repId'] as string, { fields: { aaa: 'x' } });
      const slugs = valuesOf((await world.call('list_fields')).fields, 'slug');
      expect(slugs[0]).to.equal('dealAmount');
      expect(slugs.indexOf('aaa')).to.be.greaterThan(slugs.indexOf('dealStage'));
    },
    'then those of the newest 2,000 deals': testedIn(
      'deals/fields/fields',
      'reads the newest 2,000 deals, including deleted ones',
    ),
    'slug goes into measure and field, type into fieldType': async (world) => {
      const first = await world.addRep();
      const dealId = await world.addDeal(first, { fields: { seats: 50, region: 'EU' } });
      const { fields } = await world.call('list_fields', { limit: 200 });
      const { type } = fields.find(({ slug }: { slug: string }) => slug === 'region');
      const dealConditions = [{ field: 'region', fieldType: type, operator: 'equals', value: 'EU' }];
      const config = { dealConditions, rules: [{ ...rule([tier(0.1)]), measure: 'seats' }] };
      const { planId } = await world.addPlan({ config });
      await world.assign(first, planId);
      expect(await world.total(dealId)).to.equal(5);
    },
  },
  get_field_options: {
    'Changes: nothing.': changesNothing('get_field_options'),
    'at most 1,000': testedIn('deals/fields/fields', 'returns at most a thousand values'),
    'slug of list_fields, or as a plan names the field': async (world) => {
      const { options } = await world.call('get_field_options', { slug: 'dealStage' });
      expect(valuesOf(options, 'value')).to.include('Won');
      for (const slug of ['stage', 'dealstage'])
        expect((await world.call('get_field_options', { slug })).options).to.deep.equal(options);
    },
    'in one select or status field': (world) =>
      world.expectCode('field_not_found', 'get_field_options', { slug: 'dealAmount' }),
  },
  get_field_mapping: {
    'Changes: nothing.': changesNothing('get_field_mapping'),
    "Which of the CRM's slugs stand for amount, stage, close date and owner (standard), and what plans call other fields (measures)":
      async (world) => {
        const standard = { dealAmount: 'amount', dealStage: 'stage', closeDate: 'closed', ownerId: 'owner' };
        const mapping = { standard, measures: { capacity: 'seat_count' } };
        await world.api.expect(201, 'POST', '/v1/fields/save', mapping);
        expect(await world.call('get_field_mapping')).to.deep.equal(mapping);
        await world.api.expect(201, 'POST', '/v1/fields/save', { standard: {}, measures: {} });
      },
  },
  list_deals: {
    'Changes: nothing.': changesNothing('list_deals'),
    'latest change first': async (world) => {
      const repId = await world.addRep();
      const older = await world.addDeal(repId);
      const newer = await world.addDeal(repId);
      const shown = async () => valuesOf((await world.call('list_deals', { repId })).deals, 'deal_id');
      expect(await shown()).to.deep.equal([newer, older]);
      await world.changeDeal(older, { amount: 2000, stage: 'Won', closeDate: `${month}-10`, repId });
      expect(await shown()).to.deep.equal([older, newer]);
      const { deals } = await world.call('list_deals', { repId, limit: 1 });
      expect(valuesOf(deals, 'deal_id')).to.deep.equal([older]);
    },
    'stage as get_field_options spells it': async (world) => {
      const repId = await world.addRep();
      await world.addDeal(repId);
      const count = async (stage: string) => (await world.call('list_deals', { repId, stage })).total;
      expect([await count('Won'), await count('won'), await count('Wo')]).to.deep.equal([1, 0, 0]);
    },
    'Since a day or instant': async (world) => {
      const repId = await world.addRep();
      await world.addDeal(repId);
      const count = async (since: string) => (await world.call('list_deals', { repId, since })).total;
      const hour = (from: number) => new Date(Date.now() + from * 3_600_000).toISOString();
      expect([await count(hour(-1)), await count(hour(1))]).to.deep.equal([1, 0]);
      expect([await count(hour(-24).slice(0, 10)), await count(hour(48).slice(0, 10))]).to.deep.equal([1, 0]);
    },
    'Part of name, id or a text field': async (world) => {
      const repId = await world.addRep();
      const dealId = await world.addDeal(repId, { name: 'Sycamore' });
      for (const query of ['camor', dealId.slice(1)])
        expect(valuesOf((await world.call('list_deals', { repId, query })).deals, 'deal_id')).to.deep.equal([dealId]);
    },
    'in full detail, fields of the CRM': testedIn('mcp/results', 'have only the fields of deals that the agent names'),
  },
  list_reps: {
    'Changes: nothing.': changesNothing('list_reps'),
    'A rep sees only themself': testedIn('mcp/access', 'a rep reads only their own data, as over REST'),
    'Part of the name or address': testedIn('mcp/access', 'people are found by a part of their name or address'),
  },
  list_audit_logs: {
    'Changes: nothing.': changesNothing('list_audit_logs'),
    'newest first': testedIn('audit/audit-logs', 'pages newest first and counts all matches'),
    'Engine runs, and what people did to statements, disputes, keys and connections': async (world) => {
      const { repId } = await world.addPaidRep();
      const dealId = await world.addDeal(repId);
      await world.approve(repId);
      const { runs } = await world.call('list_audit_logs', { limit: 200 });
      const seen = runs.filter((run: { repId?: string }) => run.repId === repId);
      expect(valuesOf(seen, 'actor')).to.include('orchestrator').and.include('api-key');
      expect((await world.call('list_audit_logs', { dealId })).runs[0].actor).to.equal('orchestrator');
    },
    'Not for an amount (get_commissions) or who changed a plan': async (world) => {
      const { planId } = await world.addPlan();
      await world.call('update_plan', { planRef: planId, config: flat(0.2), effectiveStart: 'always' });
      const entries = (await world.call('list_audit_logs', { actor: 'mcp:api-key' })).runs;
      expect(entries.filter(({ trigger }: { trigger: string }) => trigger.includes('plan'))).to.deep.equal([]);
    },
    'actor orchestrator is the engine; mcp: precedes what agents did': async (world) => {
      const { repId } = await world.addPaidRep();
      await world.call('open_dispute', { repId, period: month, type: 'other', description: 'x' });
      const [latest] = (await world.call('list_audit_logs', { actor: 'mcp:api-key' })).runs;
      expect(latest).to.include({ repId, actor: 'mcp:api-key' });
      const { runs } = await world.call('list_audit_logs', { actor: 'orchestrator' });
      expect(new Set(valuesOf(runs, 'actor'))).to.deep.equal(new Set(['orchestrator']));
    },
    'This actor': async (world) => {
      expect((await world.call('list_audit_logs', { actor: 'orchestra' })).runs).to.deep.equal([]);
    },
  },
  list_change_requests: {
    'Changes: nothing.': changesNothing('list_change_requests'),
    'Changes that wait for a person, and what became of earlier ones': testedIn(
      'agents/change-requests/change-requests',
      'run when a person approves them, with the rights of who requested them, and the agent reads the outcome',
    ),
    'Not for deciding: people do.': testedIn(
      'agents/change-requests/change-requests',
      'are not visible to other people, and keys decide nothing',
    ),
  },
};
