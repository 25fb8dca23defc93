import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule, flatTier } from '#test/support/terms.js';
import { done, FetchClient, sdkClient, seededWorkspace } from './mcp-fixture.js';

const config = {
  rules: [{ name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }],
};

describe('instructions, resources and prompts for agents', () => {
  const service = Service.duringSuite();
  let seeded: Awaited<ReturnType<typeof seededWorkspace>>;
  let connected: Awaited<ReturnType<typeof sdkClient>>;
  let planId: string;

  before(async () => {
    seeded = await seededWorkspace(service);
    connected = await sdkClient(service.url, seeded.apiKey);
    ({ planId } = await done(connected.agent, 'create_plan', { name: 'Account executive', config }));
    await done(connected.agent, 'create_assignments', { repIds: [seeded.ben], planId });
    await service.waitForCalculations(seeded.workspaceId);
  });

  after(() => connected.client.close());

  async function read(uri: string): Promise<string> {
    const { contents } = await connected.client.readResource({ uri });
    return (contents[0] as { text: string }).text;
  }

  const agentAs = async (kind: 'sess' | 'conn', repId: string | null) =>
    new FetchClient(service.url, await service.token(seeded.workspaceId, kind, repId));

  it('the instructions of the server are a few sentences', () => {
    const instructions = connected.client.getInstructions() ?? '';
    for (const word of ['currency of the workspace', 'Always simulate', 'Approved statements block'])
      expect(instructions).to.include(word);
  });

  it('the instructions say who calls, with which role, in which currency, and which day it is', async () => {
    const instructions = connected.client.getInstructions() ?? '';
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC' }).format(new Date());
    expect(instructions).to.match(/You act for ".+", role admin, in the workspace ".+"\. Its currency is USD/);
    expect(instructions).to.include(`there it is ${today} today`);
    const { client } = await sdkClient(service.url, await service.token(seeded.workspaceId, 'sess', seeded.ben));
    expect(client.getInstructions()).to.include(`(repId ${seeded.ben}), role rep`);
    await client.close();
  });

  it('every caller can read the guide and the schema of a plan config', async () => {
    const { resources } = await connected.client.listResources();
    expect(resources.map(({ uri }) => uri)).to.deep.equal([
      'commission://guide/concepts',
      'commission://schema/plan-config',
    ]);
    expect(await read('commission://guide/concepts')).to.include('# How commission is calculated');
    const schema = JSON.parse(await read('commission://schema/plan-config'));
    expect(schema.properties.rules.items.required).to.deep.equal(['name', 'tiers']);
  });

  it('plans and statements are read as over REST', async () => {
    const { api, ben } = seeded;
    for (const [uri, address] of [
      [`commission://plans/${planId}`, `/v1/plans/${planId}`],
      [`commission://reps/${ben}/statements/2026-Q1`, `/v1/statements?repId=${ben}&period=2026-Q1`],
      ['commission://statements/2026-Q1', '/v1/statements?period=2026-Q1'],
    ] as const)
      expect(JSON.parse(await read(uri))).to.deep.equal((await api.get(address)).body);
  });

  it('resource templates are listed and read by role', async () => {
    const { resourceTemplates } = await connected.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).to.deep.equal([
      'commission://plans/{planId}',
      'commission://reps/{repId}/statements/{period}',
      'commission://statements/{period}',
    ]);
    const rep = await agentAs('sess', seeded.ben);
    expect((await rep.rpc('resources/templates/list')).result.resourceTemplates).to.have.length(2);
    const team = await rep.rpc('resources/read', { uri: 'commission://statements/2026-Q1' });
    expect(team.error).to.deep.include({ code: -32000 });
    expect(team.error.data).to.include({ statusCode: 403, code: 'forbidden' });
    const widget = await agentAs('conn', null);
    const { resourceTemplates: forWidgets } = (await widget.rpc('resources/templates/list')).result;
    expect(forWidgets.map(({ name }: { name: string }) => name)).to.deep.equal(['plan']);
  });

  it('an unknown URI is not found', async () => {
    const agent = new FetchClient(service.url, seeded.apiKey);
    for (const uri of [
      'commission://plans/nope',
      'commission://plans/%E0%A4%A',
      'commission://nothing',
      'file:///etc/passwd',
    ])
      expect((await agent.rpc('resources/read', { uri })).error.code, uri).to.equal(-32002);
    const { error } = await agent.rpc('resources/read', { uri: 'commission://statements/soon' });
    expect(error.data).to.include({ statusCode: 400, code: 'VALIDATION_FAILED' });
  });

  it('values complete by id and by name for callers who may see them', async () => {
    const complete = async (name: string, value: string) =>
      (
        await connected.client.complete({
          ref: { type: 'ref/resource', uri: 'commission://plans/{planId}' },
          argument: { name, value },
        })
      ).completion.values;
    expect(await complete('planId', planId.slice(0, 6))).to.deep.equal([planId]);
    expect(await complete('planId', 'account')).to.deep.equal([planId]);
    expect(await complete('planId', 'zzz')).to.deep.equal([]);
    // No id contains an n.
    expect(await complete('repId', 'Ben')).to.deep.equal([seeded.ben]);
    expect(await complete('period', '2026')).to.deep.equal(['2026-Q1']);
    expect(await complete('unheard', '')).to.deep.equal([]);
    const rep = await agentAs('sess', seeded.ben);
    const ref = { type: 'ref/resource', uri: 'commission://reps/{repId}/statements/{period}' };
    const { result } = await rep.rpc('completion/complete', { ref, argument: { name: 'repId', value: '' } });
    expect(result.completion.values).to.deep.equal([seeded.ben]);
  });

  it('four prompts use their arguments and name existing tools', async () => {
    const { prompts } = await connected.client.listPrompts();
    expect(prompts.map(({ name }) => name)).to.deep.equal([
      'design_plan',
      'explain_commission',
      'close_period',
      'compare_plan_versions',
    ]);
    const tools = (await connected.agent.tools()).map(({ name }) => name);
    for (const { name, arguments: parameters = [] } of prompts) {
      const given = Object.fromEntries(parameters.map((argument) => [argument.name, `<${argument.name}>`]));
      const { messages } = await connected.client.getPrompt({ name, arguments: given });
      const content = messages[0]?.content;
      const text = content?.type === 'text' ? content.text : '';
      for (const value of Object.values(given)) expect(text, name).to.include(value);
      const named = text.match(/\b(?:get|list|set|create|update|delete|simulate|recalculate)_[a-z_]+\b/g) ?? [];
      expect(named.filter((one) => !tools.includes(one))).to.deep.equal([]);
    }
  });

  it('close_period names no tool that changes anything', async () => {
    const { messages } = await connected.client.getPrompt({ name: 'close_period', arguments: { period: '2026-01' } });
    const [message] = messages;
    const text = message?.content.type === 'text' ? message.content.text : '';
    const changing = (await connected.agent.tools()).filter((tool) => !tool.annotations.readOnlyHint);
    expect(changing.map(({ name }) => name).filter((name) => text.includes(name))).to.deep.equal([]);
    expect(text).to.include('recalculate nothing');
  });

  it('a missing quota has the effect that the guide describes', async () => {
    const guide = await read('commission://guide/concepts');
    expect(guide).to.match(/Without a quota[^.]*attainment is 0\s+and no tier is reached: the rule pays nothing/);
    const { api, ben, workspaceId } = seeded;
    const tiers = [...flatTier(0.1), { tierIndex: 1, minThreshold: 1, rate: 0.2 }];
    const rules = [flatRule('Flat rate', 0.1), { name: 'Tiers', measure: 'amount', tiers }];
    const trial = await api.createPlan({ name: 'Without quota', config: { rules } }, [ben]);
    await service.waitForCalculations(workspaceId);
    const { events } = await done(connected.agent, 'get_commissions', { dealId: 'D-1' });
    const paid = Object.fromEntries(
      events
        .filter((event: { planId: string }) => event.planId === trial.planId)
        .map((event: { ruleName: string; amount: number; tierName: string | null }) => [event.ruleName, event.amount]),
    );
    expect(paid).to.deep.equal({ 'Flat rate': 9000, Tiers: 0 });
  });

  it('unknown prompts and missing arguments are rejected; a rep gets only the prompts for reps', async () => {
    const agent = new FetchClient(service.url, seeded.apiKey);
    expect((await agent.rpc('prompts/get', { name: 'close_period' })).error.message).to.include('period');
    expect((await agent.rpc('prompts/get', { name: 'nope' })).error.code).to.equal(-32602);
    const rep = await agentAs('sess', seeded.ben);
    expect((await rep.rpc('prompts/list')).result.prompts.map((one: { name: string }) => one.name)).to.deep.equal([
      'explain_commission',
      'compare_plan_versions',
    ]);
  });

  it('a truncated statement resource states its number of lines', async () => {
    const { apiKey, api } = await service.workspace();
    const [id] = await api.saveReps('Ben');
    await api.createPlan({ name: 'AE', config }, [id]);
    const deals = Array.from({ length: 200 }, (_, index) => ({
      dealId: `D-${index}`,
      amount: 1000,
      stage: 'Won',
      closeDate: '2026-02-10',
      ownerId: 'ben',
    }));
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    const uri = `commission://reps/${id}/statements/2026-02`;
    const { result } = await new FetchClient(service.url, apiKey).rpc('resources/read', { uri });
    const { text } = result.contents[0];
    const statement = JSON.parse(text);
    expect(Buffer.byteLength(text)).to.be.at.most(64 * 1024);
    expect(statement.lineItems.length).to.be.lessThan(200);
    expect(statement.note).to.equal(
      `Shows ${statement.lineItems.length} of 200 lineItems: the whole list is too large for one resource.`,
    );
    expect(statement.summary.netPayout).to.equal(20_000);
  });
});
