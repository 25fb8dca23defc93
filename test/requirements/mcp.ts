import { expect } from 'chai';
import { type Agent, done, FetchClient, listTools, rejected, sdkClient } from '#test/mcp/mcp-fixture.js';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';
import { flatTier, type Person, type Plan, unknownId, World, won } from './world.js';

/** The 29 tools: the arguments that each has, the required ones first and marked with `!`. */
const tools: Readonly<Record<string, string>> = {
  get_workspace: 'includeDeleted',
  list_fields: '',
  get_field_options: 'slug!',
  get_field_mapping: '',
  list_reps: 'email',
  list_deals: 'repId stage since limit offset',
  list_plan_templates: '',
  list_plans: 'status versions',
  get_plan: 'planId!',
  get_plan_history: 'planId!',
  create_plan: 'name! config! effectiveStart effectiveEnd fieldMapping currency',
  update_plan: 'planRef! config effectiveStart effectiveEnd currency status',
  set_plan_status: 'planRef! status!',
  delete_plan: 'planId!',
  list_plan_overrides: 'planVersionId!',
  set_plan_override: 'planVersionId! repId! rules!',
  delete_plan_override: 'planVersionId! repId!',
  list_assignments: 'repId planId',
  create_assignments: 'repIds! planId! effectiveStart effectiveEnd',
  update_assignment: 'assignmentId! effectiveStart effectiveEnd',
  delete_assignment: 'assignmentId!',
  list_quotas: 'repId planId period',
  set_quota: 'repIds period target planRuleId measure variableTarget planId',
  delete_quota: 'quotaId!',
  simulate_commissions: 'planId period!',
  recalculate_commissions: 'dealId repId planId',
  get_recalculation_job: 'jobId!',
  get_commissions: 'repId dealId period',
  list_audit_logs: 'actor dealId',
};

const names = Object.keys(tools);
const adminReads = ['get_recalculation_job', 'list_audit_logs'];
const reads = names.filter((name) => /^(get|list)_|^simulate_/.test(name));
/** The tools for reps and managers: those that read, except jobs and logs. */
const readsOfEveryone = reads.filter((name) => !adminReads.includes(name));

/** The tools for connection tokens: plans, fields, deals with their breakdown, and people without payroll data. */
const readsOfConnections = names.filter((name) =>
  /^(get_workspace|list_fields|get_field_|list_reps|list_deals|list_plan_templates|list_plans|get_plan|get_commissions)/.test(
    name,
  ),
);

/** Section 1.10 of the specification: the MCP endpoint and its tools. */
export function describeMcp(): void {
  describe('1.10: MCP', () => {
    let world: World;
    let agent: Agent;

    before(async () => {
      ({ world } = await World.example());
      agent = new FetchClient(service().url, world.apiKey);
    });

    describeEndpoint(() => ({ world, agent }));
    describePlanTools(() => ({ world, agent }));
    describeTermTools(() => ({ world, agent }));
    describeReadTools(() => ({ world, agent }));
  });
}

type Given = () => { readonly world: World; readonly agent: Agent };

