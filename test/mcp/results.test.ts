import { expect } from 'chai';
import { spy, stub } from 'sinon';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { type Agent, done, FetchClient, rejected, sdkClient, seededWorkspace, toolCall } from './mcp-fixture.js';

const maxBytes = 64 * 1024;
const flatRule = { name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] };

describe('results of tools', () => {
  const service = Service.duringSuite();
  let seeded: Awaited<ReturnType<typeof seededWorkspace>>;
  let agent: Agent;

  before(async () => {
    seeded = await seededWorkspace(service);
    agent = (await sdkClient(service.url, seeded.apiKey)).agent;
    await agent.tools();
  });

  after(() => agent.close());

  it('contain a summary line, then the structured content as JSON', async () => {
    const { content, structuredContent } = await agent.call('get_workspace');
    const [line, json] = content[0].text.split(/\n(?=\{)/);
    expect(line).to.match(/^You act as admin\. Amounts are in USD/);
    expect(JSON.parse(json)).to.deep.equal(structuredContent);
  });

  it('name every invalid argument and what is valid', async () => {
    const given = { repIds: ['x'], period: 'Q1', target: -5, foo: 1 };
    const { content, structuredContent } = await agent.call('set_quota', given);
    expect(structuredContent).to.include({ statusCode: 400, code: 'VALIDATION_FAILED' });
    expect(structuredContent.details.issues.map((issue: { path: string }) => issue.path)).to.deep.equal([
      'repIds.0',
      'period',
      'target',
      'foo',
    ]);
    expect(content[0].text).to.include('- period: must be a period: 2026-03, 2026-Q1, 2026-H1 or 2026');
    for (const [name, wrong, path] of [
      ['get_plan', {}, 'planId'],
      ['get_plan', { planId: 'x', verbose: true }, 'verbose'],
      ['list_plans', { limit: 0 }, 'limit'],
      ['list_plans', { status: 'gone' }, 'status'],
      ['list_deals', { detail: 'all' }, 'detail'],
      ['recalculate_commissions', { async: false }, 'async'],
      ['create_plan', { name: 'x', config: { rules: [{ ...flatRule, tiers: [] }] } }, 'config.rules.0.tiers'],
      ['create_plan', { name: 'x\u0000', config: {} }, 'name'],
    ] as const) {
      const { code, message } = await rejected(agent, name, wrong);
      expect(code).to.equal('VALIDATION_FAILED');
      expect(message.split(':')[0], message).to.equal(path);
    }
  });

  it('contain the error body of REST and a hint', async () => {
    const given = { planId: '3f0b2a44-0000-4000-8000-000000000000' };
    const { body } = await seeded.api.get(`/v1/plans/${given.planId}`);
    const { content, structuredContent, isError } = await agent.call('get_plan', given);
    expect(isError).to.equal(true);
    expect(structuredContent).to.deep.equal(body);
    expect(content[0].text).to.include('list_plans lists the plans');
  });

  it('are short for an error with thousands of issues', async () => {
    const repIds = Array.from({ length: 4000 }, () => crypto.randomUUID());
    const { planId } = await done(agent, 'create_plan', { name: 'Without reps', config: { rules: [flatRule] } });
    const { content, structuredContent } = await agent.call('create_assignments', { repIds, planId });
    expect(structuredContent).to.include({ statusCode: 404, code: 'rep_not_found' });
    expect(content[0].text.length).to.be.lessThan(1000);
  });

  it('reports an unexpected error only with the id of the request', async () => {
    const { apiKey } = await service.workspace();
    const client = new FetchClient(service.url, apiKey);
    const failing = stub(service.running.service.dispatcher, 'run');
    failing.rejects(new Error('password of the database is hunter2'));
    try {
      const { messages } = await client.post(toolCall('list_plans'), { 'X-Request-Id': 'request-of-test' });
      const { result } = messages[0];
      expect(result.isError).to.equal(true);
      expect(result.structuredContent).to.deep.equal({
        statusCode: 500,
        code: 'internal_error',
        message: 'An unexpected error occurred in the service.',
        docs: '/docs/errors#internal_error',
        details: { requestId: 'request-of-test' },
      });
      const read = await client.rpc('resources/read', { uri: 'commission://statements/2026-Q1' });
      expect(read.error.code).to.equal(-32603);
      const ref = { type: 'ref/resource', uri: 'commission://plans/{planId}' };
      const values = await client.rpc('completion/complete', { ref, argument: { name: 'planId', value: '' } });
      expect(values.error.code).to.equal(-32603);
      expect(JSON.stringify([messages, read, values])).to.not.include('hunter2');
    } finally {
      failing.restore();
    }
  });

  it('say what was paid in each currency: by a deal, to a person and to the team, now and at an earlier instant', async () => {
    const workspace = await service.workspace({ currency: 'USD' });
    const { apiKey, api } = workspace;
    const [ann, eve] = await api.saveReps('Ann', 'Eve');
    const config = { rules: [flatRule] };
    await api.expect(200, 'PUT', '/v1/fx-rates', { rates: [{ from: 'EUR', to: 'USD', day: '2026-01-01', rate: 1.2 }] });
    await api.createPlan({ name: 'Converted', config, fx: { date: 'close_date' } }, [ann]);
    await api.createPlan({ name: 'Euros', config, currency: 'EUR' }, [eve]);
    const deal = { amount: 40_000, currency: 'EUR', closeDate: '2026-01-20', stage: 'Won' };
    await api.putDeal('of-ann', { ...deal, ownerId: 'ann' });
    await api.putDeal('of-eve', { ...deal, ownerId: 'eve' });
    await workspace.calculated();
    const asOf = new Date().toISOString();
    const own = (await sdkClient(service.url, apiKey)).agent;
    const saysOf = async (given: object) => (await own.call('get_commissions', given)).content[0].text.split('\n')[0];
    const ofPeriod = { period: '2026-01' };
    for (const at of [{}, { asOf }]) {
      const pays = 'asOf' in at ? 'paid' : 'pays';
      expect(await saysOf({ dealId: 'of-ann', ...at })).to.include(`The deal ${pays} 4800 USD in total`);
      expect(await saysOf({ dealId: 'of-eve', ...at })).to.include(`The deal ${pays} 4000 EUR in total`);
      expect(await saysOf({ repId: eve, ...ofPeriod, ...at })).to.include('The rep earned 4000 EUR in 2026-01');
      expect(await saysOf({ ...ofPeriod, ...at })).to.include('The team earned 4800 USD and 4000 EUR in 2026-01');
    }
    const { content } = await own.call('get_forecast', ofPeriod);
    expect(content[0].text).to.match(
      /^Expected for 2026-01: 4800 USD, of which 4800 if no open deal is won; 4000 EUR, of which 4000 if/,
    );
    await own.close();
  });

  it('require a confirmation before a plan is removed', async () => {
    const config = { rules: [flatRule] };
    const { planId } = await done(agent, 'create_plan', { name: 'By mistake', config });
    for (const given of [{ planId }, { planId, confirm: false }, { planId, confirm: 'true' }]) {
      const { code, message } = await rejected(agent, 'delete_plan', given);
      expect(code).to.equal('VALIDATION_FAILED');
      expect(message).to.match(/^confirm: must be true/);
    }
    expect((await done(agent, 'get_plan', { planId })).planId).to.equal(planId);
    expect(await done(agent, 'delete_plan', { planId, confirm: true })).to.deep.equal({ deleted: true, planId });
    expect((await rejected(agent, 'get_plan', { planId })).code).to.equal('plan_not_found');
  });

  it('a recalculation without progress returns at once with the poll interval', async () => {
    const { structuredContent } = await agent.call('recalculate_commissions', { repId: seeded.ben });
    expect(structuredContent).to.deep.include({ async: true, status: 'running', scope: 'rep', pollAfterSeconds: 2 });
  });

  describe('from large data', () => {
    let many: Agent;
    let api: ApiClient;

    before(async () => {
      const { apiKey, api: ownApi } = await service.workspace({ name: 'Many' });
      api = ownApi;
      const reps = Array.from({ length: 130 }, (_, index) => ({
        email: `rep${index}@acme.test`,
        name: `Rep ${index}`,
      }));
      await api.saveReps(...reps, { email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben' });
      const long = 'x'.repeat(3000);
      const deals = Array.from({ length: 250 }, (_, index) => ({
        dealId: `D-${index}`,
        amount: 1000,
        stage: 'Won',
        closeDate: '2026-02-10',
        ownerId: 'ben',
        name: `Deal\u202e ${index}\u009b`,
        fields: { note: long },
      }));
      const imported = await api.expect(200, 'POST', '/v1/deals/import', { deals });
      expect(imported.rejected).to.deep.equal([]);
      many = (await sdkClient(service.url, apiKey)).agent;
      await many.tools();
    });

    after(() => many.close());

    it('come in pages of 50 that contain every item once', async () => {
      const seen: string[] = [];
      let offset: number | null = 0;
      const sizes: number[] = [];
      while (offset !== null) {
        const page = await done(many, 'list_reps', { offset });
        expect(page.total).to.equal(131);
        sizes.push(page.reps.length);
        seen.push(...page.reps.map((rep: { id: string }) => rep.id));
        offset = page.nextOffset;
      }
      expect(sizes).to.deep.equal([50, 50, 31]);
      expect(new Set(seen).size).to.equal(131);
    });

    it('state the position of the page in the list', async () => {
      const { content, structuredContent } = await many.call('list_reps', { limit: 3, offset: 4 });
      expect(content[0].text).to.include('This page shows reps 5 to 7 of 131. Call again with offset 7 for more.');
      expect(structuredContent).to.include({ total: 131, nextOffset: 7 });
      const behind = await many.call('list_reps', { offset: 500 });
      expect(behind.structuredContent).to.deep.equal({ reps: [], total: 131, nextOffset: null });
    });

    it('read no more from the database than the page, and know the number on all pages', async () => {
      const { reps } = await done(many, 'list_reps', { limit: 3 });
      const repIds = reps.map((rep: { id: string }) => rep.id);
      const { planId } = await done(many, 'create_plan', { name: 'Pages', config: { rules: [flatRule] } });
      await done(many, 'create_assignments', { repIds, planId });
      await done(many, 'set_quota', { repIds, planId, measure: 'amount', period: '2026-Q1', target: 5 });
      const run = spy(service.running.service.dispatcher, 'run');
      try {
        for (const [name, list, total] of [
          ['list_reps', 'reps', 131],
          ['list_assignments', 'assignments', 3],
          ['list_quotas', 'quotas', 3],
        ] as const) {
          run.resetHistory();
          const { content, structuredContent } = await many.call(name, { limit: 2, offset: 1 });
          expect(content[0].text.split('\n')[0]).to.match(new RegExp(` ${total}\\.$`));
          expect(structuredContent).to.include({ total, nextOffset: total === 3 ? null : 3 });
          expect(structuredContent[list]).to.have.length(2);
          const { body } = (await run.firstCall.returnValue) as { body: Record<string, unknown> & unknown[] };
          expect(Array.isArray(body) ? body : body[list], name).to.have.length(2);
        }
      } finally {
        run.restore();
      }
    });

    it('truncate a page that is too large with a note, and lose no item', async () => {
      const seen: string[] = [];
      for (let offset: number | null = 0; offset !== null; ) {
        const { content, structuredContent } = await many.call('list_deals', { detail: 'full', limit: 100, offset });
        expect(Buffer.byteLength(content[0].text)).to.be.at.most(maxBytes);
        if (offset === 0) expect(content[0].text).to.include('cut to fit');
        seen.push(...structuredContent.deals.map((deal: { deal_id: string }) => deal.deal_id));
        offset = structuredContent.nextOffset as number | null;
      }
      expect(new Set(seen).size).to.equal(250);
      expect(seen).to.have.length(250);
      const { deals } = await done(many, 'list_deals', { limit: 100 });
      expect(deals).to.have.length(100);
      expect(deals[0]).to.not.have.property('fields');
    });

    it('have only the fields of deals that the agent names', async () => {
      const { deals } = await done(many, 'list_deals', { detail: 'full', fields: 'note', limit: 2 });
      expect(deals.map((deal: { fields: object }) => Object.keys(deal.fields))).to.deep.equal([['note'], ['note']]);
      const none = await done(many, 'list_deals', { detail: 'full', fields: 'region', limit: 1 });
      expect(none.deals[0].fields).to.deep.equal({});
    });

    it('contain no invisible characters', async () => {
      const { content, structuredContent } = await many.call('list_deals', { limit: 1 });
      expect(structuredContent.deals[0].name).to.match(/^Deal \d+$/);
      expect(content[0].text).to.not.match(/[\u202e\u009b]/);
    });

    it('fall back to the summary with a note when the full result is too large', async () => {
      const { reps } = await done(many, 'list_reps', { email: 'ben@acme.test' });
      const given = { config: { rules: [flatRule] }, period: '2026-Q1', repId: reps[0].id };
      const { content, structuredContent } = await many.call('simulate_commissions', given);
      expect(content[0].text).to.include('this is the summary');
      expect(Buffer.byteLength(content[0].text)).to.be.at.most(maxBytes);
      expect(structuredContent.total).to.equal(25_000);
      expect(structuredContent.reps[0].rules[0]).to.deep.equal({ name: 'R', total: 25_000 });
    });

    it("a page of reps does not change the team's totals", async () => {
      const team = await done(many, 'get_commissions', { period: '2026-Q1', include: 'all', limit: 10 });
      const { body } = await api.get('/v1/commissions?period=2026-Q1&include=all');
      expect(team.totals).to.deep.equal(body.totals);
      expect(team.reps).to.deep.equal(body.reps.slice(0, 10));
      expect(team.page).to.deep.equal({ list: 'reps', total: 131, nextOffset: 10 });
    });
  });

  it('every result of every reading tool satisfies its schema for every caller', async () => {
    const { workspaceId, mia, ben } = seeded;
    for (const token of [
      await service.token(workspaceId, 'sess', mia),
      await service.token(workspaceId, 'sess', ben),
      await service.token(workspaceId, 'conn'),
    ]) {
      const { agent: one } = await sdkClient(service.url, token);
      const reads = (await one.tools()).filter((tool) => tool.annotations.readOnlyHint && !tool.inputSchema.required);
      expect(reads.length).to.be.at.least(5);
      for (const { name } of reads)
        for (const detail of [{}, { detail: 'full' }]) {
          const known = reads.find((tool) => tool.name === name)?.inputSchema.properties ?? {};
          await one.call(name, 'detail' in known ? detail : {});
        }
      await one.close();
    }
  });
});
