import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { operations } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

const declared: readonly AnyOperation[] = operations;
/** The operations whose tools change something. */
/** What a person must approve where agents ask. */
const writing = declared.filter(
  ({ tool }) => tool !== undefined && !tool.hints.readOnlyHint && tool.needsNoApproval !== true,
);

const period = '2026-01';
const targets = ['own', 'report', 'peer', 'superior'] as const;
type Target = (typeof targets)[number];

interface Desk {
  /** Client of the key that the command line created; it belongs to no person. */
  readonly operator: ApiClient;
  /** Opens disputes; a key of no person may not decide what such a key has opened. */
  readonly manager: ApiClient;
  readonly reps: Readonly<Record<Target, string>>;
  readonly planVersionId: string;
  readonly ruleId: string;
  /** Resolves when every discrepancy is listed. */
  readonly idle: () => Promise<void>;
}

interface Movement {
  /** Brings the statement of the rep into the state that the operation needs; returns ids that the request names. */
  readonly prepare: (desk: Desk, repId: string) => Promise<string>;
  readonly send: (client: ApiClient, desk: Desk, repId: string, id: string) => Promise<ApiResponse>;
  /** Whether the person's own case is rejected. Terms of pay may be changed: their result needs another's approval. */
  readonly ownIsRejected: boolean;
  readonly managersMay: boolean;
  readonly scope: 'payroll' | 'plans';
}

const draft = async ({ operator }: Desk, repId: string) => {
  await operator.post(`/v1/statements/${repId}/approve`, { period, status: 'draft' });
  await operator.generate(repId, period);
  return '';
};
const approved = async (desk: Desk, repId: string) => {
  await draft(desk, repId);
  await desk.operator.approve(repId, period);
  return '';
};
const adjusted = async (desk: Desk, repId: string) => {
  await draft(desk, repId);
  const body = { amount: 10, reason: 'Contest', period };
  return (await desk.operator.expect(200, 'POST', `/v1/statements/${repId}/adjust`, body)).eventId as string;
};
const disputed = async (desk: Desk, repId: string) => {
  await draft(desk, repId);
  const body = { repId, period, type: 'other', description: 'Contest' };
  return (await desk.manager.expect(201, 'POST', '/v1/disputes', body)).disputeId as string;
};
let amount = 1000;
/** An approved period owes another amount since its deal has changed. */
const discrepant = async (desk: Desk, repId: string) => {
  await approved(desk, repId);
  amount += 1;
  await desk.operator.put(`/v1/deals/of-${repId}`, { amount, closeDate: '2026-01-15', repId });
  await desk.idle();
  const path = `/v1/discrepancies?status=open&repId=${repId}`;
  return (await desk.operator.expect(200, 'GET', path)).discrepancies[0].discrepancyId as string;
};
const nothing = async () => '';
const statement = { ownIsRejected: true, scope: 'payroll' } as const;
const terms = { ownIsRejected: false, managersMay: false, scope: 'plans', prepare: nothing } as const;

