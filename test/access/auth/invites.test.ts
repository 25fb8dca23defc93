import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { addPerson } from './otp-requests.js';

describe('invitations', () => {
  const service = Service.duringSuite({ settings: { PUBLIC_URL: 'https://pay.acme.test' } });

  it('activates the rep and stores a mail with the link', async () => {
    const { api } = await service.workspace({ name: 'Acme\r\nBcc: all@acme.test' });
    const ben = await addPerson(api, 'ben@acme.test', { active: false });
    const answer = await api.post(`/v1/reps/${ben.repId}/invite`);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ invited: true, email: 'ben@acme.test' });
    expect((await api.get(`/v1/reps/${ben.repId}`)).body).to.include({ active: true, invite_status: 'invited' });
    const [mail, ...more] = await service.mailsTo('ben@acme.test');
    expect(more).to.deep.equal([]);
    expect(mail?.subject).to.equal('You are invited to Acme Bcc: all@acme test');
    expect(mail?.text).to.contain('https://pay.acme.test').and.to.contain('Hello Name of ben@acme test,');
  });

  it('escapes names in HTML', async () => {
    const { api } = await service.workspace({ name: '<script>"A" & \'B\'</script>' });
    const { repId } = await addPerson(api, 'html@acme.test');
    await api.expect(200, 'POST', `/v1/reps/${repId}/invite`);
    const [mail] = await service.mailsTo('html@acme.test');
    expect(mail?.html)
      .to.contain('&lt;script&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/script&gt;')
      .and.to.not.contain('<script>');
  });

  it('rejects reps that are unknown, of another workspace or without an address', async () => {
    const { api } = await service.workspace();
    const other = await service.workspace();
    const foreign = await addPerson(other.api, 'foreign@acme.test');
    const silent = await addPerson(api, 'silent@acme.test');
    await service.sql(`update reps set email = '' where rep_id = $1`, silent.repId);
    for (const repId of [foreign.repId, silent.repId, 'nobody', '00000000-0000-4000-8000-000000000000']) {
      await expectError('400 rep_not_found', api.post(`/v1/reps/${repId}/invite`));
    }
    expect(await service.mailsTo('foreign@acme.test')).to.deep.equal([]);
  });

  describe('are limited', () => {
    const agePast = (interval: string) =>
      service.sql('update limited_uses set used_at = used_at - $1::interval', interval);
    const mailsTo = async (address: string) => (await service.mailsTo(address)).length;

    it('to one mail an hour for each address: a repeated invitation succeeds and sends none', async () => {
      const { api } = await service.workspace();
      const { repId } = await addPerson(api, 'hour@acme.test', { active: false });
      const invite = () => api.expect(200, 'POST', `/v1/reps/${repId}/invite`);
      expect(await invite()).to.deep.equal(await invite());
      const bulk = await api.expect(200, 'POST', '/v1/reps/bulk-invite', { repIds: [repId] });
      expect(bulk).to.deep.equal({ invited: [repId], failed: [], inviteCount: 1 });
      expect(await mailsTo('hour@acme.test')).to.equal(1);
      await agePast('1 hour');
      await invite();
      expect(await mailsTo('hour@acme.test')).to.equal(2);
    });

    it('to five mails a day for each address, also of another rep who has got the address', async () => {
      const { api } = await service.workspace();
      const first = await addPerson(api, 'day@acme.test');
      for (let mails = 0; mails < 5; mails += 1) {
        await api.expect(200, 'POST', `/v1/reps/${first.repId}/invite`);
        await agePast('61 minutes');
      }
      await expectError('429 rate_limited', api.post(`/v1/reps/${first.repId}/invite`));
      await service.sql(`update reps set email = 'former@acme.test' where rep_id = $1`, first.repId);
      const second = await addPerson(api, 'day@acme.test', { active: false });
      const bulk = await api.expect(200, 'POST', '/v1/reps/bulk-invite', { repIds: [second.repId] });
      expect(bulk.failed).to.deep.equal([{ repId: second.repId, reason: 'invited_too_often' }]);
      expect(await api.expect(200, 'GET', `/v1/reps/${second.repId}`)).to.include({ active: false });
      expect(await mailsTo('day@acme.test')).to.equal(5);
      await agePast('1 day');
      await api.expect(200, 'POST', `/v1/reps/${second.repId}/invite`);
    });

    it('to 1,000 mails a day of a workspace, which do not limit another workspace', async () => {
      const { api, workspaceId } = await service.workspace();
      const repIds = await api.saveReps({ email: 'last@acme.test', name: 'A' }, { email: 'over@acme.test', name: 'B' });
      await service.sql(
        `insert into limited_uses (workspace_id, use_id, kind, subject)
         select $1, gen_random_uuid(), 'invitation', 'address ' || n from generate_series(1, 999) n`,
        workspaceId,
      );
      const bulk = await api.expect(200, 'POST', '/v1/reps/bulk-invite', { repIds });
      expect(bulk.invited).to.deep.equal([repIds[0]]);
      expect(bulk.failed).to.deep.equal([{ repId: repIds[1], reason: 'daily_limit_reached' }]);
      await expectError('429 rate_limited', api.post(`/v1/reps/${repIds[1]}/invite`));
      const other = await service.workspace();
      const { repId } = await addPerson(other.api, 'over@acme.test');
      await other.api.expect(200, 'POST', `/v1/reps/${repId}/invite`);
    });
  });

  it('shows names without links, and at most 60 characters of them', async () => {
    const name = `Win at https://evil.test/now ${'x'.repeat(150)}`;
    const { api } = await service.workspace({ name: 'www.evil.test evil\u200b.test/now Acme.com GmbH' });
    const { repId } = await addPerson(api, 'names@acme.test', { name });
    await api.expect(200, 'POST', `/v1/reps/${repId}/invite`);
    const [mail] = await service.mailsTo('names@acme.test');
    expect(mail?.subject).to.equal('You are invited to Acme com GmbH');
    expect(mail?.text).to.contain(`Hello Win at ${'x'.repeat(52)}…,`);
    const [withLinks] = (mail?.text ?? '').split('https://pay.acme.test');
    for (const body of [withLinks, mail?.subject]) expect(body).to.not.match(/evil|:\/\/|\w\.\w/);
  });

  it('stops at the seat limit of the tier', async () => {
    const { api } = await service.workspace({ tier: 'free' });
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
    expect(await service.mailsTo('seat11@acme.test')).to.deep.equal([]);
    expect((await api.post(`/v1/reps/${ids[0]}/invite`)).status).to.equal(200);
  });

  it('accepts 1 to 500 reps in one request', async () => {
    const { api } = await service.workspace();
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

  it('invites five hundred reps in one request', async () => {
    const { api } = await service.workspace();
    const people = Array.from({ length: 500 }, (_, index) => ({ email: `many${index}@acme.test`, name: 'Many' }));
    const repIds = await api.saveReps(...people);
    const { inviteCount } = await api.expect(200, 'POST', '/v1/reps/bulk-invite', { repIds });
    expect(inviteCount).to.equal(500);
  });
});
