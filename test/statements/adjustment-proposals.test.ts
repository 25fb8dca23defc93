import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

const period = '2026-01';
const people = { amy: 'admin', bob: 'admin', max: 'manager', ben: 'rep' } as const;
type Name = keyof typeof people;

interface World extends Workspace {
  readonly id: Readonly<Record<Name, string>>;
  readonly session: Readonly<Record<Name, ApiClient>>;
}

describe('adjustments above a limit', () => {
  const service = Service.duringSuite();

  /** Ben has earned 4,800. Above 1,000 an admin approves. */
  async function create(limits: readonly object[] | null = [{ above: 1000, by: { role: 'admin' } }]): Promise<World> {
    const workspace = await service.workspace();
    const { api } = workspace;
    const names = Object.keys(people) as Name[];
    const saved = await api.saveReps(...names.map((name) => ({ name, role: people[name] })));
    const id = Object.fromEntries(names.map((name, index) => [name, saved[index]])) as World['id'];
    const sessions = await Promise.all(names.map(async (name) => [name, await workspace.as(id[name])]));
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New', 0.08)] } }, [id.ben]);
    await api.putDeal('D1', { amount: 60_000, closeDate: '2026-01-15', repId: id.ben });
    await workspace.calculated();
    await api.expect(200, 'PATCH', '/v1/workspaces', { adjustmentLimits: limits });
    return Object.assign(workspace, { id, session: Object.fromEntries(sessions) as World['session'] });
  }

  const add = ({ session, id }: World, name: Name, amount: number, more: object = {}) =>
    session[name].post(`/v1/statements/${id.ben}/adjust`, { period, amount, reason: 'Contest', ...more });
  const decide = ({ session }: World, name: Name, adjustmentId: string, what = 'approve') =>
    session[name].post(`/v1/adjustments/${adjustmentId}/${what}`, { reason: 'Compared with the contest' });
  const netOf = async ({ api, id }: World) =>
    (await api.expect(200, 'GET', `/v1/statements?repId=${id.ben}&period=${period}&live=true`)).summary.netPayout;
  const proposed = async (client: ApiClient) =>
    (await client.expect(200, 'GET', '/v1/adjustments?status=proposed')).adjustments;
  const propose = async (world: World, amount: number): Promise<string> => {
    const { status, body } = await add(world, 'amy', amount);
    expect(status, JSON.stringify(body)).to.equal(202);
    return body.adjustmentId;
  };

  it('without limits an admin adds any amount, and no answer mentions them', async () => {
    const world = await create(null);
    const { status, body } = await add(world, 'amy', 50_000);
    expect(status).to.equal(200);
    expect(body).to.include({ status: 'earned', amount: 50_000 });
    expect(await world.api.expect(200, 'GET', '/v1/workspaces')).not.to.have.property('adjustmentLimits');
    const statement = await world.api.expect(200, 'GET', `/v1/statements?repId=${world.id.ben}&period=${period}`);
    expect(statement).not.to.have.property('proposedAdjustments');
  });

  it('G11: an amount above the limit counts once another person has approved it', async () => {
    const world = await create();
    const { api, id, session } = world;
    const adjustmentId = await propose(world, 1200);
    expect(await netOf(world)).to.equal(4800);
    const statement = await session.ben.expect(200, 'GET', `/v1/statements?repId=${id.ben}&period=${period}`);
    expect(statement.proposedAdjustments).to.have.length(1);
    expect(statement.proposedAdjustments[0]).to.include({ amount: 1200, status: 'proposed' });
    expect(JSON.stringify(statement.proposedAdjustments)).not.to.include('amy');
    const [listed] = await proposed(session.bob);
    expect(listed).to.deep.include({
      adjustmentId,
      mayDecide: true,
      proposedBy: { repId: id.amy, name: 'amy' },
      deciders: [{ repId: id.bob, name: 'bob' }],
    });
    await expectError('403 forbidden', decide(world, 'amy', adjustmentId));
    await expectError('403 forbidden', decide(world, 'max', adjustmentId));
    const key = await api.post(`/v1/adjustments/${adjustmentId}/approve`, {});
    await expectError('403 forbidden', key);
    await api.generate(id.ben, period);
    const approval = { period, status: 'approved' };
    const pending = await expectError(
      '409 adjustments_pending',
      session.max.post(`/v1/statements/${id.ben}/approve`, approval),
    );
    expect(pending.details).to.deep.equal({ adjustmentIds: [adjustmentId] });
    const { body } = await decide(world, 'bob', adjustmentId);
    expect(body).to.include({ status: 'approved', decisionReason: 'Compared with the contest' });
    expect(await netOf(world)).to.equal(6000);
    await expectError('409 already_decided', decide(world, 'bob', adjustmentId, 'reject'));
    await session.max.expect(200, 'POST', `/v1/statements/${id.ben}/approve`, approval);
    const file = await api.get(`/v1/statements/${id.ben}/export?period=${period}&format=csv`);
    expect(file.body).to.include('1200');
  });

  it('G12: adjustments of a person and period within 24 hours count together', async () => {
    const world = await create();
    expect((await add(world, 'amy', 800)).status).to.equal(200);
    expect((await add(world, 'amy', 700)).status).to.equal(202);
    expect((await add(world, 'amy', 100, { period: '2026-02' })).status).to.equal(200);
    expect(await netOf(world)).to.equal(5600);
    await world.sql(
      `update adjustment_proposals set proposed_at = now() - interval '25 hours' where workspace_id = $1`,
    );
    await world.sql(
      `update commission_event_history set changed_at = now() - interval '25 hours' where workspace_id = $1`,
    );
    expect((await add(world, 'amy', 1000)).status, 'equal is not above').to.equal(200);
  });

  it('G13: an amount that is taken back counts by its absolute value', async () => {
    const world = await create();
    const adjustmentId = await propose(world, -1200);
    await expectError('400 VALIDATION_FAILED', world.session.bob.post(`/v1/adjustments/${adjustmentId}/reject`, {}));
    const { body } = await decide(world, 'bob', adjustmentId, 'reject');
    expect(body).to.include({ status: 'rejected' });
    expect(await netOf(world)).to.equal(4800);
    expect(await proposed(world.session.bob)).to.deep.equal([]);
  });

  it('G14: the proposal of the only admin stands, and says that no one may decide', async () => {
    const world = await create();
    const adjustmentId = await propose(world, 1200);
    await world.api.expect(200, 'PATCH', `/v1/reps/${world.id.bob}`, { active: false });
    await expectError('403 forbidden', decide(world, 'amy', adjustmentId));
    expect((await proposed(world.session.amy))[0]).to.deep.include({ deciders: [] });
    await world.api.expect(200, 'PATCH', `/v1/reps/${world.id.max}`, { role: 'admin' });
    const max = await world.as(world.id.max);
    await max.expect(200, 'POST', `/v1/adjustments/${adjustmentId}/approve`, {});
  });

  it('of two people who decide at the same instant, one does', async () => {
    const world = await create(null);
    await world.api.expect(200, 'PATCH', '/v1/workspaces', {
      adjustmentLimits: [{ above: 1000, by: { repIds: [world.id.bob, world.id.max] } }],
    });
    const adjustmentId = await propose(world, 1200);
    const answers = await Promise.all([decide(world, 'bob', adjustmentId), decide(world, 'max', adjustmentId)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect(await netOf(world)).to.equal(6000);
  });

  it('the highest limit that is exceeded counts, and an amount that cannot be compared needs it', async () => {
    const world = await create([
      { above: 1000, by: { role: 'manager' } },
      { above: 5000, by: { role: 'admin' } },
    ]);
    const low = await propose(world, 1200);
    await decide(world, 'max', low);
    expect((await proposed(world.session.amy)).length).to.equal(0);
    const high = (await add(world, 'amy', 6000)).body.adjustmentId;
    await expectError('403 forbidden', decide(world, 'max', high));
    expect((await decide(world, 'bob', high)).status).to.equal(200);
    const foreign = await add(world, 'amy', 1, { currency: 'EUR', period: '2026-02' });
    expect(foreign.status).to.equal(202);
    await expectError('403 forbidden', decide(world, 'max', foreign.body.adjustmentId));
  });

  it('a change, a deletion and the decision of a dispute do not pass the limit', async () => {
    const world = await create();
    const { api, id, session } = world;
    const { body: small } = await add(world, 'amy', 100);
    const path = `/v1/statements/${id.ben}/adjust`;
    await expectError('409 adjustment_limit', session.amy.patch(`${path}/${small.eventId}`, { amount: 5000 }));
    await session.amy.expect(200, 'PATCH', `${path}/${small.eventId}`, { amount: 200 });
    const large = await propose(world, 1200);
    const { body: approved } = await decide(world, 'bob', large);
    await expectError('409 adjustment_limit', session.amy.delete(`${path}/${approved.eventId}`));
    await session.amy.expect(200, 'DELETE', `${path}/${small.eventId}`);
    const dispute = { repId: id.ben, period, type: 'other', description: 'Missing' };
    const { disputeId } = await session.ben.expect(201, 'POST', '/v1/disputes', dispute);
    const accepted = { status: 'accepted', adjustment: { amount: 5000, period } };
    await expectError('409 adjustment_limit', session.amy.patch(`/v1/disputes/${disputeId}`, accepted));
    expect(await netOf(world)).to.equal(6000);
    expect((await api.expect(200, 'GET', `/v1/disputes/${disputeId}`)).status).to.equal('open');
  });

  it('changes and deletions of one adjustment after the other count together', async () => {
    const world = await create();
    const { id, session } = world;
    const path = `/v1/statements/${id.ben}/adjust`;
    const { body: own } = await add(world, 'amy', 800);
    await expectError('409 adjustment_limit', session.amy.patch(`${path}/${own.eventId}`, { amount: 1500 }));
    await session.amy.expect(200, 'PATCH', `${path}/${own.eventId}`, { amount: 1000 });
    await session.amy.expect(200, 'PATCH', `${path}/${own.eventId}`, { amount: 80 });
    await session.amy.expect(200, 'DELETE', `${path}/${own.eventId}`);
    const { body: approved } = await decide(world, 'bob', await propose(world, 2000));
    await session.amy.expect(200, 'PATCH', `${path}/${approved.eventId}`, { amount: 3000 });
    await session.amy.expect(200, 'PATCH', `${path}/${approved.eventId}`, { reason: 'Contest of January' });
    await expectError('409 adjustment_limit', session.amy.patch(`${path}/${approved.eventId}`, { amount: 3000.01 }));
    expect((await add(world, 'amy', 0.01)).status).to.equal(202);
    expect(await netOf(world)).to.equal(7800);
  });

  it('periods with the same days count together, and hold the approval of each other', async () => {
    const world = await create();
    const { api, id, session } = world;
    expect((await add(world, 'amy', 800, { period: '2026-03' })).status).to.equal(200);
    const { status, body } = await add(world, 'amy', 700, { period: '2026-Q1' });
    expect(status).to.equal(202);
    await api.generate(id.ben, period);
    const statement = await session.ben.expect(200, 'GET', `/v1/statements?repId=${id.ben}&period=${period}`);
    expect(statement.proposedAdjustments).to.have.length(1);
    const approval = { period, status: 'approved' };
    const pending = await expectError(
      '409 adjustments_pending',
      session.max.post(`/v1/statements/${id.ben}/approve`, approval),
    );
    expect(pending.details).to.deep.equal({ adjustmentIds: [body.adjustmentId] });
    await decide(world, 'bob', body.adjustmentId, 'reject');
    await session.max.expect(200, 'POST', `/v1/statements/${id.ben}/approve`, approval);
  });

  it('rejects limits without anyone who could decide', async () => {
    const world = await create(null);
    for (const adjustmentLimits of [
      [],
      [{ above: -1, by: { role: 'admin' } }],
      [{ above: 1, by: { repIds: [world.id.ben] } }],
      [{ above: 1, by: { rep: true } }],
      [1, 1].map((above) => ({ above, by: { role: 'admin' } })),
    ])
      await expectError('400 VALIDATION_FAILED', world.api.patch('/v1/workspaces', { adjustmentLimits }));
  });
});