function describeEndpoint(given: Given): void {
  const namesFor = async (token: string) =>
    (await new FetchClient(service().url, token).tools()).map((tool: Json) => tool.name);

  row(13, 'a client initializes at /v1/mcp with a Bearer key', async () => {
    const { client, agent } = await sdkClient(service().url, given().world.apiKey);
    expect(client.getServerCapabilities()).to.include.keys('tools');
    expect(client.getServerVersion()?.name).to.be.a('string').and.not.equal('');
    await agent.close();
  });

  row(14, 'without a key /v1/mcp is 401', async () => {
    const { status, body, headers } = await new FetchClient(service().url, null).post(listTools);
    expect(status).to.equal(401);
    expect(body).to.include({ statusCode: 401, code: 'unauthorized' });
    expect(headers.get('www-authenticate')).to.equal('Bearer realm="mcp"');
  });

  row(15, 'the 29 tools of the specification are exposed', async () => {
    const listed = await namesFor(given().world.apiKey);
    expect(listed.filter((name: string) => names.includes(name))).to.have.length(29);
  });

  row(16, 'the tools have the names of the design', async () => {
    expect(await namesFor(given().world.apiKey)).to.include.members(names);
  });

  for (const [number, who] of [
    [17, 'ben'],
    [18, 'mgr'],
  ] as const)
    row(number, `tools/list for ${who === 'ben' ? 'a rep' : 'a manager'} shows the 15 tools that read`, async () => {
      const listed = await namesFor(given().world.tokens[who as Person]);
      expect(listed.filter((name: string) => names.includes(name))).to.have.members(readsOfEveryone);
    });

  row(19, 'tools/list for a connection token shows the eleven tools that read no pay of a person', async () => {
    const listed = await namesFor(given().world.tokens.conn);
    expect(listed.filter((name: string) => names.includes(name))).to.have.members(readsOfConnections);
  });

  row(48, 'a rejected call is a result with isError and the error envelope of the API', async () => {
    const { agent } = given();
    const result = await agent.call('get_plan', { planId: unknownId });
    expect(result.isError).to.equal(true);
    expect(result.structuredContent).to.include({ statusCode: 404, code: 'plan_not_found' });
    expect(result.content[0].text).to.be.a('string').and.not.equal('');
    const invalid = await rejected(agent, 'simulate_commissions', { period: 'soon' });
    expect(invalid).to.include({ statusCode: 400, code: 'VALIDATION_FAILED' });
  });

  row(50, 'the 29 tools have the arguments of the design', async () => {
    const listed = await given().agent.tools();
    for (const [name, words] of Object.entries(tools)) {
      const { inputSchema } = listed.find((tool: Json) => tool.name === name);
      const wanted = words.split(' ').filter((word) => word !== '');
      expect(Object.keys(inputSchema.properties), name).to.include.members(wanted.map((word) => word.replace('!', '')));
      const required = wanted.filter((word) => word.endsWith('!')).map((word) => word.slice(0, -1));
      expect(inputSchema.required ?? [], name).to.include.members(required);
    }
  });
}

const config = (rate: number) => ({
  dealConditions: [won],
  rules: [{ name: 'Agent rule', measure: 'amount', tiers: flatTier(rate) }],
});

