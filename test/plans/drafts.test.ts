import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

const config = (name: string) => ({
  rules: [{ name, measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }],
});

describe('drafts of plans', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let rep: ApiClient;
  /** By the state of what the rep is on: the ids of a plan and of the version with the rule `Secret`. */
  const drafts = new Map<string, { readonly planId: string; readonly planVersionId: string }>();
  let future: { readonly planId: string; readonly planVersionId: string };

  before(async () => {
    const { workspaceId, api: key } = await service.workspace();
    api = key;
    const [ben, mia] = await api.saveReps('Ben', { name: 'Mia', role: 'manager' });
    rep = await service.as(workspaceId, ben);
    const whole = await api.createPlan({ name: 'Whole', config: config('Secret'), status: 'draft' }, [ben]);
    drafts.set('a plan', whole);
    const named = async (name: string) => {
      const { planId } = await api.createPlan({ name, config: config('Present') }, [ben]);
      const change = { config: config('Secret'), status: 'draft' };
      return (await api.expect(200, 'PATCH', `/v1/plans/${planId}`, change)) as typeof future;
    };
    drafts.set('a version', await named('Version'));
    const archived = await named('Archived');
    await api.expect(200, 'PATCH', `/v1/plans/${archived.planId}/status`, { status: 'archived' });
    drafts.set('a version of an archived plan', archived);
    const { planId } = await api.createPlan({ name: 'Later', config: config('Present') }, [ben]);
    const later = { config: config('Later'), effectiveStart: '2099-01-01' };
    future = await api.expect(200, 'PATCH', `/v1/plans/${planId}`, later);
    // The manager sees them, so the rep does not for no other reason.
    const manager = await service.as(workspaceId, mia);
    for (const { planVersionId } of drafts.values()) await manager.expect(200, 'GET', `/v1/plans/${planVersionId}`);
  });

  it('are not visible in a widget', async () => {
    const { token } = await api.expect(201, 'POST', '/v1/workspaces/connection-tokens', {});
    const widget = service.client(token);
    for (const { planId, planVersionId } of drafts.values()) {
      for (const path of [planVersionId, `${planVersionId}/history`])
        expect((await widget.get(`/v1/plans/${path}`)).status, path).to.equal(404);
      for (const path of [planId, `${planId}/history`])
        expect(JSON.stringify((await widget.get(`/v1/plans/${path}`)).body), path).not.to.contain('Secret');
    }
    const listed = JSON.stringify(await widget.expect(200, 'GET', '/v1/plans?versions=all'));
    expect(listed).to.contain('Present').and.not.to.contain('Secret');
  });

  const tool = async (name: string, given: object) => {
    const { result } = (await rep.mcp('tools/call', { name, arguments: given })).body;
    return result;
  };

  for (const state of ['a plan', 'a version', 'a version of an archived plan'])
    it(`are not visible to a rep who is on the plan: ${state}`, async () => {
      const { planId, planVersionId } = drafts.get(state) ?? expect.fail(state);
      for (const path of [planVersionId, `${planVersionId}/history`, `${planVersionId}/overrides`])
        expect((await rep.get(`/v1/plans/${path}`)).status, path).to.equal(404);
      for (const path of [planId, `${planId}/history`])
        expect(JSON.stringify((await rep.get(`/v1/plans/${path}`)).body)).not.to.contain('Secret');
      expect((await tool('get_plan', { planId: planVersionId, detail: 'full' })).isError).to.equal(true);
      const uri = `commission://plans/${planVersionId}`;
      expect((await rep.mcp('resources/read', { uri })).body).to.have.property('error');
      const simulation = { planVersionId, period: '2026-01' };
      expect((await rep.post('/v1/commissions/simulate', simulation)).body.code).to.equal('plan_not_found');
    });

  it('are in no list of a rep', async () => {
    for (const query of ['', '?status=draft', '?versions=all', '?status=archived&versions=all'])
      expect(JSON.stringify((await rep.get(`/v1/plans${query}`)).body), query).not.to.contain('Secret');
    expect(JSON.stringify(await rep.expect(200, 'GET', '/v1/workspaces'))).not.to.contain('Secret');
    expect(JSON.stringify(await tool('list_plans', { detail: 'full' }))).not.to.contain('Secret');
    expect(JSON.stringify(await api.expect(200, 'GET', '/v1/plans?versions=all'))).to.contain('Secret');
  });

  it('are visible to a rep when they are activated, also before their first day', async () => {
    const shown = await rep.expect(200, 'GET', `/v1/plans/${future.planVersionId}`);
    expect(shown.config.rules[0].name).to.equal('Later');
    const { planVersionId } = drafts.get('a version') ?? expect.fail();
    await api.expect(200, 'PATCH', `/v1/plans/${planVersionId}/status`, { status: 'active' });
    expect((await rep.expect(200, 'GET', `/v1/plans/${planVersionId}`)).config.rules[0].name).to.equal('Secret');
  });
});
