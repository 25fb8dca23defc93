import { expect } from 'chai';
import { tableContentExample } from '#src/plans/rate-tables/rate-table.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { done, FetchClient } from './mcp-fixture.js';

/** The names of ids in the examples, by the object they identify. */
const exampleIds = {
  ben: 'repId',
  planId: 'planId',
  planVersionId: 'planVersionId',
  ruleId: 'ruleId',
  assignmentId: 'assignmentId',
  quotaId: 'quotaId',
  jobId: 'jobId',
  discrepancyId: 'discrepancyId',
  rampId: 'rampId',
  drawId: 'drawId',
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
  const service = Service.duringSuite();
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
    const [ben, mia] = await api.saveReps(
      { email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben' },
      { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
    );
    const deal = { amount: 120_000, stage: 'Won', closeDate: '2026-02-10', ownerId: 'ben' };
    await api.expect(201, 'PUT', '/v1/deals/D-1', deal);
    await api.expect(200, 'PUT', '/v1/rate-tables/Products', tableContentExample);
    const plan = { name: 'Existing plan', config, effectiveStart: '2026-01-01' };
    const { planId, planVersionId, rules } = await api.createPlan(plan);
    const [{ assignmentId }] = await api.assign([mia], planId);
    const quota = { repIds: [ben], planRuleId: rules[0].id, period: '2026-Q2', target: 1 };
    const [{ quotaId }] = await api.expect(201, 'POST', '/v1/quotas', quota);
    const { jobId } = await api.expect(200, 'POST', '/v1/commissions/recalculate', { async: true });
    const steps = [{ months: 1, quotaPercent: 50 }];
    const { rampId } = await api.expect(201, 'POST', '/v1/ramps', { name: 'Existing ramp', steps });
    await api.expect(200, 'PATCH', '/v1/workspaces', {
      payouts: { enabled: true, from: '2026-01-01' },
      accounting: { enabled: true, from: '2026-01' },
    });
    const draw = { repId: mia, kind: 'advance', recoverable: true, amount: 100, from: '2026-04-01' };
    const { drawId } = await api.expect(201, 'POST', '/v1/draws', draw);
    return {
      ben,
      rampId,
      drawId,
      planId,
      planVersionId,
      ruleId: rules[0].id,
      assignmentId,
      quotaId,
      jobId,
      discrepancyId: await discrepancyOf(api, mia),
    };
  }

  /** A deal of the rep in an approved period. */
  async function discrepancyOf(api: ApiClient, repId: string): Promise<string> {
    await api.expect(200, 'POST', `/v1/statements/${repId}/generate`, { period: '2026-03' });
    await api.expect(200, 'POST', `/v1/statements/${repId}/approve`, { period: '2026-03', status: 'approved' });
    await api.expect(201, 'PUT', '/v1/deals/D-2', { amount: 1000, stage: 'Won', closeDate: '2026-03-10', repId });
    await service.waitForChecks((await api.expect(200, 'GET', '/v1/workspaces')).workspaceId);
    return (await api.expect(200, 'GET', '/v1/discrepancies')).discrepancies[0].discrepancyId;
  }

  function withRealIds(example: string): string {
    return Object.entries(exampleIds).reduce(
      (text, [name, id]) => text.replaceAll(`<${id}>`, world[name as keyof World]),
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
