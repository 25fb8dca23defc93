import { expect } from 'chai';
import { StartLinks } from '#src/access/auth/start-links.js';
import { Browser, waitUntilLoaded } from '#test/support/browser.js';
import { AdminWalk } from './admin-walk.js';

const earlier = { setUp: 7 } as const;

describe('a new workspace in the web app, from the link of the terminal', () => {
  const browser = Browser.duringSuite({ isEmpty: true });

  it('is set up and signs its admin in, with the currency and the time zone already chosen', async () => {
    const token = browser.service.running.service.parts.resolve(StartLinks).create({ kind: 'set_up' });
    const { page, problems, close } = await browser.openPage(null, '/login');
    const walk = new AdminWalk(browser, page);
    await walk.begin('setUp', `/setup#${token}`);
    await walk.clicks.write('Name of the company', 'Ridge Tools');
    await walk.clicks.write('Your name', 'Ines Berg');
    await walk.clicks.write('Your e-mail address', 'ines@ridge.test');
    await Promise.all([page.waitForNavigation(), walk.clicks.press('Create workspace')]);
    await waitUntilLoaded(page);
    const [session] = (await page.browserContext().cookies()).filter(({ name }) => name === 'session');
    const me = await browser.service.client(session?.value ?? null).expect(200, 'GET', '/auth/me');
    expect(me).to.include({ name: 'Ines Berg', email: 'ines@ridge.test', role: 'admin' });
    const timezone = await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone');
    expect(me.workspace).to.include({ name: 'Ridge Tools', currency: 'USD', timezone });
    expect(walk.compare(earlier).now).to.be.at.most((earlier.setUp * 2) / 3);
    expect(problems.filter((one) => !one.includes('401'))).to.deep.equal([]);
    await close();
  });
});