function describePlanTools(given: Given): void {
  let plan: Json;
  let ben: string;
  const call = (name: string, body: object = {}) => done(given().agent, name, body);
  const overrides = () => ({ planVersionId: plan.planVersionId, repId: ben });

  row(28, 'create_plan creates a plan', async () => {
    ben = given().world.ids.ben;
    plan = await call('create_plan', { name: 'By agent', config: config(0.1), status: 'draft' });
    expect(plan).to.include({ name: 'By agent', version: 1, status: 'draft' });
    const stored = await given().world.get(`/v1/plans/${plan.planVersionId}`);
    expect(stored.config).to.deep.equal(config(0.1));
  });

  row(32, 'set_plan_status moves the plan to active', async () => {
    const answer = await call('set_plan_status', { planRef: plan.planId, status: 'active' });
    expect(answer).to.include({ planId: plan.planId, status: 'active', version: 1 });
  });

  row(29, 'get_plan gives the version with its rules', async () => {
    const found = await call('get_plan', { planId: plan.planId });
    expect(found).to.include({ planId: plan.planId, planVersionId: plan.planVersionId });
    expect(found.rules[0]).to.include({ name: 'Agent rule', measure: 'amount' });
  });

  row(27, 'list_plans gives one row per identity', async () => {
    const { plans } = await call('list_plans', { status: 'active' });
    expect(plans.map((one: Json) => one.name)).to.have.members(['AE', 'By agent']);
  });

  row(31, 'update_plan makes a new version', async () => {
    const change = { planRef: plan.planId, config: config(0.2), effectiveStart: '2026-01-01' };
    plan = await call('update_plan', change);
    expect(plan).to.include({ version: 2, effectiveStart: '2026-01-01' });
    expect(plan.rules[0].tiers[0].rate).to.equal(0.2);
  });

  row(30, 'get_plan_history gives the versions, newest first', async () => {
    const { versions } = await call('get_plan_history', { planId: plan.planId });
    expect(versions.map((one: Json) => one.version)).to.deep.equal([2, 1]);
  });

  row(33, "set_plan_override sets one rep's tiers", async () => {
    const rules = [{ ruleId: plan.rules[0].id, tiers: [{ tierIndex: 0, rate: 0.3 }] }];
    await call('set_plan_override', { ...overrides(), rules });
    const [stored] = await given().world.get(`/v1/plans/${plan.planVersionId}/overrides`);
    expect(stored.rules[0].tiers[0]).to.include({ tierIndex: 0, rate: 0.3 });
  });

  row(34, 'list_plan_overrides gives them by rep', async () => {
    const answer = await call('list_plan_overrides', { planVersionId: plan.planVersionId });
    expect(answer.overrides.map((one: Json) => one.repId)).to.deep.equal([ben]);
  });

  row(35, "delete_plan_override removes the rep's tiers", async () => {
    await call('delete_plan_override', overrides());
    expect(await given().world.get(`/v1/plans/${plan.planVersionId}/overrides`)).to.deep.equal([]);
  });

  row(49, 'delete_plan removes the plan permanently, with confirm: true', async () => {
    const unconfirmed = await given().agent.call('delete_plan', { planId: plan.planId });
    expect(unconfirmed.isError).to.equal(true);
    await call('delete_plan', { planId: plan.planId, confirm: true });
    expect((await given().world.admin.get(`/v1/plans/${plan.planId}`)).status).to.equal(404);
  });
}

function describeTermTools(given: Given): void {
  let plan: Plan;
  let assignment: Json;
  let quota: Json;
  const call = (name: string, body: object = {}) => done(given().agent, name, body);

  row(36, 'create_assignments puts reps on a plan', async () => {
    const { world } = given();
    plan = await world.plan('Terms', config(0.1).rules);
    const body = { repIds: [world.ids.cat], planId: plan.planId, effectiveStart: '2026-01-01' };
    [assignment] = (await call('create_assignments', body)).assignments;
    expect(assignment).to.include({ repId: world.ids.cat, planId: plan.planId, effectiveStart: '2026-01-01' });
  });

  row(37, 'list_assignments gives who is on which plan', async () => {
    const { assignments } = await call('list_assignments', { planId: plan.planId });
    expect(assignments.map((one: Json) => one.assignmentId)).to.deep.equal([assignment.assignmentId]);
  });

  row(38, 'update_assignment changes the dates', async () => {
    const body = { assignmentId: assignment.assignmentId, effectiveEnd: '2026-06-30' };
    expect(await call('update_assignment', body)).to.include({
      effectiveStart: '2026-01-01',
      effectiveEnd: '2026-06-30',
    });
  });

  row(39, 'set_quota sets a target', async () => {
    const { world } = given();
    const body = { repIds: [world.ids.cat], planRuleId: plan.rules[0]?.id, period: '2026-Q1', target: 5000 };
    [quota] = (await call('set_quota', body)).quotas;
    expect(quota).to.include({ repId: world.ids.cat, period: '2026-Q1', target: 5000 });
  });

  row(40, 'list_quotas gives targets and counters', async () => {
    const { quotas } = await call('list_quotas', { repId: given().world.ids.ben });
    expect(quotas[0]).to.include({ target: 100_000, current_value: 150_000 });
  });

  row(46, 'delete_quota removes the target', async () => {
    await call('delete_quota', { quotaId: quota.quotaId });
    expect(await given().world.get(`/v1/quotas?planId=${plan.planId}`)).to.deep.equal([]);
  });

  row(47, 'delete_assignment unlinks the rep', async () => {
    await call('delete_assignment', { assignmentId: assignment.assignmentId });
    expect(await given().world.get(`/v1/assignments?planId=${plan.planId}`)).to.deep.equal([]);
  });
}

