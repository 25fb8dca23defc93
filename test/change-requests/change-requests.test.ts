import 'reflect-metadata';
import { expect } from 'chai';
import { ClientProgram, startOAuthService } from '#test/agent-access/oauth-fixture.js';
import { FetchClient, seededWorkspace } from '#test/mcp/mcp-fixture.js';
import { duringSuite } from '#test/support/during-suite.js';
import { query } from '#test/support/ledger-checks.js';
import { type ApiClient } from '#test/support/test-service.js';
import { sessionOf } from '#test/support/tokens.js';

const plan = {
  name: 'AE',
  config: { rules: [{ name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }] },
};

describe('changes by agents', () => {
  const service = duringSuite(() => startOAuthService());
  let seeded: Awaited<ReturnType<typeof seededWorkspace>>;
  let ada: ApiClient;
  let mia: ApiClient;
  let agent: FetchClient;

  beforeEach(async () => {
    seeded = await seededWorkspace(service);
    ada = await sessionOf(service, seeded.workspaceId, seeded.ada);
    mia = await sessionOf(service, seeded.workspaceId, seeded.mia);
    agent = await connect(ada);
  });

  async function connect(person: ApiClient): Promise<FetchClient> {
    const program = await ClientProgram.register(service.url);
    return new FetchClient(service.url, (await program.connect(person)).access_token);
  }

  const plans = async () =>
    (await seeded.api.expect(200, 'GET', '/v1/plans')).map(({ name }: { name: string }) => name);
  const listed = async (person: ApiClient) => (await person.expect(200, 'GET', '/v1/change-requests')).changeRequests;
  const decide = (person: ApiClient, id: string, decision: string, reason?: string) =>
    person.post(`/v1/change-requests/${id}/decide`, { decision, ...(reason === undefined ? {} : { reason }) });

  async function requested(): Promise<string> {
    const { isError, structuredContent } = await agent.call('create_plan', plan);
    expect(isError).to.equal(undefined);
    expect(structuredContent).to.include({ statusCode: 202, code: 'approval_required' });
    return structuredContent.details.changeRequestId;
  }

  it('of a connected agent wait for a person, and change nothing before', async () => {
    const id = await requested();
    expect(await plans()).to.deep.equal([]);
    const [waiting] = await listed(ada);
    expect(waiting).to.deep.include({ id, tool: 'create_plan', status: 'pending', repId: seeded.ada });
    expect(waiting.arguments).to.deep.include({ name: 'AE' });
  });

  it('run when a person approves them, with the rights of who requested them, and the agent reads the outcome', async () => {
    const id = await requested();
    const { status, body } = await decide(ada, id, 'approve');
    expect(`${status} ${body.status}`).to.equal('200 done');
    expect(await plans()).to.deep.equal(['AE']);
    const { structuredContent } = await agent.call('list_change_requests', {});
    expect(structuredContent.changeRequests[0]).to.deep.include({ id, status: 'done' });
    expect(structuredContent.changeRequests[0].outcome).to.include({ name: 'AE' });
    const entries = await query<{ actor: string }>(
      service.database.ownerUrl,
      `select head->>'actor' as actor from audit_entries where head->>'operation' = 'createPlan' and workspace_id = $1`,
      [seeded.workspaceId],
    ).catch(() => []);
    for (const { actor } of entries)
      expect(actor).to.equal(`mcp:rep:${seeded.ada} via Agent, approved by rep:${seeded.ada}`);
  });

  it('that are rejected never run, and the agent reads the reason', async () => {
    const id = await requested();
    expect((await decide(ada, id, 'reject', 'Next quarter')).body.status).to.equal('rejected');
    expect(await plans()).to.deep.equal([]);
    const { structuredContent } = await agent.call('list_change_requests', { status: 'rejected' });
    expect(structuredContent.changeRequests[0]).to.include({ id, reason: 'Next quarter' });
  });

  it('are decided once, also by two people at the same time', async () => {
    const id = await requested();
    const answers = await Promise.all(Array.from({ length: 5 }, () => decide(ada, id, 'approve')));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409, 409]);
    expect(await plans()).to.deep.equal(['AE']);
    expect((await decide(ada, id, 'reject')).body.code).to.equal('already_decided');
  });

  it('are not visible to other people, and keys decide nothing', async () => {
    const id = await requested();
    expect(await listed(mia)).to.deep.equal([]);
    expect((await decide(mia, id, 'approve')).status).to.equal(404);
    expect((await decide(seeded.api, id, 'approve')).body.code).to.equal('no_person');
  });

  it('are rejected at once when an argument is missing', async () => {
    const { isError, structuredContent } = await agent.call('create_plan', { name: 'x' });
    expect(isError).to.equal(true);
    expect(structuredContent.code).to.equal('VALIDATION_FAILED');
    expect(await listed(ada)).to.deep.equal([]);
  });

  it('fail when the person has lost the role that they had', async () => {
    const id = await requested();
    const { reps } = await seeded.api.expect(200, 'PUT', '/v1/reps', {
      reps: [{ email: 'zoe@acme.test', name: 'Zoe', role: 'admin' }],
    });
    const zoe = await sessionOf(service, seeded.workspaceId, reps[0].id);
    await zoe.expect(200, 'PATCH', `/v1/reps/${seeded.ada}`, { role: 'rep' });
    expect((await decide(zoe, id, 'approve')).body).to.deep.include({ status: 'failed' });
    expect(await plans()).to.deep.equal([]);
  });

  it('that fail have the error as their outcome', async () => {
    const id = await requested();
    await seeded.api.createPlan(plan);
    const { body } = await decide(ada, id, 'approve');
    expect(body.status).to.equal('failed');
    expect(body.outcome).to.include({ code: 'plan_name_taken' });
  });

  it('expire after seven days', async () => {
    const id = await requested();
    await query(service.database.ownerUrl, 'update change_requests set expires_at = now()');
    expect((await listed(ada))[0].status).to.equal('expired');
    expect((await decide(ada, id, 'approve')).body.code).to.equal('already_decided');
  });

  it('by keys run at once, and follow the setting of the workspace', async () => {
    const byKey = new FetchClient(service.url, seeded.apiKey);
    expect((await byKey.call('create_plan', plan)).structuredContent).to.include({ name: 'AE' });
    await seeded.api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'confirm' });
    expect((await byKey.call('create_plan', { ...plan, name: 'B' })).structuredContent.code).to.equal(
      'approval_required',
    );
    await seeded.api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'deny' });
    for (const caller of [byKey, agent])
      expect((await caller.call('create_plan', { ...plan, name: 'C' })).structuredContent.code).to.equal('forbidden');
    await seeded.api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'allow' });
    expect((await agent.call('create_plan', { ...plan, name: 'D' })).structuredContent).to.include({ name: 'D' });
    expect((await plans()).sort()).to.deep.equal(['AE', 'D']);
  });
});
