import { expect } from 'chai';
import { StartLinks } from '#src/access/auth/start-links.js';
import { banner } from '#src/app/banner.js';
import { loadStartPageLinks } from '#src/app/start-page-links.js';
import { createDatabase } from '#src/platform/database/pool.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

const setUp = {
  name: 'Acme',
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  adminName: 'Mia',
  adminEmail: 'Mia@acme.test',
};
const ofPage = { 'X-Requested-By': 'web', 'Sec-Fetch-Site': 'same-origin' };

describe('links of the terminal', () => {
  const service = Service.duringSuite({ isAlone: true });

  it('are printed with the public address of the service', () => {
    const running = { url: 'http://127.0.0.1:3000', welcome: null, links: [{ label: 'Mia, admin', path: '/start#t' }] };
    expect(banner(running, undefined)).to.include('http://127.0.0.1:3000/start#t');
    expect(banner(running, 'https://pay.acme.com')).to.include('https://pay.acme.com/start#t');
  });

  it('create a workspace and its admin once, and sign in with a cookie only for a page of the service', async () => {
    const token = service.running.service.parts.resolve(StartLinks).create({ kind: 'set_up' });
    const anyone = service.client(null);
    await expectError(
      '400 VALIDATION_FAILED',
      anyone.send('POST', '/auth/set-up', { token, ...setUp, timezone: 'IST' }),
    );
    const made = await anyone.send('POST', '/auth/set-up', { token, ...setUp }, ofPage);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    expect(made.headers.get('set-cookie')).to.match(/^session=sess_.*HttpOnly/);
    const me = await service.client(made.body.sessionToken).expect(200, 'GET', '/auth/me');
    expect(me).to.deep.include({ name: 'Mia', email: 'mia@acme.test', role: 'admin' });
    expect(me.workspace).to.include({ name: 'Acme', currency: 'EUR', timezone: 'Europe/Berlin' });
    await expectError('401 invalid_start_link', anyone.send('POST', '/auth/set-up', { token, ...setUp }));
    const owner = createDatabase({ url: service.database.ownerUrl, size: 1, onError: () => {}, asOwner: true });
    const printed = await loadStartPageLinks(service.running.service, owner).finally(() => owner.destroy());
    expect(printed.map(({ label }) => label)).to.deep.equal(['Mia, admin of Acme']);
    const [, ofStart] = printed[0]?.path.split('#') ?? [];
    expect((await anyone.send('POST', '/auth/start-link', { token: ofStart })).status).to.equal(200);
    const signIn = service.running.service.parts.resolve(StartLinks).create({
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
});
