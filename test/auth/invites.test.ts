import { expect } from 'chai';
import { duringSuite } from '#test/support/during-suite.js';
import { expectError } from '#test/support/errors.js';
import { AuthFixture } from './auth-fixture.js';

describe('invitations', () => {
  const world = duringSuite(() => AuthFixture.start({ PUBLIC_URL: 'https://pay.acme.test' }));

  it('activates the rep and stores a mail with the link', async () => {
    const { api } = await world.service.workspace({ name: 'Acme\r\nBcc: all@acme.test' });
    const ben = await world.person(api, 'ben@acme.test', { active: false });
    const answer = await api.post(`/v1/reps/${ben.repId}/invite`);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ invited: true, email: 'ben@acme.test' });
    expect((await api.get(`/v1/reps/${ben.repId}`)).body).to.include({ active: true, invite_status: 'invited' });
    const [mail, ...more] = await world.mailsTo('ben@acme.test');
    expect(more).to.deep.equal([]);
    expect(mail?.subject).to.equal('You are invited to Acme Bcc: all@acme.test');
    expect(mail?.text).to.contain('https://pay.acme.test').and.to.contain('Name of ben@acme.test');
  });

  it('escapes names in HTML', async () => {
    const { api } = await world.service.workspace({ name: '<script>"A" & \'B\'</script>' });
    const { repId } = await world.person(api, 'html@acme.test');
    await api.expect(200, 'POST', `/v1/reps/${repId}/invite`);
    const [mail] = await world.mailsTo('html@acme.test');
    expect(mail?.html)
      .to.contain('&lt;script&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/script&gt;')
      .and.to.not.contain('<script>');
  });

  it('rejects reps that are unknown, of another workspace or without an address', async () => {
    const { api } = await world.service.workspace();
    const other = await world.service.workspace();
    const foreign = await world.person(other.api, 'foreign@acme.test');
    const silent = await world.person(api, 'silent@acme.test');
    await world.sql(`update reps set email = '' where rep_id = $1`, silent.repId);
    for (const repId of [foreign.repId, silent.repId, 'nobody', '00000000-0000-4000-8000-000000000000']) {
      await expectError('400 rep_not_found', api.post(`/v1/reps/${repId}/invite`));
    }
    expect(await world.mailsTo('foreign@acme.test')).to.deep.equal([]);
  });

  it('stops at the seat limit of the tier', async () => {
    const { api } = await world.service.workspace({ tier: 'free' });
    const people = Array.from({ length: 12 }, (_, index) => ({
      email: `seat${index}@acme.test`,
      name: 'Seat',
      active: index < 9,
    }));
    const ids: string[] = await api.saveReps(...people);
    const bulk = await api.expect(200, 'POST', '/v1/reps/bulk-invite', {
      repIds: [ids[9], ids[10], 'nobody', ids[0], ids[9]],
    });
    expect(bulk).to.deep.equal({
      invited: [ids[9], ids[0]],
      failed: [
        { repId: ids[10], reason: 'rep_limit_reached' },
        { repId: 'nobody', reason: 'rep_not_found' },
      ],
      inviteCount: 2,
    });
    await expectError('403 rep_limit_reached', api.post(`/v1/reps/${ids[11]}/invite`));
    expect((await api.get(`/v1/reps/${ids[11]}`)).body).to.include({ active: false, invite_status: null });
    expect(await world.mailsTo('seat11@acme.test')).to.deep.equal([]);
    expect((await api.post(`/v1/reps/${ids[0]}/invite`)).status).to.equal(200);
  });

  it('accepts 1 to 500 reps in one request', async () => {
    const { api } = await world.service.workspace();
    const id = '00000000-0000-4000-8000-000000000000';
    for (const body of [
      {},
      { repIds: [] },
      { repIds: Array(501).fill(id) },
      { repIds: id },
      { repIds: [5] },
      { repIds: [id], all: true },
    ])
      expect((await api.post('/v1/reps/bulk-invite', body)).status).to.equal(400);
    expect((await api.post('/v1/reps/bulk-invite', { repIds: Array(500).fill(id) })).body.inviteCount).to.equal(0);
  });

  it('invites five hundred reps within a few seconds', async () => {
    const { api } = await world.service.workspace();
    const people = Array.from({ length: 500 }, (_, index) => ({ email: `many${index}@acme.test`, name: 'Many' }));
    const repIds = await api.saveReps(...people);
    const startedAt = performance.now();
    const { inviteCount } = await api.expect(200, 'POST', '/v1/reps/bulk-invite', { repIds });
    expect(inviteCount).to.equal(500);
    expect(performance.now() - startedAt).to.be.lessThan(10_000);
  });
});
