import { expect } from 'chai';
import { Service } from '#test/support/service.js';

const token = 'queue-board-token-of-an-operator';
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('the queue board', () => {
  const service = Service.duringSuite({ settings: { QUEUE_BOARD_TOKEN: token } });

  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${service.url}/admin/queues${path}`, { redirect: 'manual', ...init });

  async function signIn(): Promise<string> {
    const response = await send('/sign-in', { method: 'POST', headers: form, body: `token=${token}` });
    expect(response.status).to.equal(303);
    return response.headers.get('set-cookie') ?? '';
  }

  it('redirects to the sign-in form without a cookie and shows nothing of the queue', async () => {
    for (const path of ['', '/', '/api/queues', '/queue/commissions', '/static/js/main.js']) {
      const response = await send(path);
      expect(response.status, path).to.equal(303);
      expect(response.headers.get('location')).to.equal('/admin/queues/sign-in');
    }
  });

  it("rejects a workspace's admin, because it shows the jobs of all workspaces", async () => {
    const { apiKey } = await service.workspace();
    expect((await send('/api/queues', { headers: { Authorization: `Bearer ${apiKey}` } })).status).to.equal(401);
    const wrong = await send('/sign-in', { method: 'POST', headers: form, body: `token=${apiKey}` });
    expect(wrong.status).to.equal(401);
    expect(wrong.headers.get('set-cookie')).to.equal(null);
  });

  it('sets an HttpOnly cookie for 15 minutes, restricted to the path of the board', async () => {
    const cookie = await signIn();
    expect(cookie).to.match(
      /^queue_board=\d+\.[\w-]{43}; Max-Age=900; Path=\/admin\/queues; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie).to.not.include(token);
    const page = await send('/', { headers: { Cookie: cookie.split(';')[0] ?? '' } });
    expect(page.status).to.equal(200);
    expect(page.headers.get('content-security-policy')).to.include("script-src 'self';");
    const script = /src="(static\/js\/main[^"]+)"/.exec(await page.text())?.[1];
    expect((await send(`/${script}`, { headers: { Cookie: cookie.split(';')[0] ?? '' } })).status).to.equal(200);
  });

  it('rejects an expired cookie and a cookie with a changed expiry', async () => {
    const [, until = '', seal = ''] = /queue_board=(\d+)\.([\w-]+)/.exec(await signIn()) ?? [];
    for (const [moved, given] of [
      [String(Number(until) + 1), seal],
      [String(Date.now() - 1), seal],
      [until, seal.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
    ])
      expect((await send('/api/queues', { headers: { Cookie: `queue_board=${moved}.${given}` } })).status).to.equal(
        303,
      );
  });

  it('lists the queue after a sign-in with the token, and changes jobs only if that is enabled', async () => {
    const headers = { Authorization: `Bearer ${token}` };
    const { queues } = (await (await send('/api/queues', { headers })).json()) as {
      queues: { name: string; readOnlyMode: boolean }[];
    };
    expect(queues.map(({ name, readOnlyMode }) => ({ name, readOnlyMode }))).to.deep.equal([
      { name: 'commissions', readOnlyMode: true },
    ]);
    const pause = await send('/api/queues/commissions/pause', { method: 'PUT', headers });
    expect(pause.status).to.equal(405);
  });

  it('returns 404 without the setting', async () => {
    const other = await Service.start();
    try {
      expect((await fetch(`${other.url}/admin/queues`)).status).to.equal(404);
    } finally {
      await other.stop();
    }
  });
});