/** Every operation that moves money or sets the terms of one person's pay. */
const movements: Readonly<Record<string, Movement>> = {
  addAdjustment: {
    ...statement,
    managersMay: false,
    prepare: draft,
    send: (client, _, repId) => client.post(`/v1/statements/${repId}/adjust`, { amount: 5, reason: 'Contest', period }),
  },
  updateAdjustment: {
    ...statement,
    managersMay: false,
    prepare: adjusted,
    send: (client, _, repId, id) => client.patch(`/v1/statements/${repId}/adjust/${id}`, { amount: 11 }),
  },
  deleteAdjustment: {
    ...statement,
    managersMay: false,
    prepare: adjusted,
    send: (client, _, repId, id) => client.delete(`/v1/statements/${repId}/adjust/${id}`),
  },
  'approveStatement approved': {
    ...statement,
    managersMay: true,
    prepare: draft,
    send: (client, _, repId) => client.post(`/v1/statements/${repId}/approve`, { period, status: 'approved' }),
  },
  'approveStatement draft': {
    ...statement,
    managersMay: true,
    prepare: approved,
    send: (client, _, repId) => client.post(`/v1/statements/${repId}/approve`, { period, status: 'draft' }),
  },
  checkStatement: {
    ...statement,
    managersMay: true,
    prepare: async (desk, repId) => {
      await draft(desk, repId);
      return `${(await desk.operator.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${period}`)).version}`;
    },
    send: (client, _, repId, version) =>
      client.post(`/v1/statements/${repId}/checks`, { period, version: Number(version) }),
  },
  trueUpStatement: {
    ...statement,
    managersMay: true,
    prepare: approved,
    send: (client, _, repId) => client.post(`/v1/statements/${repId}/true-up`, { period, force: true }),
  },
  'updateDispute with an adjustment': {
    ...statement,
    managersMay: false,
    prepare: disputed,
    send: (client, _, _repId, id) =>
      client.patch(`/v1/disputes/${id}`, { status: 'accepted', adjustment: { amount: 7, period } }),
  },
  resolveDiscrepancy: {
    ...statement,
    managersMay: true,
    prepare: discrepant,
    send: (client, _, _repId, id) =>
      client.post(`/v1/discrepancies/${id}/resolve`, { action: 'carry_forward', reason: 'Contest' }),
  },
  setPlanOverride: {
    ...terms,
    send: (client, { planVersionId, ruleId }, repId) =>
      client.put(`/v1/plans/${planVersionId}/overrides/${repId}`, {
        rules: [{ ruleId, tiers: [{ tierIndex: 0, rate: 0.09 }] }],
      }),
  },
  deletePlanOverride: {
    ...terms,
    prepare: async (desk, repId) => {
      await movements['setPlanOverride']?.send(desk.operator, desk, repId, '');
      return '';
    },
    send: (client, { planVersionId }, repId) => client.delete(`/v1/plans/${planVersionId}/overrides/${repId}`),
  },
  setQuotas: {
    ...terms,
    send: (client, _, repId) =>
      client.post('/v1/quotas', { repIds: [repId], measure: 'New business', period: '2026-01', target: 5000 }),
  },
};

/** Each caller with what it may do; `isAmys`: it belongs to the admin Amy. */
const callers: Readonly<
  Record<string, { readonly isAmys: boolean; readonly scopes?: readonly string[]; readonly isManager?: true }>
> = {
  'the session of an admin': { isAmys: true },
  'a key that the admin rotated': { isAmys: true },
  'a key rotated with that key': { isAmys: true },
  'an integration key of the admin with every scope': { isAmys: true, scopes: ['read', 'deals', 'plans', 'payroll'] },
  'an integration key of the admin with the scope read': { isAmys: true, scopes: ['read'] },
  'the key of the command line': { isAmys: false },
  'an integration key created with the key of the command line': { isAmys: false, scopes: ['payroll', 'plans'] },
  'the session of a manager': { isAmys: false, isManager: true },
};

/** A call of every tool that changes something, for the pay or the terms of the rep, where it has any. */
const requests: Readonly<Record<string, { readonly paysNoOne?: true; readonly call: Request }>> = {
  create_plan: { paysNoOne: true, call: async () => ({ name: planName(), config }) },
  update_plan: {
    call: async (desk, repId) => ({ planRef: (await plan(desk, repId)).planId, effectiveStart: '2026-01-01' }),
  },
  set_plan_status: { call: async (desk, repId) => ({ planRef: (await plan(desk, repId)).planId, status: 'archived' }) },
  delete_plan: { call: async (desk, repId) => ({ planId: (await plan(desk, repId)).planId, confirm: true }) },
  set_plan_override: {
    call: async ({ planVersionId, ruleId }, repId) => ({
      planVersionId,
      repId,
      rules: [{ ruleId, tiers: [{ tierIndex: 0, rate: 0.09 }] }],
    }),
  },
  delete_plan_override: { call: async ({ planVersionId }, repId) => ({ planVersionId, repId }) },
  create_assignments: { call: async (desk, repId) => ({ planId: (await plan(desk)).planId, repIds: [repId] }) },
  update_assignment: {
    call: async (desk, repId) => ({ ...(await assignment(desk, repId)), effectiveEnd: '2026-06-30' }),
  },
  delete_assignment: { call: assignment },
  set_quota: {
    call: async (_, repId) => ({ repIds: [repId], measure: 'New business', period: '2026-02', target: 5000 }),
  },
  delete_quota: {
    call: async ({ operator }, repId) => {
      await operator.setQuota([repId], 'New business', '2026-03', 5000);
      const [{ quotaId }] = await operator.expect(200, 'GET', `/v1/quotas?repId=${repId}&period=2026-03`);
      return { quotaId };
    },
  },
  set_deal_credits: {
    call: async ({ operator }, repId) => {
      const dealId = randomUUID();
      await operator.expect(201, 'PUT', `/v1/deals/${dealId}`, { fields: { amount: 1 } });
      return { dealId, credits: [{ repId, percent: 100 }] };
    },
  },
  set_absence: { call: async (_, repId) => ({ repId, from: '2026-02-02', to: '2026-02-03' }) },
  set_fx_rates: {
    call: async ({ operator }, repId) => {
      const table = planName();
      await operator.createPlan({ name: table, config, fx: { date: 'close_date', table } }, [repId]);
      return { table, rates: [{ from: 'EUR', to: 'USD', day: '2026-02-02', rate: 1.0837 }] };
    },
  },
  create_ramp: { paysNoOne: true, call: async () => ({ name: planName(), steps }) },
  update_ramp: {
    call: async (desk, repId) => {
      const { rampId } = await desk.operator.expect(201, 'POST', '/v1/ramps', { name: planName(), steps });
      const { assignmentId } = await assignment(desk, repId);
      await desk.operator.expect(200, 'PATCH', `/v1/assignments/${assignmentId}`, {
        effectiveStart: '2026-01-01',
        rampId,
      });
      return { rampId, steps: [{ months: 1, quotaPercent: 75 }] };
    },
  },
  create_draw: { call: async (_, repId) => drawOf(repId) },
  update_draw: {
    call: async ({ operator }, repId) => {
      const draw = drawOf(repId);
      const { drawId } = await operator.expect(201, 'POST', '/v1/draws', draw);
      return { drawId, to: draw.from };
    },
  },
  put_refund: {
    call: async ({ operator }, repId) => {
      const dealId = randomUUID();
      const { crmMemberId } = await operator.expect(200, 'GET', `/v1/reps/${repId}`);
      const ownerId = crmMemberId ?? repId;
      await operator.putDeal(dealId, { amount: 100, ownerId, closeDate: '2026-02-02', repId });
      return { dealId, refundId: 'r', day: '2026-02-20', cause: 'refund' };
    },
  },
  open_dispute: {
    paysNoOne: true,
    call: async (_, repId) => ({ repId, period: '2026-02', type: 'other', description: 'Contest' }),
  },
  resolve_discrepancy: {
    call: async (desk, repId) => ({ discrepancyId: await discrepant(desk, repId), action: 'true_up', reason: 'Late' }),
  },
  set_people: {
    call: async ({ operator }, repId) => {
      const { email, name } = await operator.expect(200, 'GET', `/v1/reps/${repId}`);
      return { reps: [{ email, name, crmMemberId: `crm-${repId}` }] };
    },
  },
  invite_people: { paysNoOne: true, call: async (_, repId) => ({ repIds: [repId] }) },
};
type Request = (desk: Desk, repId: string) => Promise<object>;

const config = {
  rules: [{ name: 'Spiff', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.01 }] }],
};
const steps = [{ months: 1, quotaPercent: 50 }];
let draws = 0;
/** Each draw has another year, because those of a person must not overlap. */
const drawOf = (repId: string) => {
  draws += 1;
  const year = 2030 + draws;
  return { repId, kind: 'guarantee', recoverable: false, amount: 100, from: `${year}-01-01`, to: `${year}-12-31` };
};
let plans = 0;
const planName = () => {
  plans += 1;
  return `Spiff ${plans}`;
};
const plan = ({ operator }: Desk, ...repIds: string[]) => operator.createPlan({ name: planName(), config }, repIds);

async function assignment(desk: Desk, repId: string): Promise<{ readonly assignmentId: string }> {
  const { planId } = await plan(desk, repId);
  const [{ assignmentId }] = await desk.operator.expect(200, 'GET', `/v1/assignments?repId=${repId}&planId=${planId}`);
  return { assignmentId };
}

describe('segregation of duties', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  let desk: Desk;
  const clients = new Map<string, ApiClient>();

  before(async () => {
    const { workspaceId: created, api: operator } = await service.workspace();
    workspaceId = created;
    const people = [
      { name: 'Amy', email: 'amy@x.io', role: 'admin', managerEmail: 'sue@x.io' },
      { name: 'Rae', email: 'rae@x.io', role: 'rep', managerEmail: 'amy@x.io' },
      { name: 'Pia', email: 'pia@x.io', role: 'admin', managerEmail: 'sue@x.io' },
      { name: 'Sue', email: 'sue@x.io', role: 'admin' },
      { name: 'Max', email: 'max@x.io', role: 'manager' },
    ];
    const withoutManagers = people.map(({ managerEmail: _, ...person }) => person);
    await operator.expect(200, 'PUT', '/v1/reps', { reps: withoutManagers });
    const { reps } = await operator.expect(200, 'GET', '/v1/reps');
    const idOf = (name: string) => reps.find((rep: { name: string }) => rep.name === name).id as string;
    const ids = { own: idOf('Amy'), report: idOf('Rae'), peer: idOf('Pia'), superior: idOf('Sue') };
    for (const [below, manager] of [
      [ids.report, ids.own],
      [ids.own, ids.superior],
      [ids.peer, ids.superior],
    ])
      await operator.expect(200, 'PATCH', `/v1/reps/${below}`, { managerId: manager });
    const rules = [{ name: 'New business', measure: 'amount', attainmentPeriod: 'monthly', tiers }];
    const plan = await operator.createPlan({ name: 'AE', config: { rules } });
    await operator.assign(Object.values(ids), plan.planId);
    for (const repId of Object.values(ids))
      await operator.expect(201, 'PUT', `/v1/deals/of-${repId}`, { amount: 1000, closeDate: '2026-01-15', repId });
    await operator.expect(200, 'PATCH', '/v1/workspaces', { blockApprovalOnDispute: false });
    desk = {
      operator,
      manager: await service.as(workspaceId, idOf('Max')),
      reps: ids,
      planVersionId: plan.planVersionId,
      ruleId: plan.rules[0].id,
      idle: () => service.waitForChecks(workspaceId),
    };
    await openClients(operator, ids.own, idOf('Max'));
    await service.waitForCalculations(workspaceId);
  });

  async function openClients(operator: ApiClient, amy: string, max: string): Promise<void> {
    const session = await service.as(workspaceId, amy);
    const rotate = async (client: ApiClient) =>
      service.client(
        (await client.expect(200, 'POST', '/v1/workspaces/keys/rotate', { graceMinutes: 60 })).apiKey as string,
      );
    const integration = async (client: ApiClient, scopes: readonly string[]) =>
      service.client(
        (await client.expect(201, 'POST', '/v1/workspaces/integration-keys', { name: 'Payroll', scopes }))
          .key as string,
      );
    const rotated = await rotate(session);
    clients.set('the session of an admin', session);
    clients.set('a key that the admin rotated', rotated);
    clients.set('a key rotated with that key', await rotate(rotated));
    clients.set('the key of the command line', operator);
    clients.set('the session of a manager', await service.as(workspaceId, max));
    clients.set(
      'an integration key of the admin with every scope',
      await integration(rotated, ['read', 'deals', 'plans', 'payroll']),
    );
    clients.set('an integration key of the admin with the scope read', await integration(session, ['read']));
    clients.set(
      'an integration key created with the key of the command line',
      await integration(operator, ['payroll', 'plans']),
    );
  }

  function expectedOf(caller: string, { ownIsRejected, managersMay, scope }: Movement, target: Target): string {
    const { isAmys, scopes, isManager } = callers[caller] as (typeof callers)[string];
    if (isManager === true && !managersMay) return 'forbidden';
    if (scopes !== undefined && !scopes.includes(scope)) return 'insufficient_scope';
    return isAmys && target === 'own' && ownIsRejected ? 'forbidden' : 'done';
  }

  /** Only these callers move the pay of others too: the other keys differ from them in nothing that concerns others. */
  const withAllTargets = ['the session of an admin', 'the key of the command line', 'the session of a manager'];
  const targetsOf = (caller: string) => (withAllTargets.includes(caller) ? targets : (['own'] as const));

  /** A rejected request changes nothing, so what was prepared for it is there for the next caller. */
  const prepared = new Map<string, string>();
  for (const [name, movement] of Object.entries(movements))
    for (const caller of Object.keys(callers))
      it(`${name}: ${caller}, for ${targetsOf(caller).join(', ')}`, async () => {
        const client = clients.get(caller) ?? expect.fail(`no client for ${caller}`);
        for (const target of targetsOf(caller)) {
          const repId = desk.reps[target];
          const id = prepared.get(`${name} ${target}`) ?? (await movement.prepare(desk, repId));
          prepared.set(`${name} ${target}`, id);
          const { status, body } = await movement.send(client, desk, repId, id);
          const outcome = status < 300 ? 'done' : `${body.code}`;
          if (outcome === 'done') prepared.delete(`${name} ${target}`);
          expect(outcome, `${target}: ${body?.message}`).to.equal(expectedOf(caller, movement, target));
          if (outcome === 'insufficient_scope') expect(body.details).to.deep.equal({ scope: movement.scope });
        }
      });

  for (const [caller, { isAmys, scopes }] of Object.entries(callers))
    it(`approveStatements: ${caller} approves all but the own statement`, async () => {
      for (const repId of Object.values(desk.reps)) await draft(desk, repId);
      const versions = await Promise.all(
        Object.values(desk.reps).map(async (repId) => ({
          repId,
          version: (await desk.operator.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${period}`)).version,
        })),
      );
      const client = clients.get(caller) as ApiClient;
      const { status, body } = await client.post('/v1/statements/approve', { period, statements: versions });
      if (scopes !== undefined && !scopes.includes('payroll')) {
        expect([status, body.code]).to.deep.equal([403, 'insufficient_scope']);
        return;
      }
      expect(status).to.equal(200);
      const rejected = body.refused.map(({ repId, code }: { repId: string; code: string }) => [repId, code]);
      expect(rejected).to.deep.equal(isAmys ? [[desk.reps.own, 'forbidden']] : []);
      expect(body.approved).to.have.length(isAmys ? 3 : 4);
    });

  it('a person who is the only admin and manager does not decide on their own pay', async () => {
    const { workspaceId: small, api } = await service.workspace();
    const [repId] = await api.saveReps({ name: 'Ida', role: 'admin' });
    const ida = await service.as(small, repId);
    const adjustment = { amount: 1_000_000, reason: 'Bonus', period };
    await expectError('403 forbidden', ida.post(`/v1/statements/${repId}/adjust`, adjustment));
    await ida.generate(repId, period);
    const approval = { period, status: 'approved' };
    await expectError('403 forbidden', ida.post(`/v1/statements/${repId}/approve`, approval));
    await api.expect(200, 'POST', `/v1/statements/${repId}/approve`, approval);
  });

  describe('of an approval of what an agent has requested', () => {
    let amy: ApiClient;
    let sue: ApiClient;

    before(async () => {
      amy = await service.as(workspaceId, desk.reps.own);
      sue = await service.as(workspaceId, desk.reps.superior);
      const payouts = { enabled: true, from: '2030-01-01' };
      await desk.operator.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'confirm', payouts });
    });

    after(() => desk.operator.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'allow' }));

    /** Sends the request of an agent with the key of the command line. */
    async function request(tool: string, given: object): Promise<string> {
      const { body } = await desk.operator.mcp('tools/call', { name: tool, arguments: given });
      const { details } = body.result.structuredContent;
      return details?.changeRequestId ?? expect.fail(JSON.stringify(body));
    }

    const approve = (person: ApiClient, id: string) =>
      person.post(`/v1/change-requests/${id}/decide`, { decision: 'approve' });

    it('covers every tool that a person must approve', () => {
      expect(writing.map(({ tool }) => tool?.name)).to.have.members(Object.keys(requests));
      expect(writing.filter(({ subject }) => subject === undefined)).to.deep.equal([]);
    });

    for (const [tool, { call, paysNoOne }] of Object.entries(requests)) {
      it(`${tool}: the person ${paysNoOne ? 'may approve it, as it pays no one' : 'does not approve it for themself'}`, async () => {
        const id = await request(tool, await call(desk, desk.reps.own));
        const { status, body } = await approve(amy, id);
        if (paysNoOne) return expect([status, body.status]).to.deep.equal([200, 'done']);
        expect([status, body.code], body.message).to.deep.equal([403, 'forbidden']);
        const { changeRequests } = await amy.expect(200, 'GET', '/v1/change-requests?status=pending');
        expect(changeRequests.map((one: { id: string }) => one.id)).to.include(id);
        return expect((await approve(sue, id)).status).to.equal(200);
      });

      if (!paysNoOne)
        it(`${tool}: the person approves it for a report`, async () => {
          const id = await request(tool, await call(desk, desk.reps.report));
          expect((await approve(amy, id)).status).to.equal(200);
        });
    }

    it('rejects a change of a plan that moves the commission of the approver through another plan', async () => {
      const rules = [{ name: 'Override', executionPhase: 'cascade', measure: 'amount', tiers: config.rules[0]?.tiers }];
      await desk.operator.createPlan({ name: planName(), config: { rules } }, [desk.reps.own]);
      const { planId } = await plan(desk, desk.reps.report);
      await desk.operator.put('/v1/deals/of-april', { amount: 1000, closeDate: '2026-04-15', repId: desk.reps.report });
      await desk.idle();
      const id = await request('update_plan', {
        planRef: planId,
        effectiveStart: 'unchanged',
        config: { rules: [{ ...config.rules[0], tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.5 }] }] },
      });
      const { changeRequests } = await amy.expect(200, 'GET', '/v1/change-requests?status=pending');
      const { byRep } = changeRequests.find((one: { id: string }) => one.id === id).preview;
      expect(byRep.map(({ repId }: { repId: string }) => repId)).to.include(desk.reps.own);
      await expectError('403 forbidden', approve(amy, id));
      expect((await approve(sue, id)).body.status).to.equal('done');
    });

    it('makes the approver a person who opened the dispute', async () => {
      const given = { repId: desk.reps.report, period: '2026-02', type: 'other', description: 'Contest' };
      const { body } = await approve(amy, await request('open_dispute', given));
      const decide = (person: ApiClient) =>
        person.patch(`/v1/disputes/${body.outcome.disputeId}`, {
          status: 'accepted',
          adjustment: { amount: 5, period: '2026-02' },
        });
      await expectError('403 forbidden', decide(amy));
      expect((await decide(sue)).status).to.equal(200);
    });
  });

  it('leaves a sound ledger', () => service.expectSoundLedger(workspaceId));
});

const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.08 }];
