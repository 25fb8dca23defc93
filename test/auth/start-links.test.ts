import { expect } from 'chai';
import { testService } from '#test/support/test-service.js';
import { sessionOf } from '#test/support/tokens.js';

const setUp = {
  name: 'Acme',
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  adminName: 'Mia',
  adminEmail: 'Mia@acme.test',
};
const ofPage = { 'X-Requested-By': 'web', 'Sec-Fetch-Site': 'same-origin' };

describe('links of the terminal', () => {
  const service = testService();

  it('create a workspace and its admin once, and sign in with a cookie only for a page of the service', async () => {
    const token = service.running.service.startLinks.create({ kind: 'set_up' });
    const anyone = service.client(null);
    const made = await anyone.send('POST', '/auth/set-up', { token, ...setUp }, ofPage);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    expect(made.headers.get('set-cookie')).to.match(/^session=sess_.*HttpOnly/);
    const me = await service.client(made.body.sessionToken).expect(200, 'GET', '/auth/me');
    expect(me).to.deep.include({ name: 'Mia', email: 'mia@acme.test', role: 'admin' });
    expect(me.workspace).to.include({ name: 'Acme', currency: 'EUR', timezone: 'Europe/Berlin' });
    const again = await anyone.send('POST', '/auth/set-up', { token, ...setUp });
    expect([again.status, again.body.code]).to.deep.equal([401, 'invalid_start_link']);
    const signIn = service.running.service.startLinks.create({
      kind: 'sign_in',
      workspaceId: me.workspace.workspaceId,
      repId: me.repId,
    });
    const wrongKind = await anyone.send('POST', '/auth/set-up', { token: signIn, ...setUp });
    expect(wrongKind.status).to.equal(401);
    const opened = await anyone.send('POST', '/auth/start-link', { token: signIn });
    expect([opened.status, opened.headers.get('set-cookie')]).to.deep.equal([200, null]);
    expect((await anyone.send('POST', '/auth/start-link', { token: signIn })).status).to.equal(401);
  });

  it('leave a workspace whose revision changes with its data, and not without a change', async () => {
    const { workspaceId, api } = await service.workspace();
    const [repId] = await api.saveReps('ada', 'bob');
    await service.waitForCalculations(workspaceId);
    const ada = await sessionOf(service, workspaceId, repId);
    const revision = async () => (await ada.expect(200, 'GET', '/v1/revision')).revision;
    const first = await revision();
    expect(await revision()).to.equal(first);
    await api.expect(201, 'PUT', '/v1/deals/D-1', {
      amount: 10,
      stage: 'Won',
      closeDate: '2026-01-10',
      ownerId: 'ada',
    });
    expect(await revision()).not.to.equal(first);
    await service.waitForCalculations(workspaceId);
    const second = await revision();
    const period = '2026-01';
    await api.expect(201, 'POST', `/v1/statements/${repId}/comments`, { period, body: 'Hello' });
    expect(await revision()).not.to.equal(second);
    await api.generate(repId, period);
    const path = `/v1/statements?repId=${repId}&period=${period}`;
    expect((await ada.expect(200, 'GET', path)).version).to.equal(1);
    expect(await ada.expect(200, 'GET', `${path}&live=true`)).to.include({ version: 0, status: 'none' });
    const [listed] = await ada.expect(200, 'GET', `/v1/statements/${repId}/list`);
    expect(listed).to.include({ period, status: 'draft', version: 1, netPayout: 0, approvedAt: null });
  });
});
