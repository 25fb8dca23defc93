import { expect } from 'chai';
import { adminOnly, invalid, rejects, unauthorized } from './rejections.js';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';
import { expectError, unknownId, World } from './world.js';

/** Section 4 of the specification, reps. */
export function describeReps(): void {
  describe('4: reps', () => {
    let world: World;

    before(async () => {
      world = await World.create();
    });

    describeRepQueries(() => world);
    describeRepChanges(() => world);
    describeRepInvites(() => world);
  });
}

function describeRepQueries(world: () => World): void {
  row(454, 'GET /v1/reps returns reps[]', async () => {
    const { reps } = await world().get('/v1/reps');
    expect(reps.map((rep: Json) => rep.name).sort()).to.deep.equal(['Ben', 'Cat', 'Mia']);
  });

  row(455, 'a rep record has id, email, name, role, active, CRM member id, avatar and invite_status', async () => {
    const { reps } = await world().get(`/v1/reps?email=${world().email('ben')}`);
    expect(reps[0]).to.deep.include({
      id: world().ids.ben,
      email: world().email('ben'),
      name: 'Ben',
      role: 'rep',
      active: true,
      crmMemberId: 'ben',
      avatar: null,
      invite_status: null,
    });
  });

  row(456, 'email is matched exactly, ignoring case', async () => {
    const { reps } = await world().get(`/v1/reps?email=${world().email('ben').toUpperCase()}`);
    expect(reps.map((rep: Json) => rep.id)).to.deep.equal([world().ids.ben]);
    expect((await world().get(`/v1/reps?email=${world().email('ben').slice(1)}`)).reps).to.deep.equal([]);
  });

  row(457, 'an unknown email gives an empty reps[]', async () => {
    expect((await world().get('/v1/reps?email=nobody@acme.test')).reps).to.deep.equal([]);
  });

  unauthorized(458, 'GET', () => world().anyone.get('/v1/reps'));

  row(459, 'a rep sees the own record only', async () => {
    const { reps } = await world().ben.expect(200, 'GET', '/v1/reps');
    expect(reps.map((rep: Json) => rep.id)).to.deep.equal([world().ids.ben]);
    await expectError('403 forbidden', world().ben.get(`/v1/reps/${world().ids.cat}`));
  });

  row(460, 'GET /v1/reps/:repId adds the linkage to the CRM', async () => {
    const rep = await world().get(`/v1/reps/${world().ids.ben}`);
    expect(rep).to.deep.include({ id: world().ids.ben, provider: null, crmId: 'ben', syncedAt: null });
  });

  row(461, 'lastDealOwnedAt is the time of the latest deal snapshot of the rep', async () => {
    await world().deal('L1', { amount: 1 });
    const deal = await world().deal('L2', { amount: 2 });
    const { lastDealOwnedAt } = await world().get(`/v1/reps/${world().ids.ben}`);
    expect(lastDealOwnedAt).to.equal(deal.snapshotAt);
    expect(Date.parse(lastDealOwnedAt)).to.be.closeTo(Date.now(), 1_800_000);
  });

  row(462, 'lastDealOwnedAt is null without deals', async () => {
    expect((await world().get(`/v1/reps/${world().ids.cat}`)).lastDealOwnedAt).to.equal(null);
  });

  rejects(463, 'GET of an unknown rep is 400 rep_not_found', 400, 'rep_not_found', () =>
    world().admin.get(`/v1/reps/${unknownId}`),
  );

  rejects(464, 'GET with an id that is no id is 400', 400, 'rep_not_found', () =>
    world().admin.get('/v1/reps/garbage'),
  );
}

