import { Service } from '#test/support/service.js';
import 'reflect-metadata';
import { expect } from 'chai';
import { sealAuditEntries } from '#src/audit/seal-audit-entries.js';
import { erasePerson } from '#src/reps/erase-person.js';
import { ClientProgram, forAgents } from '#test/agent-access/oauth-fixture.js';
import { FetchClient, seededWorkspace } from '#test/mcp/mcp-fixture.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';

const plan = {
  name: 'AE',
  config: { rules: [{ name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }] },
};

describe('changes by agents', () => {
  const service = Service.duringSuite(forAgents);
  let seeded: Awaited<ReturnType<typeof seededWorkspace>>;
  let ada: ApiClient;
  let mia: ApiClient;
  let agent: FetchClient;

  beforeEach(async () => {
    seeded = await seededWorkspace(service);
    ada = await service.as(seeded.workspaceId, seeded.ada);
    mia = await service.as(seeded.workspaceId, seeded.mia);
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
    await sealAuditEntries(service.running.service.unitOfWork);
    const { entries } = await ada.expect(200, 'GET', '/v1/audit?action=createPlan');
    expect(entries.map(({ actor }: { actor: string }) => actor)).to.deep.equal([
      `mcp:rep:${seeded.ada} via Agent, approved by rep:${seeded.ada}`,
    ]);
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
    await expectError('409 already_decided', decide(ada, id, 'reject'));
  });

  it('are not visible to other people, and keys decide nothing', async () => {
    const id = await requested();
    expect(await listed(mia)).to.deep.equal([]);
    expect((await decide(mia, id, 'approve')).status).to.equal(404);
    await expectError('409 no_person', decide(seeded.api, id, 'approve'));
  });

  it('are rejected at once when an argument is missing', async () => {
    const { isError, structuredContent } = await agent.call('create_plan', { name: 'x' });
    expect(isError).to.equal(true);
    expect(structuredContent.code).to.equal('VALIDATION_FAILED');
    expect(await listed(ada)).to.deep.equal([]);
  });

  it('fail when the person has lost the role that they had', async () => {
    const id = await requested();
    const [repId] = await seeded.api.saveReps({ name: 'Zoe', role: 'admin' });
    const zoe = await service.as(seeded.workspaceId, repId);
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
    await service.sql('update change_requests set expires_at = now()');
    expect((await listed(ada))[0].status).to.equal('expired');
    await expectError('409 already_decided', decide(ada, id, 'approve'));
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

  describe('of a plan', () => {
    let planId: string;
    const change = (rate: number) => ({
      planRef: planId,
      config: { rules: [{ name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate }] }] },
      effectiveStart: 'always',
    });

    beforeEach(async () => {
      ({ planId } = await seeded.api.createPlan(plan, [seeded.ben]));
      await service.waitForCalculations(seeded.workspaceId);
    });

    async function requestedChange(given: object): Promise<Record<string, unknown>> {
      const { structuredContent } = await agent.call('update_plan', given);
      const id = structuredContent.details?.changeRequestId;
      return (
        (await listed(ada)).find((one: { id: string }) => one.id === id) ??
        expect.fail(JSON.stringify(structuredContent))
      );
    }

    async function earned(): Promise<number> {
      const [row] = await service.sql<{ amount: string }>(
        `select sum(amount) as amount from commission_events where workspace_id = $1 and status = 'earned'`,
        seeded.workspaceId,
      );
      return Number(row?.amount);
    }

    it('have the effect in money by rep, which is what the approval moves', async () => {
      const { id, preview } = await requestedChange(change(0.2));
      expect(preview).to.deep.include({
        currency: 'USD',
        before: 12_000,
        after: 24_000,
        delta: 12_000,
        deals: 2,
        reps: 1,
      });
      expect((preview as { byRep: unknown }).byRep).to.deep.equal([
        { repId: seeded.ben, name: 'Ben', currency: 'USD', before: 12_000, after: 24_000, delta: 12_000 },
      ]);
      await decide(ada, id as string, 'approve');
      await service.waitForCalculations(seeded.workspaceId);
      expect(await earned()).to.equal(24_000);
    });

    it('of its status have a preview too', async () => {
      const { structuredContent } = await agent.call('set_plan_status', { planRef: planId, status: 'draft' });
      const id = structuredContent.details.changeRequestId;
      const found = (await listed(ada)).find((one: { id: string }) => one.id === id);
      expect(found.preview).to.include({ deals: 0, delta: 0 });
    });

    it('have a preview that is calculated again on request, until they are decided', async () => {
      const { id } = await requestedChange(change(0.2));
      await seeded.api.expect(200, 'PUT', '/v1/deals/D-2', {
        name: 'Birch',
        amount: 130_000,
        stage: 'Won',
        closeDate: '2026-02-10',
        ownerId: 'ben',
      });
      await service.waitForCalculations(seeded.workspaceId);
      const path = `/v1/change-requests/${id}/preview`;
      expect((await ada.expect(200, 'POST', path)).preview).to.deep.include({ before: 22_000, after: 44_000 });
      expect((await mia.post(path, {})).status).to.equal(404);
      const other = await requested();
      await expectError('409 no_preview', ada.post(`/v1/change-requests/${other}/preview`, {}));
      await decide(ada, id as string, 'reject');
      await expectError('409 already_decided', ada.post(path, {}));
    });

    it('that cannot be carried out are rejected at once', async () => {
      const unknown = { ...change(0.2), planRef: '00000000-0000-4000-8000-000000000000' };
      const { isError, structuredContent } = await agent.call('update_plan', unknown);
      expect([isError, structuredContent.code]).to.deep.equal([true, 'plan_not_found']);
      expect(await listed(ada)).to.deep.equal([]);
    });
  });

  describe('whose process ends', () => {
    const sweep = () => service.sql('select end_lost_change_requests()');
    const approvedBefore = (id: string, hasWritten: boolean, ago: string) =>
      service.sql(
        `update change_requests set status = 'running', decided_by = 'x', decided_at = now() - $3::interval,
          run_id = gen_random_uuid(), has_written = $2 where request_id = $1`,
        id,
        hasWritten,
        ago,
      );

    it('before the change was stored wait for a decision again, and run once', async () => {
      const id = await requested();
      await approvedBefore(id, false, '3 minutes');
      await sweep();
      expect((await listed(ada))[0]).to.include({ status: 'pending', decidedBy: null });
      expect((await decide(ada, id, 'approve')).body.status).to.equal('done');
      expect(await plans()).to.deep.equal(['AE']);
    });

    it('after the change was stored are done, without the response', async () => {
      const id = await requested();
      await approvedBefore(id, true, '3 minutes');
      await sweep();
      expect((await listed(ada))[0]).to.deep.include({ status: 'done', outcome: null });
    });

    it('are left alone while they may still run', async () => {
      const id = await requested();
      await approvedBefore(id, false, '1 minute');
      await sweep();
      expect((await listed(ada))[0]).to.include({ id, status: 'running' });
    });
  });

  it('are deleted after 90 days', async () => {
    const [old, recent] = [await requested(), await requested()];
    await service.sql(`update change_requests set created_at = now() - interval '91 days' where request_id = $1`, old);
    await service.sql('select delete_old_change_requests()');
    expect((await listed(ada)).map(({ id }: { id: string }) => id)).to.deep.equal([recent]);
  });

  it('that contain a person are deleted when the person is erased', async () => {
    await requested();
    await agent.call('set_people', { reps: [{ email: 'ben@acme.test', name: 'Benjamin' }] });
    expect(await listed(ada)).to.have.length(2);
    const { unitOfWork } = service.running.service;
    const who = { workspaceId: seeded.workspaceId, actor: 'test' };
    const { rows } = await unitOfWork.run(who, { lock: 'shared', access: 'write' }, (trx) =>
      erasePerson(trx, who, seeded.ben),
    );
    expect(rows['changeRequests']).to.equal(1);
    expect((await listed(ada)).map(({ tool }: { tool: string }) => tool)).to.deep.equal(['create_plan']);
  });
});
