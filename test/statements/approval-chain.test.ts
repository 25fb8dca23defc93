import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { passUnanswered } from '#src/app/pass-unanswered.js';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import { ApprovalReminders } from '#src/outgoing/notifications/approval-reminders.js';
import { type Notification } from '#src/outgoing/notifications/notifications.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { openTransaction, untilBlocked } from '#test/support/open-transaction.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { until } from '#test/support/until.js';
import { type Workspace } from '#test/support/workspace.js';

const period = '2026-01';
const byManager = { name: 'Manager', by: { manager_of_rep: true } };
const byAdmin = { name: 'Admin', by: { role: 'admin' } };
const consent = { name: 'Rep', by: { rep: true } };
const people = ['mia', 'max', 'fay', 'amy', 'ben', 'eva'] as const;
type Name = (typeof people)[number];
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Ben and Eva sell for 10 % and report to Mia. Max is a manager, Fay finance and Amy an admin. */
interface World extends Workspace {
  readonly id: Readonly<Record<Name, string>>;
  readonly session: Readonly<Record<Name, ApiClient>>;
}

describe('chains of approval', () => {
  const service = Service.duringSuite();

  async function create(amount = 50_000, managerScope = 'workspace'): Promise<World> {
    const workspace = await service.workspace();
    const { api } = workspace;
    const roles = { mia: 'manager', max: 'manager', fay: 'manager', amy: 'admin', ben: 'rep', eva: 'rep' };
    await api.saveReps(...people.map((name) => ({ name, role: roles[name] })));
    const under = { managerEmail: 'mia@x.io' };
    const saved = await api.saveReps(
      ...people.map((name) => ({ name, role: roles[name], ...(roles[name] === 'rep' ? under : {}) })),
    );
    const id = Object.fromEntries(people.map((name, index) => [name, saved[index]])) as World['id'];
    const session = Object.fromEntries(
      await Promise.all(people.map(async (name) => [name, await workspace.as(id[name])])),
    ) as World['session'];
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New', 0.1)] } }, [id.ben, id.eva, id.mia]);
    await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope });
    const world = Object.assign(workspace, { id, session });
    await deal(world, 'D1', amount);
    await api.generate(id.ben, period);
    return world;
  }

  const deal = async (world: World, dealId: string, amount: number, owner: Name = 'ben') => {
    await world.api.putDeal(dealId, { amount, closeDate: '2026-01-15', repId: world.id[owner] });
    await world.calculated();
  };
  const setSteps = ({ api }: World, ...approvalSteps: object[]) =>
    api.expect(200, 'PATCH', '/v1/workspaces', { approvalSteps });
  /** Manager, then finance from 5,000 on, then an admin. */
  const setThree = (world: World, first: object = {}) =>
    setSteps(
      world,
      { ...byManager, ...first },
      { name: 'Finance', by: { repIds: [world.id.fay, world.id.max] }, minPayable: 5000 },
      byAdmin,
    );
  const press = ({ session, id }: World, name: Name, more: object = {}) =>
    session[name].post(`/v1/statements/${id.ben}/approve`, { period, status: 'approved', ...more });
  const sign = async (world: World, name: Name, more: object = {}) => {
    const { status, body } = await press(world, name, more);
    expect(status, JSON.stringify(body).slice(0, 400)).to.equal(200);
    return body;
  };
  const statementOf = ({ api, id }: World) => api.expect(200, 'GET', `/v1/statements?repId=${id.ben}&period=${period}`);
  const statusOf = ({ api, id }: World) => api.expect(200, 'GET', `/v1/statements/${id.ben}/status?period=${period}`);
  const regenerate = ({ api, id }: World) => api.generate(id.ben, period);
  const stepsOf = (approval: { steps: { name: string; status: string }[] }) =>
    approval.steps.map(({ name, status }) => `${name} ${status}`);
  const waiting = (client: ApiClient, query = '') => client.expect(200, 'GET', `/v1/approvals${query}`);
  const delegate = (world: World, from: Name, to: Name, more: object = {}) =>
    world.session[from].put(`/v1/delegations/${randomUUID()}`, {
      fromRepId: world.id[from],
      delegateId: world.id[to],
      from: dayIn(0),
      to: dayIn(10),
      scopes: ['approvals'],
      ...more,
    });
  /** A client with a key that the person created. */
  const keyOf = async ({ session }: World, name: Name) => {
    const { apiKey } = await session[name].expect(200, 'POST', '/v1/workspaces/keys/rotate', { graceMinutes: 60 });
    return service.client(apiKey);
  };
  /** Moves what is stored about the statement, its questions and the chain into the past. */
  const age = (world: World, days: number) =>
    world.sql(
      `with signed as (update statement_signatures set signed_at = signed_at - make_interval(days => $2) where workspace_id = $1),
         decided as (update disputes set updated_at = updated_at - make_interval(days => $2) where workspace_id = $1),
         changed as (update workspaces w set approval_steps = (
           select jsonb_agg(step || jsonb_build_object('since', (step ->> 'since')::timestamptz - make_interval(days => $2)))
           from jsonb_array_elements(w.approval_steps) step) where workspace_id = $1)
       update statements set generated_at = generated_at - make_interval(days => $2) where workspace_id = $1`,
      days,
    );

  it('without a chain one person approves, and no answer mentions steps', async () => {
    const world = await create();
    expect(await world.api.expect(200, 'GET', '/v1/workspaces')).not.to.have.property('approvalSteps');
    expect(await sign(world, 'max'))
      .to.include({ status: 'approved' })
      .and.not.to.have.property('approval');
    for (const read of [statementOf, statusOf]) expect(await read(world)).not.to.have.property('approval');
    expect((await waiting(world.session.amy)).approvals).to.deep.equal([]);
  });

  it('G1: below minPayable two signatures approve', async () => {
    const world = await create(49_999.9);
    await setThree(world);
    const first = await sign(world, 'mia');
    expect(first).to.include({ status: 'draft' });
    expect(first.approval).to.include({ done: 1, of: 2 });
    expect(first.approval.next).to.deep.include({
      name: 'Admin',
      by: [{ repId: world.id.amy, name: 'amy' }],
      due: null,
    });
    const last = await sign(world, 'amy');
    expect(last).to.include({ status: 'approved' });
    expect(stepsOf(last.approval)).to.deep.equal(['Manager signed', 'Admin signed']);
    expect(last.approvedBy).to.deep.equal({ repId: world.id.amy, name: 'amy' });
    await expectError('409 already_signed_by', press(world, 'max'));
  });

  it('G2: at minPayable three signatures approve, each step in its turn', async () => {
    const world = await create();
    await setThree(world);
    await expectError('403 not_your_step', press(world, 'amy'));
    await expectError('409 step_not_next', press(world, 'mia', { step: 'Admin' }));
    const first = await sign(world, 'mia', { step: 'Manager' });
    expect(stepsOf(first.approval)).to.deep.equal(['Manager signed', 'Finance next', 'Admin waiting']);
    await expectError('403 already_signed', press(world, 'mia'));
    await sign(world, 'fay');
    expect(await sign(world, 'amy')).to.include({ status: 'approved' });
    const { runs } = await world.api.expect(200, 'GET', '/v1/workspaces/audit-logs?limit=50');
    expect(runs.filter(({ trigger }: { trigger: string }) => trigger === 'statement_signed')).to.have.length(3);
  });

  it('G3: a late deal resets the signatures', async () => {
    const world = await create();
    await setThree(world);
    await sign(world, 'mia');
    await deal(world, 'D2', 100);
    await expectError('403 not_your_step', press(world, 'fay'));
    const { approval } = await statusOf(await regenerate(world).then(() => world));
    expect(stepsOf(approval)).to.deep.equal(['Manager next', 'Finance waiting', 'Admin waiting']);
    expect(approval.history).to.have.length(1);
    expect(approval.history[0]).to.deep.include({
      name: 'Manager',
      endedBy: 'changed',
      version: 1,
      signedBy: { repId: world.id.mia, name: 'mia' },
    });
    const { approvals } = await waiting(world.session.mia);
    expect(approvals[0].changes).to.deep.include({ version: 1, amount: 10, moreLines: 0 });
    expect(approvals[0].changes.lines).to.have.length(1);
    expect(approvals[0].changes.lines[0]).to.include({ dealId: 'D2', before: null, after: 10 });
    await sign(world, 'mia');
  });

  it('G4: a signature is carried up to minChange if the lines that were signed are unchanged', async () => {
    const world = await create();
    await setThree(world, { minChange: 25 });
    await sign(world, 'mia');
    await deal(world, 'D2', 100);
    await regenerate(world);
    const { approval } = await statusOf(world);
    expect(approval.steps[0]).to.include({ name: 'Manager', status: 'signed', carried: 10, version: 1 });
    await deal(world, 'D3', 160);
    await regenerate(world);
    expect(stepsOf((await statusOf(world)).approval)[0]).to.equal('Manager next');
  });

  it('G5: a changed line resets the signature, whatever minChange is', async () => {
    const world = await create(3000);
    await setThree(world, { minChange: 25 });
    await sign(world, 'mia');
    await deal(world, 'D1', 3100);
    await regenerate(world);
    expect(stepsOf((await statusOf(world)).approval)).to.deep.equal(['Manager next', 'Admin waiting']);
  });

  it('G6: a delegate signs one step only, and the signature names both', async () => {
    const world = await create();
    await setThree(world);
    const dry = await world.session.mia.expect(200, 'PUT', `/v1/delegations/${randomUUID()}?dryRun=true`, {
      fromRepId: world.id.mia,
      delegateId: world.id.max,
      from: dayIn(0),
      to: dayIn(10),
      scopes: ['approvals'],
    });
    expect(dry.reaches).to.deep.equal([{ repId: world.id.ben, repName: 'ben', period, step: 'Manager' }]);
    await expectError('403 not_your_step', press(world, 'max'));
    expect((await delegate(world, 'mia', 'max')).status).to.equal(200);
    expect((await waiting(world.session.max)).approvals[0]).to.include({ onBehalfOf: world.id.mia });
    const { approval } = await sign(world, 'max');
    expect(approval.steps[0]).to.deep.include({
      signedBy: { repId: world.id.max, name: 'max' },
      onBehalfOf: { repId: world.id.mia, name: 'mia' },
    });
    await expectError('403 already_signed', press(world, 'max'));
    expect((await waiting(world.session.max)).approvals).to.deep.equal([]);
    await sign(world, 'fay');
  });

  it('G7: a step that no one may sign is reported, and an admin names another person', async () => {
    const world = await create();
    await setThree(world);
    const reassign = (name: Name, by = world.session.amy) =>
      by.post(`/v1/statements/${world.id.ben}/reassign`, {
        period,
        step: 'Manager',
        repIds: [world.id[name]],
        reason: 'Mia has left',
      });
    await expectError('409 step_not_blocked', reassign('max'));
    await world.api.expect(200, 'PATCH', `/v1/reps/${world.id.mia}`, { active: false });
    const { statements } = await world.api.expect(200, 'GET', `/v1/statements?period=${period}`);
    const row = statements.find(({ repId }: { repId: string }) => repId === world.id.ben);
    expect(row.approval.next).to.deep.include({ name: 'Manager', by: [], blockedBy: 'no_signer' });
    await expectError('403 forbidden', reassign('amy'));
    await expectError('403 forbidden', reassign('amy', await keyOf(world, 'amy')));
    await expectError('400 VALIDATION_FAILED', reassign('ben'));
    const { body } = await reassign('max');
    expect(body.approval.next).to.deep.include({ by: [{ repId: world.id.max, name: 'max' }] });
    await expectError('403 not_your_step', press(world, 'amy'));
    await sign(world, 'max');
    const { runs } = await world.api.expect(200, 'GET', '/v1/workspaces/audit-logs?limit=50');
    expect(runs.some(({ trigger }: { trigger: string }) => trigger === 'step_reassigned')).to.equal(true);
  });

  it('G8: a changed chain keeps the signatures of steps that it still has, and approved statements', async () => {
    const world = await create();
    await world.api.generate(world.id.eva, period);
    await setThree(world);
    await sign(world, 'mia');
    await sign(world, 'fay');
    await setSteps(world, byManager, { name: 'Controlling', by: { role: 'manager' } }, byAdmin);
    const { approval } = await statusOf(world);
    expect(stepsOf(approval)).to.deep.equal(['Manager signed', 'Controlling next', 'Admin waiting']);
    expect(approval.history[0]).to.include({ name: 'Finance', endedBy: 'chain_changed' });
    await sign(world, 'max');
    await sign(world, 'amy');
    await setSteps(world, byAdmin);
    expect(stepsOf((await statusOf(world)).approval)).to.deep.equal([
      'Manager signed',
      'Controlling signed',
      'Admin signed',
    ]);
  });

  it('G9: opening an approved statement keeps its signatures in the history, and the chain begins again', async () => {
    const world = await create();
    await setThree(world);
    for (const name of ['mia', 'fay', 'amy'] as const) await sign(world, name);
    await world.session.amy.expect(200, 'POST', `/v1/statements/${world.id.ben}/approve`, { period, status: 'draft' });
    await regenerate(world);
    const { approval, status } = await statusOf(world);
    expect(status).to.equal('draft');
    expect(stepsOf(approval)).to.deep.equal(['Manager next', 'Finance waiting', 'Admin waiting']);
    expect(approval.history.map(({ name, endedBy }: Record<string, string>) => `${name} ${endedBy}`)).to.deep.equal([
      'Manager unlocked',
      'Finance unlocked',
      'Admin unlocked',
    ]);
  });

  it('G10: of two people who press at the same instant, one signs and the other reads the name', async () => {
    const world = await create();
    await setSteps(world, { name: 'Manager', by: { role: 'manager' } }, byAdmin);
    const answers = await Promise.all([press(world, 'max'), press(world, 'fay')]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    const rejected = answers.find(({ status }) => status === 409) as (typeof answers)[number];
    await expectError('409 already_signed_by', rejected);
    const winner = answers[0].status === 200 ? 'max' : 'fay';
    expect(rejected.body.details).to.include({ name: winner, step: 'Manager' });
    expect((await statusOf(world)).approval).to.include({ done: 1 });
  });

  it('a person in two steps does not sign twice when the step is named', async () => {
    const world = await create();
    await setSteps(world, { name: 'One', by: { role: 'manager' } }, { name: 'Two', by: { role: 'manager' } });
    await sign(world, 'max', { step: 'One' });
    await expectError('409 already_signed_by', press(world, 'fay', { step: 'One' }));
    await expectError('403 already_signed', press(world, 'max', { step: 'Two' }));
    expect(await sign(world, 'fay', { step: 'Two' })).to.include({ status: 'approved' });
  });

  it('no one signs for themself, through a delegate or with a key', async () => {
    const world = await create();
    const { api, id, session } = world;
    await deal(world, 'M1', 1000, 'mia');
    await api.generate(id.mia, period);
    await setSteps(world, { name: 'Any', by: { repIds: [id.mia, id.max] } }, byAdmin);
    const own = { period, status: 'approved' };
    await expectError('403 forbidden', session.mia.post(`/v1/statements/${id.mia}/approve`, own));
    await expectError('409 own_statement', delegate(world, 'max', 'mia'));
    await expectError('403 not_your_step', api.post(`/v1/statements/${id.ben}/approve`, own));
    await expectError('403 forbidden', delegate(world, 'mia', 'max', { fromRepId: id.fay }));
    const named = { fromRepId: id.max, delegateId: id.amy, from: dayIn(0), to: dayIn(1), scopes: ['approvals'] };
    for (const by of [session.amy, await keyOf(world, 'amy')])
      await expectError('403 forbidden', by.put(`/v1/delegations/${randomUUID()}`, named));
    await expectError('400 VALIDATION_FAILED', delegate(world, 'max', 'fay', { to: dayIn(92) }));
    await expectError('400 VALIDATION_FAILED', delegate(world, 'max', 'ben'));
    expect((await delegate(world, 'max', 'fay', { to: dayIn(91) })).status).to.equal(200);
    const foreign = (await session.max.expect(200, 'GET', '/v1/delegations')).delegations[0].delegationId;
    await expectError('404 delegation_not_found', session.mia.delete(`/v1/delegations/${foreign}`));
    await expectError('403 forbidden', session.fay.delete(`/v1/delegations/${foreign}`));
    await session.max.expect(200, 'DELETE', `/v1/delegations/${foreign}`);
    await expectError('403 not_your_step', press(world, 'fay'));
  });

  it('a right that is lost before the press is lost, whichever comes first', async () => {
    for (let round = 0; round < 3; round += 1) {
      const world = await create();
      await setSteps(world, { name: 'Finance', by: { repIds: [world.id.fay] } }, byAdmin);
      const [pressed, demoted] = await Promise.all([
        press(world, 'fay'),
        world.api.patch(`/v1/reps/${world.id.fay}`, { role: 'rep' }),
      ]);
      expect(demoted.status).to.equal(200);
      expect([200, 401, 403]).to.include(pressed.status);
      const { approval } = await statusOf(world);
      expect(approval.done).to.equal(pressed.status === 200 ? 1 : 0);
      // A change of the role ends the session.
      expect([401, 403]).to.include((await press(world, 'fay')).status);
    }
  });

  it('of presses at the same instant, one person signs one step, also beside a delegate or a delegation that ends', async () => {
    const signatures = async (world: World, presses: readonly Promise<{ status: number }>[]) => {
      const answers = await Promise.all(presses);
      const accepted = answers.filter(({ status }) => status === 200);
      expect((await statusOf(world)).approval.done).to.equal(accepted.length);
      return accepted.length;
    };
    const twice = await create();
    await setSteps(twice, { name: 'One', by: { role: 'manager' } }, { name: 'Two', by: { role: 'manager' } });
    const steps = ['One', 'Two', 'One'].map((step) => press(twice, 'max', { step }));
    expect(await signatures(twice, steps)).to.equal(1);
    const world = await create();
    await setSteps(world, byManager, byAdmin);
    const { body } = await delegate(world, 'mia', 'max');
    expect(await signatures(world, [press(world, 'mia'), press(world, 'max')])).to.equal(1);
    const signer = (await statusOf(world)).approval.steps[0].signedBy.name as Name;
    await world.session[signer].expect(200, 'POST', `/v1/statements/${world.id.ben}/approve`, {
      ...{ period, status: 'draft' },
    });
    const [pressed, ended] = await Promise.all([
      press(world, 'max'),
      world.session.mia.delete(`/v1/delegations/${body.delegationId}`),
    ]);
    expect(ended.status).to.equal(200);
    expect((await statusOf(world)).approval.done).to.equal(pressed.status === 200 ? 1 : 0);
  });

  it('managers who see only their reports sign only for them', async () => {
    const world = await create(50_000, 'reports');
    await setSteps(world, { name: 'Manager', by: { role: 'manager' } }, byAdmin);
    expect((await statementOf(world)).approval.next.by).to.deep.equal([{ repId: world.id.mia, name: 'mia' }]);
    await expectError('403 forbidden', press(world, 'max'));
    expect((await waiting(world.session.max, '?waitingFor=anyone')).approvals).to.deep.equal([]);
    await sign(world, 'mia');
  });

  it('takes the hash of what was read, and says what differs', async () => {
    const world = await create();
    await setThree(world);
    const { contentHash } = (await statementOf(world)).approval;
    await deal(world, 'D2', 100);
    await regenerate(world);
    const { details } = await expectError('409 statement_changed', press(world, 'mia', { contentHash }));
    expect(details.changes).to.deep.include({ version: 1, amount: 10 });
    await sign(world, 'mia', { contentHash: details.contentHash });
  });

  it('withdraws the own last signature only', async () => {
    const world = await create();
    await setThree(world);
    const withdraw = (name: Name) =>
      world.session[name].post(`/v1/statements/${world.id.ben}/approve`, { period, status: 'draft' });
    expect((await withdraw('fay')).status, 'without signatures').to.equal(200);
    await sign(world, 'mia');
    await expectError('403 forbidden', withdraw('fay'));
    const { body } = await withdraw('mia');
    expect(stepsOf(body.approval)[0]).to.equal('Manager next');
    expect(body.approval.history[0]).to.include({ endedBy: 'withdrawn' });
    await sign(world, 'mia');
  });

  it('the consent of the rep is a step, which a dispute withdraws and holds', async () => {
    const world = await create();
    const { api, id, session } = world;
    await setSteps(world, byManager, byAdmin, consent);
    const agree = (version = 1) => session.ben.post(`/v1/statements/${id.ben}/consent`, { period, version });
    await expectError('409 step_not_next', agree());
    await sign(world, 'mia');
    expect(await sign(world, 'amy')).to.include({ status: 'draft' });
    await expectError('403 forbidden', session.eva.post(`/v1/statements/${id.ben}/consent`, { period, version: 1 }));
    await expectError('403 not_your_step', press(world, 'max'));
    expect((await waiting(session.ben)).approvals).to.have.length(1);
    const asRead = await session.ben.expect(200, 'GET', `/v1/statements?repId=${id.ben}&period=${period}`);
    expect(JSON.stringify(asRead.approval)).not.to.include('mia');
    expect(asRead.approval.next).to.include({ name: 'Rep', consent: true, waitsForMe: true });
    await api.expect(200, 'PATCH', '/v1/workspaces', { blockApprovalOnDispute: false });
    const dispute = { repId: id.ben, period, type: 'other', description: 'A deal is missing.' };
    const { disputeId } = await session.ben.expect(201, 'POST', '/v1/disputes', dispute);
    await expectError('409 open_dispute', agree());
    await session.ben.expect(200, 'PATCH', `/v1/disputes/${disputeId}`, { status: 'withdrawn' });
    const { body } = await agree();
    expect(body).to.include({ status: 'approved' });
    expect((await statementOf(world)).approvedBy).to.deep.equal({ repId: id.amy, name: 'amy' });
  });

  it('a consent that is first is withdrawn by a dispute', async () => {
    const world = await create();
    const { id, session } = world;
    await setSteps(world, consent, byAdmin);
    await session.ben.expect(200, 'POST', `/v1/statements/${id.ben}/consent`, { period, version: 1 });
    const dispute = { repId: id.ben, period, type: 'other', description: 'A deal is missing.' };
    const { disputeId } = await session.ben.expect(201, 'POST', '/v1/disputes', dispute);
    await session.ben.expect(200, 'PATCH', `/v1/disputes/${disputeId}`, { status: 'withdrawn' });
    const { approval } = await statusOf(world);
    expect(stepsOf(approval)).to.deep.equal(['Rep next', 'Admin waiting']);
    expect(approval.history[0]).to.include({ endedBy: 'disputed' });
  });

  it('a consent without an answer in time is recorded, and the chain continues', async () => {
    const world = await create();
    await setSteps(world, { ...consent, dueDays: 3 }, byAdmin);
    await age(world, 3);
    await expectError('403 not_your_step', press(world, 'amy'));
    await age(world, 1);
    expect((await statusOf(world)).approval.next).to.include({ overdue: true, due: dayIn(-1) });
    const body = await sign(world, 'amy');
    expect(body).to.include({ status: 'approved' });
    expect(stepsOf(body.approval)).to.deep.equal(['Rep no_answer', 'Admin signed']);
  });

  it('a rep who has a question has the days to answer again once it is decided', async () => {
    const world = await create();
    const { id, session } = world;
    await setSteps(world, byManager, { ...consent, dueDays: 3 });
    const ask = async (about: string) => {
      const question = { repId: id.ben, period: about, type: 'other', description: 'A deal is missing.' };
      return (await session.ben.expect(201, 'POST', '/v1/disputes', question)).disputeId;
    };
    const reject = (disputeId: string) =>
      session.mia.expect(200, 'PATCH', `/v1/disputes/${disputeId}`, { status: 'rejected' });
    await sign(world, 'mia');
    await age(world, 2);
    const [own, ofQuarter] = [await ask(period), await ask('2026-Q1')];
    await age(world, 4);
    await reject(own);
    await reject(ofQuarter);
    await reject(await ask('2026-02'));
    expect((await statusOf(world)).approval.next)
      .to.include({ name: 'Rep', due: dayIn(3) })
      .and.not.property('overdue');
    await expectError('403 not_your_step', press(world, 'max'));
    await age(world, 4);
    await reject(await ask('2026-02'));
    expect((await statusOf(world)).approval.next).to.include({ due: dayIn(-1), overdue: true });
    expect(stepsOf((await sign(world, 'max')).approval)).to.deep.equal(['Manager signed', 'Rep no_answer']);
  });

  it('a step that a change adds to the chain, or puts behind others, waits from the change on', async () => {
    const world = await create();
    const inTime = { ...consent, dueDays: 3 };
    const dueOf = async () => (await statusOf(world)).approval.next;
    await setSteps(world, byManager, byAdmin, inTime);
    await sign(world, 'mia');
    await age(world, 10);
    await setSteps(world, byManager, inTime);
    const { run, nextDay } = await remindersOf(world);
    await run();
    expect(await dueOf()).to.include({ name: 'Rep', due: dayIn(3) });
    expect(await statementOf(world)).to.include({ status: 'draft' });
    await age(world, 2);
    await setSteps(world, byManager, inTime);
    expect(await dueOf()).to.include({ due: dayIn(1) });
    const { approvalSteps } = await world.api.expect(200, 'GET', '/v1/workspaces');
    expect(approvalSteps).to.deep.equal([byManager, inTime]);
    await age(world, 2);
    await nextDay();
    await run();
    expect(await statementOf(world)).to.include({ status: 'approved' });
  });

  it('a chain that is set later gives its first step all its days', async () => {
    const world = await create();
    await age(world, 10);
    await setSteps(world, { ...byManager, dueDays: 2, escalateTo: { repIds: [world.id.max] } }, byAdmin);
    expect((await statusOf(world)).approval.next)
      .to.include({ due: dayIn(2) })
      .and.not.property('overdue');
    await expectError('403 not_your_step', press(world, 'max'));
  });

  it('after twice dueDays the step is open to escalateTo too', async () => {
    const world = await create();
    await setSteps(world, { ...byManager, dueDays: 2, escalateTo: { repIds: [world.id.max] } }, byAdmin);
    await age(world, 4);
    await expectError('403 not_your_step', press(world, 'max'));
    await age(world, 1);
    const { approval } = await sign(world, 'max');
    expect(approval.steps[0].signedBy).to.include({ name: 'max' });
  });

  it('reminds the signers of overdue steps once a day', async () => {
    const world = await create();
    const { id } = world;
    await setSteps(world, { ...byManager, dueDays: 2 }, byAdmin);
    const mails: Notification[] = [];
    const { run, nextDay } = await remindersOf(world, mails);
    await run();
    expect(mails).to.deep.equal([]);
    await age(world, 3);
    await nextDay();
    await run();
    await run();
    expect(mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
      [{ repId: id.mia }, '1 statement waits for your signature'],
    ]);
    await sign(world, 'mia');
    await nextDay();
    await run();
    expect(mails).to.have.length(1);
  });

  it('reminds after the changes that are in progress, so that its events follow theirs', async () => {
    const world = await create();
    await setSteps(world, { ...byManager, dueDays: 2 }, byAdmin);
    await age(world, 3);
    const mails: Notification[] = [];
    const { run } = await remindersOf(world, mails);
    const change = await openTransaction(
      service.database.ownerUrl,
      "select pg_advisory_xact_lock_shared(hashtextextended('workspace:' || $1::text, 0))",
      world.workspaceId,
    );
    const reminding = run();
    await untilBlocked(service.database.ownerUrl, world.workspaceId);
    await change.commit();
    await reminding;
    expect(mails).to.have.length(1);
  });

  /** The daily search for overdue steps, which adds the mails of the workspace. */
  async function remindersOf(world: World, mails: Notification[] = []) {
    const { unitOfWork, clock, parts, log } = service.running.service;
    const post = async (tx: { readonly workspaceId: string }, sent: readonly Notification[]) => {
      if (tx.workspaceId === world.workspaceId) mails.push(...sent);
    };
    const pass = passUnanswered({ unitOfWork, laneRunner: parts.resolve(LaneRunner), clock });
    const reminders = new ApprovalReminders(unitOfWork, { post }, clock, pass, log);
    const nextDay = () => world.sql(`update workspaces set signers_reminded_on = null where workspace_id = $1`);
    await nextDay();
    return { run: () => reminders.run(), nextDay };
  }
  const runsOf = async ({ api }: World, trigger: string) =>
    (await api.expect(200, 'GET', '/v1/workspaces/audit-logs?limit=100')).runs.filter(
      (run: { trigger: string }) => run.trigger === trigger,
    );

  it('an overdue consent that is the last step approves the statement without a press', async () => {
    const world = await create();
    await setSteps(world, byAdmin, { ...consent, dueDays: 3 });
    await sign(world, 'amy');
    const { run, nextDay } = await remindersOf(world);
    await age(world, 3);
    await run();
    expect(await statementOf(world)).to.include({ status: 'draft' });
    await age(world, 1);
    await nextDay();
    await run();
    const statement = await statementOf(world);
    expect(statement).to.include({ status: 'approved' });
    expect(statement.approvedBy).to.deep.equal({ repId: world.id.amy, name: 'amy' });
    expect(stepsOf(statement.approval)).to.deep.equal(['Admin signed', 'Rep no_answer']);
    expect(await runsOf(world, 'statement_approved')).to.have.length(1);
  });

  it('an overdue consent does not pass for a statement whose content has changed', async () => {
    const world = await create();
    await setSteps(world, byAdmin, { ...consent, dueDays: 3 });
    await sign(world, 'amy');
    await age(world, 4);
    await deal(world, 'D2', 1000);
    const { run } = await remindersOf(world);
    await run();
    expect(await statementOf(world)).to.include({ status: 'draft', version: 1 });
  });

  it('records once that a step is open to escalateTo', async () => {
    const world = await create();
    await setSteps(world, { ...byManager, dueDays: 2, escalateTo: { repIds: [world.id.max] } }, byAdmin);
    const { run, nextDay } = await remindersOf(world);
    await age(world, 5);
    await run();
    await nextDay();
    await run();
    const runs = await runsOf(world, 'step_escalated');
    expect(runs).to.have.length(1);
    expect(runs[0]).to.deep.include({ repId: world.id.ben, period });
    expect(runs[0].details).to.deep.include({ step: 'Manager', signerIds: [world.id.mia, world.id.max] });
  });

  it('signs many, each for its version', async () => {
    const world = await create();
    const { api, id, session } = world;
    await api.generate(id.eva, period);
    await setSteps(world, byManager, byAdmin);
    const statements = [
      { repId: id.ben, version: 1 },
      { repId: id.eva, version: 1 },
      { repId: id.mia, version: 1 },
    ];
    const many = (name: Name, more: object = {}) =>
      session[name].send('POST', '/v1/statements/approve', { period, statements, ...more });
    const { body } = await many('mia');
    expect(body.approved).to.deep.equal([]);
    expect(body.signed.map(({ repId }: { repId: string }) => repId)).to.deep.equal([id.ben, id.eva]);
    expect(body.refused.map(({ code }: { code: string }) => code)).to.deep.equal(['forbidden']);
    const started = await many('amy', { async: true });
    expect(started.status).to.equal(202);
    const done = await until(async () => {
      const job = await session.amy.expect(200, 'GET', `/v1/statements/approve/jobs/${started.body.job.jobId}`);
      return job.status === 'running' ? null : job;
    });
    expect(done).to.include({ approved: 2 });
  });

  it('counts as to approve what waits for the person, and every draft of others without a chain', async () => {
    const world = await create();
    const { api, id, session } = world;
    await api.generate(id.eva, period);
    const counts = async () => {
      const toApprove = async (name: Name) =>
        (await session[name].expect(200, 'GET', `/v1/statements?period=${period}&limit=1`)).toApprove;
      return { mia: await toApprove('mia'), max: await toApprove('max'), amy: await toApprove('amy') };
    };
    expect(await counts()).to.deep.equal({ mia: 2, max: 2, amy: 2 });
    await setSteps(world, byManager, byAdmin);
    expect(await counts()).to.deep.equal({ mia: 2, max: 0, amy: 0 });
    await sign(world, 'mia');
    expect(await counts()).to.deep.equal({ mia: 1, max: 0, amy: 1 });
  });

  it('lists what waits for whom, across periods', async () => {
    const world = await create();
    const { api, id, session } = world;
    await setSteps(world, byManager, byAdmin);
    await api.putDeal('F1', { amount: 500, closeDate: '2026-02-15', repId: id.ben });
    await world.calculated();
    await api.generate(id.ben, '2026-02');
    const listed = await waiting(session.mia);
    expect(listed.approvals.map((each: { period: string }) => each.period)).to.have.members(['2026-01', '2026-02']);
    expect(listed.approvals[0]).to.include({ amount: 5000, currency: 'USD', changes: null, repName: 'ben' });
    expect((await waiting(session.mia, '?period=2026-02')).count).to.equal(1);
    expect((await waiting(session.amy)).count).to.equal(0);
    expect((await waiting(session.amy, '?waitingFor=anyone&limit=1')).count).to.equal(2);
    expect((await waiting(session.ben, '?waitingFor=anyone')).count).to.equal(2);
  });

  it('rejects chains that no one could sign, or in which the rep decides', async () => {
    const world = await create();
    const rejected: readonly object[][] = [
      [],
      [consent],
      [byAdmin, byAdmin],
      [byManager, consent, byAdmin],
      [consent, byAdmin, { ...consent, name: 'Again' }],
      [{ ...byAdmin, minPayable: 100 }],
      [{ ...byAdmin, escalateTo: { role: 'admin' } }],
      [{ name: 'X', by: { repIds: [world.id.ben] } }],
      [{ name: 'X', by: { repIds: [randomUUID()] } }],
      [{ name: 'X', by: { role: 'rep' } }],
      Array.from({ length: 9 }, (_, index) => ({ ...byAdmin, name: `Step ${index}` })),
    ];
    for (const approvalSteps of rejected)
      await expectError(
        '400 VALIDATION_FAILED',
        world.api.patch('/v1/workspaces', { approvalSteps }),
        JSON.stringify(approvalSteps),
      );
    expect(await world.api.expect(200, 'GET', '/v1/workspaces')).not.to.have.property('approvalSteps');
    await setSteps(world, byAdmin);
    await world.api.expect(200, 'PATCH', '/v1/workspaces', { approvalSteps: null });
    expect(await sign(world, 'max')).to.include({ status: 'approved' });
  });
});