function describeRepChanges(world: () => World): void {
  const path = () => `/v1/reps/${world().ids.cat}`;
  const patch = (body: object) => world().admin.expect(200, 'PATCH', path(), body);

  row(465, 'PATCH sets the role', async () => {
    expect(await patch({ role: 'manager' })).to.include({ id: world().ids.cat, role: 'manager', active: true });
  });

  row(466, 'the new role applies at once', async () => {
    expect((await world().get(path())).role).to.equal('manager');
    const session = async () => service().client(await service().token(world().workspaceId, 'sess', world().ids.cat));
    const manager = await session();
    expect((await manager.expect(200, 'GET', '/auth/me')).role).to.equal('manager');
    expect((await manager.expect(200, 'GET', '/v1/reps')).reps).to.have.length(3);
    await patch({ role: 'rep' });
    expect((await manager.get('/v1/commissions')).status, 'the session does not stay a manager').to.be.oneOf([
      401, 403,
    ]);
    expect((await (await session()).expect(200, 'GET', '/auth/me')).role).to.equal('rep');
  });

  row(467, 'PATCH sets active', async () => {
    expect(await patch({ active: false })).to.include({ id: world().ids.cat, active: false, role: 'rep' });
  });

  row(468, 'a deactivated rep is shown as inactive, and the session ends at once', async () => {
    expect((await world().get(path())).active).to.equal(false);
    await patch({ active: true });
    const session = service().client(await service().token(world().workspaceId, 'sess', world().ids.cat));
    await session.expect(200, 'GET', '/auth/me');
    await patch({ active: false });
    await expectError('401 unauthorized', session.get('/auth/me'));
    await patch({ active: true });
    await expectError('401 unauthorized', session.get('/auth/me'));
    expect((await world().get(path())).active).to.equal(true);
  });

  invalid(469, 'PATCH of an unknown role is 400', () => world().admin.patch(path(), { role: 'owner' }), 'role');
  adminOnly(470, 'PATCH', (who) => world().client(who).patch(path(), { role: 'admin' }));

  rejects(471, 'PATCH of an unknown rep is 404', 404, 'rep_not_found', () =>
    world().admin.patch(`/v1/reps/${unknownId}`, { active: true }),
  );

  rejects(472, 'POST sync without a CRM is 400', 400, 'no_crm_configured', () => world().admin.post('/v1/reps/sync'));
  adminOnly(473, 'POST sync', (who) => world().client(who).post('/v1/reps/sync'));
}

function describeRepInvites(world: () => World): void {
  const invite = (repId: string) => world().admin.post(`/v1/reps/${repId}/invite`);

  row(474, 'POST invite returns {invited: true, email}', async () => {
    const answer = await invite(world().ids.ben);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ invited: true, email: world().email('ben') });
  });

  row(475, 'an invited rep has invite_status invited and is active', async () => {
    const rep = await world().get(`/v1/reps/${world().ids.ben}`);
    expect(rep).to.include({ invite_status: 'invited', active: true });
  });

  row(482, 'an invite e-mail is sent', async () => {
    const mail = await service().mailTo(world().email('ben'));
    expect(mail).to.match(/^Subject: .*(invit|Acme)/im);
    expect(mail).to.contain('From: Acme Pay <pay@acme.test>');
  });

  rejects(476, 'POST invite of an unknown rep is 400', 400, 'rep_not_found', () => invite(unknownId));
  adminOnly(477, 'POST invite', (who) => world().client(who).post(`/v1/reps/${world().ids.cat}/invite`));

  row(478, 'POST bulk-invite invites every rep it names', async () => {
    const body = { repIds: [world().ids.cat, world().ids.mgr] };
    const answer = await world().admin.expect(200, 'POST', '/v1/reps/bulk-invite', body);
    expect(answer).to.deep.include({ failed: [], inviteCount: 2 });
    const { reps } = await world().get('/v1/reps');
    expect(reps.map((rep: Json) => rep.invite_status)).to.deep.equal(['invited', 'invited', 'invited']);
  });

  row(479, 'bulk-invite returns invited strings and failed {repId, reason}', async () => {
    const body = { repIds: [world().ids.cat, unknownId] };
    const answer = await world().admin.expect(200, 'POST', '/v1/reps/bulk-invite', body);
    expect(answer.inviteCount).to.equal(1);
    expect(answer.invited).to.have.length(1);
    expect(answer.invited[0]).to.be.a('string');
    expect(answer.failed).to.deep.equal([{ repId: unknownId, reason: 'rep_not_found' }]);
  });

  row(480, 'POST bulk-invite without repIds is 400', async () => {
    for (const body of [{}, { repIds: [] }, { repIds: 'all' }])
      await expectError('400 VALIDATION_FAILED', world().admin.post('/v1/reps/bulk-invite', body));
  });

  row(481, 'POST bulk-invite by a caller who is not an admin is 403', async () => {
    const body = { repIds: [world().ids.cat] };
    for (const who of ['mgr', 'ben', 'conn'] as const)
      await expectError('403 forbidden', world().client(who).post('/v1/reps/bulk-invite', body));
  });
}