function describeReadTools(given: Given): void {
  let jobId: string;
  const call = (name: string, body: object = {}) => done(given().agent, name, body);

  row(20, 'get_workspace returns the caller of the agent', async () => {
    const { world } = given();
    expect(await call('get_workspace')).to.include({ workspaceId: world.workspaceId, name: 'Acme', currency: 'USD' });
  });

  row(21, 'list_fields gives slug, label and type', async () => {
    const { fields } = await call('list_fields');
    expect(fields.find((field: Json) => field.slug === 'dealAmount')).to.include({ type: 'currency' });
  });

  row(22, 'list_reps finds a rep by e-mail', async () => {
    const { reps } = await call('list_reps', { email: given().world.email('ben') });
    expect(reps.map((rep: Json) => rep.id)).to.deep.equal([given().world.ids.ben]);
  });

  row(23, 'list_deals gives the latest snapshots', async () => {
    const { deals, total } = await call('list_deals', { repId: given().world.ids.ben, limit: 2 });
    expect(total).to.equal(3);
    expect(deals).to.have.length(2);
    expect(deals[0].deal_id).to.be.oneOf(['D1', 'D2', 'D3']);
  });

  row(24, 'get_field_mapping gives the saved mapping', async () => {
    expect(await call('get_field_mapping')).to.deep.include({ standard: {}, measures: {} });
  });

  row(25, 'list_plan_templates gives the templates', async () => {
    expect((await call('list_plan_templates')).templates).to.have.length.of.at.least(8);
  });

  row(26, 'get_field_options gives the values of a select field', async () => {
    const { options } = await call('get_field_options', { slug: 'dealStage' });
    expect(options.map((option: Json) => option.value)).to.deep.equal(['Won']);
  });

  row(41, 'simulate_commissions gives total and trace and writes nothing', async () => {
    const { world } = given();
    const history = await world.historyLength();
    const [ae] = await world.get('/v1/plans?status=active');
    const answer = await call('simulate_commissions', { planId: ae.planId, period: '2026-Q1', repId: world.ids.ben });
    expect(answer.total).to.equal(16_500);
    expect(await world.historyLength()).to.equal(history);
  });

  row(42, 'recalculate_commissions runs a job', async () => {
    const answer = await call('recalculate_commissions', { repId: given().world.ids.ben });
    expect(answer.status).to.be.oneOf(['running', 'completed']);
    expect(answer.scope).to.equal('rep');
    ({ jobId } = answer);
    expect(await given().world.jobEnd(jobId)).to.include({ status: 'completed' });
  });

  row(43, 'get_recalculation_job gives status and result', async () => {
    const job = await call('get_recalculation_job', { jobId });
    expect(job).to.include({ jobId, status: 'completed', scope: 'rep' });
    expect(job.result).to.include({ count: 3, eventsWritten: 0 });
  });

  row(44, 'get_commissions gives overview, dashboard and breakdown as the API does', async () => {
    const { world } = given();
    expect((await call('get_commissions', { dealId: 'D2' })).total).to.equal(7200);
    const dashboard = await call('get_commissions', { repId: world.ids.ben, period: '2026-Q1' });
    expect(dashboard.earnings).to.include({ total: 16_500 });
    expect((await call('get_commissions', { period: '2026-Q1' })).totals).to.include({ total: 16_500 });
  });

  row(45, 'list_audit_logs gives the runs of the engine', async () => {
    const { runs } = await call('list_audit_logs', { actor: 'orchestrator' });
    expect(runs.length).to.be.at.least(1);
    expect(runs[0]).to.include.keys('actor', 'outcome', 'counters');
  });
}
