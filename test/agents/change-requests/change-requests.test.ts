import { expect } from 'chai';
import { sealAuditEntries } from '#src/audit/seal-audit-entries.js';
import { erasePerson } from '#src/people/reps/erase-person.js';
import { ClientProgram, forAgents } from '#test/agents/access/oauth-fixture.js';
import { FetchClient, seededWorkspace } from '#test/mcp/mcp-fixture.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { openTransaction, untilBlocked } from '#test/support/open-transaction.js';
import { Service } from '#test/support/service.js';

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

  async function requested(name = plan.name): Promise<string> {
    const { isError, structuredContent } = await agent.call('create_plan', { ...plan, name });
    expect(isError).to.equal(undefined);
    expect(structuredContent).to.include({ statusCode: 202, code: 'approval_required' });
    const { approveUrl, changeRequestId } = structuredContent.details;
    expect(approveUrl.endsWith(`/agent-changes#${changeRequestId}`), approveUrl).to.equal(true);
    return changeRequestId;
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

  it('are rejected at once where an id does not exist, and dry runs are answered at once', async () => {
    const unknown = crypto.randomUUID();
    const { planId } = await seeded.api.createPlan(plan);
    for (const [tool, given, code] of [
      ['create_assignments', { repIds: [unknown], planId }, 'rep_not_found'],
      ['create_assignments', { repIds: [seeded.ben], planId: unknown }, 'plan_not_found'],
      ['delete_assignment', { assignmentId: unknown }, 'assignment_not_found'],
      ['set_quota', { repIds: [unknown], measure: 'R', period: '2026-Q1', target: 1 }, 'rep_not_found'],
      ['delete_quota', { quotaId: unknown }, 'quota_not_found'],
      ['delete_plan', { planId: unknown, confirm: true }, 'plan_not_found'],
      ['set_absence', { repId: unknown, from: '2026-01-01', to: '2026-01-02' }, 'rep_not_found'],
      ['put_refund', { dealId: 'nope', refundId: 'r', day: '2026-01-01', cause: 'refund' }, 'deal_not_found'],
      ['update_ramp', { rampId: unknown, name: 'x' }, 'ramp_not_found'],
      ['update_draw', { drawId: unknown, to: '2026-01-31' }, 'draw_not_found'],
      ['resolve_discrepancy', { discrepancyId: unknown, action: 'dismiss', reason: 'x' }, 'discrepancy_not_found'],
    ] as const) {
      const { isError, structuredContent } = await agent.call(tool, given);
      expect([isError, structuredContent.code], tool).to.deep.equal([true, code]);
    }
    const absence = { repId: seeded.ben, from: '2026-01-01', to: '2026-01-02', dryRun: true };
    expect((await agent.call('set_absence', absence)).structuredContent).to.include({ from: '2026-01-01' });
    expect(await listed(ada)).to.deep.equal([]);
  });

  it('are no recalculations, which only correct: these run at once', async () => {
    const { structuredContent } = await agent.call('recalculate_commissions', { repId: seeded.ada });
    expect(structuredContent.jobId).to.be.a('string');
    expect(await listed(ada)).to.deep.equal([]);
    await seeded.api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'deny' });
    expect((await agent.call('recalculate_commissions', { repId: seeded.ada })).structuredContent.code).to.equal(
      'forbidden',
    );
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

  it('that would fail are rejected at once: a plan whose name is taken', async () => {
    await seeded.api.createPlan(plan);
    expect((await agent.call('create_plan', plan)).structuredContent.code).to.equal('plan_name_taken');
    expect(await listed(ada)).to.deep.equal([]);
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
      const other = await requested('Other');
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

  describe('that are not what was shown any more', () => {
    let planId: string;
    let planVersionId: string;
    const config = (rate: number) => ({
      rules: [{ name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate }] }],
    });

    beforeEach(async () => {
      ({ planId, planVersionId } = await seeded.api.createPlan({ ...plan, config: config(0.0001), status: 'draft' }, [
        seeded.ben,
      ]));
      await service.waitForCalculations(seeded.workspaceId);
    });

    async function requestedOf(tool: string, given: object): Promise<string> {
      const { structuredContent } = await agent.call(tool, given);
      return structuredContent.details?.changeRequestId ?? expect.fail(JSON.stringify(structuredContent));
    }
    const activation = () => requestedOf('set_plan_status', { planRef: planId, status: 'active' });
    const found = async (id: string) => (await listed(ada)).find((one: { id: string }) => one.id === id);
    const isActive = async () => (await seeded.api.expect(200, 'GET', `/v1/plans/${planId}`)).planStatus === 'active';
    const deal = (amount: number, id = 'D-1') =>
      seeded.api.put(`/v1/deals/${id}`, { amount, stage: 'Won', closeDate: '2026-01-20', ownerId: 'ben' });

    it('do not run, and the next approval refers to the new preview', async () => {
      const [activate, change] = [
        await activation(),
        await requestedOf('update_plan', { planRef: planId, config: config(5), effectiveStart: 'unchanged' }),
      ];
      expect((await found(activate)).preview.delta).to.equal(12);
      expect((await found(change)).preview.delta).to.equal(0);
      expect((await decide(ada, change, 'approve')).body.status).to.equal('done');
      const { details } = await expectError('409 preview_outdated', decide(ada, activate, 'approve'));
      expect(details.changed).to.deep.equal(['subject', 'commission']);
      expect(details.preview.delta).to.equal(600_000);
      expect(await isActive()).to.equal(false);
      expect(await found(activate)).to.deep.include({
        status: 'pending',
        decidedBy: null,
        fingerprint: details.fingerprint,
      });
      const { preview, outdated } = await found(activate);
      expect(preview).to.deep.equal(details.preview);
      expect(outdated).to.deep.include({ changed: ['subject', 'commission'], before: { currency: 'USD', delta: 12 } });
      expect((await decide(ada, activate, 'approve')).body.status).to.equal('done');
      expect(await isActive()).to.equal(true);
    });

    it('do not run when the plan is changed while the approval waits for it', async () => {
      const id = await activation();
      const owner = service.database.ownerUrl;
      const change = await openTransaction(
        owner,
        `with own as (select set_config('app.all_workspaces', 'on', true) as set,
            pg_advisory_xact_lock(hashtextextended('workspace:' || $1::text, 0)))
         update plan_versions set status = 'archived' from own where workspace_id = $1::uuid and plan_version_id = $2`,
        seeded.workspaceId,
        planVersionId,
      );
      const approval = decide(ada, id, 'approve');
      await untilBlocked(owner, 'pg_advisory_xact_lock');
      await change.commit();
      await expectError('409 preview_outdated', approval);
      expect(await isActive()).to.equal(false);
      expect(await found(id)).to.include({ status: 'pending', decidedBy: null });
    });

    it('do not run when commission has changed, until a person has seen it', async () => {
      const id = await activation();
      await deal(80_000);
      await service.waitForCalculations(seeded.workspaceId);
      const { details } = await expectError('409 preview_outdated', decide(ada, id, 'approve'));
      expect(details.changed).to.deep.equal(['commission']);
      expect(details.preview.delta).to.equal(11);
      await deal(70_000);
      expect((await decide(ada, id, 'approve')).body.status).to.equal('done');
    });

    it('compare commission again some minutes after a person has seen it', async () => {
      const id = await activation();
      await ada.expect(200, 'POST', `/v1/change-requests/${id}/preview`);
      await service.sql(
        `update change_requests set preview = jsonb_set(preview, '{calculatedAt}', to_jsonb(now() - interval '6 minutes'))`,
      );
      await deal(70_000);
      await expectError('409 preview_outdated', decide(ada, id, 'approve'));
    });

    it('run when something else has changed', async () => {
      const id = await activation();
      await seeded.api.createPlan({ ...plan, name: 'Other' }, [seeded.mia]);
      await deal(10, 'of-nobody-on-the-plan');
      await seeded.api.put('/v1/deals/D-9', { amount: 5, closeDate: '2026-01-20', repId: seeded.mia });
      await seeded.api.delete('/v1/deals/of-nobody-on-the-plan');
      await service.waitForCalculations(seeded.workspaceId);
      expect((await decide(ada, id, 'approve')).body.status).to.equal('done');
    });

    it('do not run for a person who has read an earlier state', async () => {
      const id = await activation();
      const { fingerprint } = await found(id);
      await deal(80_000);
      const again = await ada.expect(200, 'POST', `/v1/change-requests/${id}/preview`);
      const approve = (read: string) =>
        ada.post(`/v1/change-requests/${id}/decide`, { decision: 'approve', fingerprint: read });
      const { details } = await expectError('409 preview_outdated', approve(fingerprint));
      expect(details).to.deep.include({ changed: [], fingerprint: again.fingerprint });
      expect((await approve(again.fingerprint)).body.status).to.equal('done');
    });

    describe('because a person has replaced meanwhile what they replace:', () => {
      let ruleId: string;

      beforeEach(async () => {
        const stored = await seeded.api.expect(200, 'GET', `/v1/plans/${planId}`);
        ruleId = stored.rules[0].id;
      });

      /** What the agent requests, and how a person stores the same thing: before, and while the request waits. */
      interface Replacing {
        readonly given: object;
        readonly byHand: readonly [method: 'POST' | 'PUT', path: string];
        readonly first: object;
        readonly other: object;
      }

      const overriding = (): Replacing => {
        const rules = (rate: number) => ({ rules: [{ ruleId, tiers: [{ tierIndex: 0, rate }] }] });
        const given = { planVersionId, repId: seeded.ben, ...rules(0.2) };
        const path = `/v1/plans/${planVersionId}/overrides/${seeded.ben}`;
        return { given, byHand: ['PUT', path], first: rules(0.3), other: rules(0.4) };
      };
      const replacing: Readonly<Record<string, () => Replacing>> = {
        set_quota: () => {
          const quota = (target: number) => ({ repIds: [seeded.ben], planRuleId: ruleId, period: '2026-Q1', target });
          return { given: quota(1), byHand: ['POST', '/v1/quotas'], first: quota(5), other: quota(120_000) };
        },
        set_plan_override: overriding,
        delete_plan_override: () => ({ ...overriding(), given: { planVersionId, repId: seeded.ben } }),
        set_absence: () => {
          const absence = (to: string) => ({ repId: seeded.ben, from: '2026-01-05', to });
          const [first, other] = [absence('2026-01-08'), absence('2026-01-09')];
          return { given: absence('2026-01-07'), byHand: ['POST', '/v1/absences'], first, other };
        },
        set_fx_rates: () => {
          const rates = (rate: number) => ({ rates: [{ from: 'EUR', to: 'USD', day: '2026-01-01', rate }] });
          return { given: rates(1.1), byHand: ['PUT', '/v1/fx-rates'], first: rates(1.2), other: rates(1.3) };
        },
        put_refund: () => {
          const refund = (amount: number) => ({ day: '2026-02-01', cause: 'refund', amount });
          const given = { dealId: 'D-1', refundId: 'r', ...refund(100) };
          return { given, byHand: ['PUT', '/v1/deals/D-1/refunds/r'], first: refund(200), other: refund(300) };
        },
        set_deal_credits: () => {
          const credits = (ofBen: number) => ({
            credits: [
              { repId: seeded.ben, percent: ofBen },
              { repId: seeded.mia, percent: 100 - ofBen },
            ],
          });
          const given = { dealId: 'D-1', ...credits(70) };
          return { given, byHand: ['PUT', '/v1/deals/D-1/credits'], first: credits(60), other: credits(50) };
        },
      };

      for (const [tool, terms] of Object.entries(replacing))
        it(tool, async () => {
          const { given, byHand, first, other } = terms();
          const store = async (body: object) =>
            expect((await seeded.api.send(...byHand, body)).status).to.be.below(300);
          await store(first);
          await service.waitForCalculations(seeded.workspaceId);
          const id = await requestedOf(tool, given);
          await store(other);
          const { details } = await expectError('409 preview_outdated', decide(ada, id, 'approve'));
          expect(details.changed).to.include('subject');
          expect((await decide(ada, id, 'approve')).body.status).to.equal('done');
        });

      it('not if they replace the quota of another rule', async () => {
        const two = { rules: [...config(0.1).rules, { ...config(0.1).rules[0], name: 'Other', measure: 'acv' }] };
        const { rules } = await seeded.api.createPlan({ ...plan, name: 'Two', config: two }, [seeded.ben]);
        const quota = (index: number) => ({
          repIds: [seeded.ben],
          planRuleId: rules[index].id,
          period: '2026-Q1',
          target: 5,
        });
        const id = await requestedOf('set_quota', quota(0));
        await seeded.api.expect(201, 'POST', '/v1/quotas', quota(1));
        expect((await decide(ada, id, 'approve')).body.status).to.equal('done');
      });
    });

    it('do not run without a preview either', async () => {
      const [{ assignmentId }] = await seeded.api.expect(200, 'GET', `/v1/assignments?repId=${seeded.ben}`);
      const id = await requestedOf('update_assignment', { assignmentId, effectiveEnd: '2026-06-30' });
      await seeded.api.expect(200, 'PATCH', `/v1/assignments/${assignmentId}`, { effectiveStart: '2026-01-01' });
      const { details } = await expectError('409 preview_outdated', decide(ada, id, 'approve'));
      expect(details).to.deep.include({ changed: ['subject'], preview: null });
      expect((await decide(ada, id, 'approve')).body.status).to.equal('done');
    });
  });

  describe('end', () => {
    async function expectEnd(id: string, endedBecause: string, approver = ada): Promise<void> {
      const { details } = await expectError('409 already_decided', decide(approver, id, 'approve'));
      expect(details).to.deep.equal({ status: 'ended', endedBecause });
      const shown = (await approver.expect(200, 'GET', '/v1/change-requests?status=ended')).changeRequests;
      expect(shown).to.have.length(1);
      expect(shown[0]).to.deep.include({ id, status: 'ended', endedBecause, decidedBy: null });
      expect(await plans()).to.deep.equal([]);
    }

    async function otherAdmin(): Promise<ApiClient> {
      const [repId] = await seeded.api.saveReps({ name: 'Zoe', role: 'admin' });
      return service.as(seeded.workspaceId, repId);
    }

    it('with the connection of their agent', async () => {
      const id = await requested();
      const [connected] = (await ada.expect(200, 'GET', '/v1/agents')).agents;
      await ada.expect(200, 'DELETE', `/v1/agents/${connected.id}`);
      await expectEnd(id, 'agent_disconnected');
    });

    it('with the role of the person, also when it is given back', async () => {
      const id = await requested();
      const zoe = await otherAdmin();
      for (const role of ['rep', 'admin']) await zoe.expect(200, 'PATCH', `/v1/reps/${seeded.ada}`, { role });
      await expectEnd(id, 'role_changed', zoe);
    });

    it('with the person', async () => {
      const id = await requested();
      const zoe = await otherAdmin();
      await zoe.expect(200, 'PATCH', `/v1/reps/${seeded.ada}`, { active: false });
      await expectEnd(id, 'person_deactivated', zoe);
    });

    it('with the connection while their change runs, if it is not stored', async () => {
      const id = await requested();
      await service.sql(
        `update change_requests set status = 'running', decided_by = 'x', run_id = gen_random_uuid(),
          decided_at = now() - interval '3 minutes'`,
      );
      await ada.expect(200, 'DELETE', `/v1/agents/${(await ada.expect(200, 'GET', '/v1/agents')).agents[0].id}`);
      await service.sql('select end_lost_change_requests()');
      await expectEnd(id, 'agent_disconnected');
    });

    for (const [event, end] of Object.entries({
      'is rotated': () => seeded.api.expect(200, 'POST', '/v1/workspaces/keys/rotate', {}),
      'has expired': () => service.sql(`update tokens set expires_at = now() where kind = 'ws'`),
      'is deleted': () => service.sql(`delete from tokens where kind = 'ws'`),
    }))
      it(`when their key ${event}, whether or not the sweep has run`, async () => {
        await seeded.api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'confirm' });
        const byKey = new FetchClient(service.url, seeded.apiKey);
        const { structuredContent } = await byKey.call('create_plan', plan);
        await end();
        const id = structuredContent.details.changeRequestId;
        const shown = async () =>
          (await ada.expect(200, 'GET', '/v1/change-requests')).changeRequests.map(
            (one: { status: string; endedBecause: string }) => [one.status, one.endedBecause],
          );
        expect(await shown()).to.deep.equal([['ended', 'key_invalid']]);
        await service.sql('select end_lost_change_requests()');
        expect(await shown()).to.deep.equal([['ended', 'key_invalid']]);
        await expectError('409 already_decided', decide(ada, id, 'approve'));
      });
  });

  it('of a manager run with the team that the manager has then', async () => {
    const [max] = await seeded.api.saveReps({ name: 'Max', role: 'manager' });
    await seeded.api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    const dispute = { repId: seeded.ben, period: '2026-01', type: 'other', description: 'Late deal' };
    const byMia = await connect(mia);
    const ids = [];
    for (let one = 0; one < 2; one += 1)
      ids.push((await byMia.call('open_dispute', dispute)).structuredContent.details.changeRequestId);
    expect((await decide(mia, ids[0], 'approve')).body.status).to.equal('done');
    await seeded.api.expect(200, 'PATCH', `/v1/reps/${seeded.ben}`, { managerId: max });
    const { body } = await decide(mia, ids[1], 'approve');
    expect(body).to.include({ status: 'failed' });
    expect(body.outcome).to.include({ code: 'forbidden' });
    expect((await seeded.api.expect(200, 'GET', '/v1/disputes')).disputes).to.have.length(1);
  });

  it('wait up to 20 for each person and each key, and 200 for all', async () => {
    const byBen = await connect(await service.as(seeded.workspaceId, seeded.ben));
    const byBenToo = await connect(await service.as(seeded.workspaceId, seeded.ben));
    const dispute = { period: '2026-01', type: 'other', description: 'Late deal' };
    const codes = async (client: FetchClient, count: number) =>
      (await Promise.all(Array.from({ length: count }, () => client.call('open_dispute', dispute)))).map(
        ({ structuredContent }) => structuredContent.code,
      );
    const requests = [...(await codes(byBen, 12)), ...(await codes(byBenToo, 12))];
    expect(requests.filter((code) => code === 'approval_required')).to.have.length(20);
    expect(requests.filter((code) => code === 'rate_limited')).to.have.length(4);
    await requested();
    await seeded.api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'confirm' });
    const byKey = new FetchClient(service.url, seeded.apiKey);
    for (let one = 0; one < 21; one += 1) {
      const { structuredContent } = await byKey.call('create_plan', { ...plan, name: `Plan ${one}` });
      expect(structuredContent.code).to.equal(one < 20 ? 'approval_required' : 'rate_limited');
    }
    const first = (await listed(ada)).find((one: { repId: string }) => one.repId === seeded.ben);
    await decide(ada, first.id, 'reject');
    expect(await codes(byBen, 1)).to.deep.equal(['approval_required']);
    await service.sql(
      `insert into change_requests (workspace_id, request_id, rep_id, caller, tool, title, input, basis, status, expires_at)
       select workspace_id, gen_random_uuid(), gen_random_uuid(), caller, tool, title, input, basis, 'pending', expires_at
       from change_requests, generate_series(1, 200) where request_id = $1`,
      first.id,
    );
    expect((await agent.call('create_plan', plan)).structuredContent.code).to.equal('rate_limited');
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
    const { rows } = await unitOfWork.run(who, { lock: 'shared', access: 'write' }, (tx) =>
      erasePerson(tx, who, seeded.ben),
    );
    expect(rows['changeRequests']).to.equal(1);
    expect((await listed(ada)).map(({ tool }: { tool: string }) => tool)).to.deep.equal(['create_plan']);
  });
});
