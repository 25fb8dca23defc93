import { expect } from 'chai';
import { type ApiClient, testService } from '#test/support/test-service.js';
import { done, FetchClient } from './mcp-fixture.js';

/** The ids that the examples use, by the object they identify. */
const exampleIds = {
  ben: '0d5a3a4e-6d0c-4f1b-9a53-6a1f4f7f2b10',
  planId: 'a4d2c8e0-1f3b-4e5d-9c7a-8b6f5e4d3c2b',
  planVersionId: 'b5e3d9f1-204c-4f6e-8d8b-9c7a6f5e4d3c',
  ruleId: 'c6f4ea02-315d-4a7f-9e9c-ad8b7a6f5e4d',
  assignmentId: 'd7a5fb13-426e-4b8a-afad-be9c8b7a6f5e',
  quotaId: 'e8b60c24-537f-4c9b-b0be-cfad9c8b7a6f',
  jobId: 'f9c71d35-6480-4dac-81cf-d0bead9c8b7a',
};
type World = Record<keyof typeof exampleIds, string>;

/** These change or delete objects that other examples use, so they run last in this order. */
const removing = [
  'delete_plan_override',
  'update_assignment',
  'delete_quota',
  'delete_assignment',
  'set_plan_status',
  'delete_plan',
];

const won = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' };
const tier = { tierIndex: 0, minThreshold: 0, rate: 0.08 };
const config = { dealConditions: [won], rules: [{ name: 'New business', measure: 'amount', tiers: [tier] }] };

describe('the example in the description of a tool', () => {
  const service = testService();
  let agent: FetchClient;
  let world: World;
  const examples = new Map<string, Record<string, unknown>>();

  before(async () => {
    const { workspaceId, apiKey, api } = await service.workspace({ name: 'Acme' });
    agent = new FetchClient(service.url, apiKey);
    world = await worldOf(api);
    await service.waitForCalculations(workspaceId);
    for (const { name, description } of await agent.tools()) {
      const example = /^Example: (.+)$/m.exec(description)?.[1];
      if (example !== undefined) examples.set(name, JSON.parse(withRealIds(example)));
    }
  });

  async function worldOf(api: ApiClient): Promise<World> {
    const { reps } = await api.expect(200, 'PUT', '/v1/reps', {
      reps: [
        { email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben' },
        { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
      ],
    });
    const [ben, mia] = reps.map((rep: { id: string }) => rep.id);
    const deal = { amount: 120_000, stage: 'Won', closeDate: '2026-02-10', ownerId: 'ben' };
    await api.expect(201, 'PUT', '/v1/deals/D-1', deal);
    const { planId, planVersionId, rules } = await api.expect(201, 'POST', '/v1/plans', {
      name: 'Existing plan',
      config,
      effectiveStart: '2026-01-01',
    });
    const [{ assignmentId }] = await api.expect(201, 'POST', '/v1/assignments', { repIds: [mia], planId });
    const quota = { repIds: [ben], planRuleId: rules[0].id, period: '2026-Q2', target: 1 };
    const [{ quotaId }] = await api.expect(201, 'POST', '/v1/quotas', quota);
    const { jobId } = await api.expect(200, 'POST', '/v1/commissions/recalculate', { async: true });
    return { ben, planId, planVersionId, ruleId: rules[0].id, assignmentId, quotaId, jobId };
  }

  function withRealIds(example: string): string {
    return Object.entries(exampleIds).reduce(
      (text, [name, id]) => text.replaceAll(id, world[name as keyof World]),
      example,
    );
  }

  it('exists for every tool and works on the running service', async () => {
    const tools = (await agent.tools()).map(({ name }) => name as string);
    expect([...examples.keys()]).to.deep.equal(tools);
    const reading = tools.filter((name) => !removing.includes(name));
    const rejections: string[] = [];
    for (const name of [...reading, ...removing]) {
      if (name === 'delete_plan') await unassignEverybody();
      const { isError, content } = await agent.call(name, examples.get(name));
      if (isError) rejections.push(`${name}: ${content[0].text.split('\n')[0]}`);
    }
    expect(rejections).to.deep.equal([]);
  });

  /** delete_plan requires it. The example of delete_assignment removes one of two assignments. */
  async function unassignEverybody(): Promise<void> {
    const { assignments } = await done(agent, 'list_assignments', { planId: world.planId });
    for (const { assignmentId } of assignments) await done(agent, 'delete_assignment', { assignmentId });
  }

  it('returns data for every reading tool', async () => {
    const { reps } = await done(agent, 'list_reps', examples.get('list_reps'));
    expect(reps).to.have.length(1);
    expect((await done(agent, 'list_deals', examples.get('list_deals'))).deals).to.have.length(1);
    const { options } = await done(agent, 'get_field_options', examples.get('get_field_options'));
    expect(options).to.deep.equal([{ label: 'Won', value: 'Won' }]);
  });
});
