import { expect } from 'chai';
import { duringSuite } from '#test/support/during-suite.js';
import { adminPages } from './admin-pages.js';
import { texts, violations, WebWorld } from './web-world.js';

describe("an admin's pages in the web app", function () {
  this.timeout(240_000);
  const world = duringSuite(() => WebWorld.start());
  let pages: Readonly<Record<string, string>>;

  before(async () => {
    pages = await adminPages(world);
  });

  for (const [scheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const)
    it(`are accessible and free of errors, ${scheme}, ${width} pixels`, async () => {
      for (const [name, path] of Object.entries(pages)) {
        const { page, problems, close } = await world.openPage('admin', path, { scheme, width });
        expect(await violations(page), name).to.deep.equal([]);
        expect(problems, name).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), name).to.equal(true);
        await close();
      }
    });

  it('inform the second of two admins who edit one plan, and keep their input over a reload', async () => {
    const address = pages['plan-builder'] ?? '';
    const planId = address.split('/')[2] ?? '';
    const { page, close } = await world.openPage('admin', address);
    const rate = '[aria-label="Rate of tier 1"]';
    await page.waitForSelector(rate);
    await page.click(rate, { count: 3 });
    await page.keyboard.type('7.5');
    await page.reload();
    await page.waitForSelector(rate);
    expect(await page.$eval(rate, (input) => (input as unknown as { value: string }).value)).to.equal('7.5');
    const [latest] = await world.api.expect(200, 'GET', `/v1/plans/${planId}/history`);
    const change = { config: latest.config, latestVersion: latest.version };
    const saved = await world.api.expect(200, 'PATCH', `/v1/plans/${planId}`, { ...change, status: 'draft' });
    await page.waitForSelector(`::-p-xpath(//button[normalize-space()="Keep mine"])`, { timeout: 20_000 });
    expect((await texts(page, 'main')).join()).to.include(`Version ${saved.version} was saved`);
    expect(await page.$eval(rate, (input) => (input as unknown as { value: string }).value)).to.equal('7.5');
    const late = await world.api.send('PATCH', `/v1/plans/${planId}`, change);
    expect([late.status, late.body.code]).to.deep.equal([409, 'plan_changed']);
    await close();
  });

  it('say to a rep that the page is not theirs', async () => {
    for (const path of ['/recalculations', '/keys']) {
      const { page, close } = await world.openPage('rep', path);
      expect((await texts(page, 'main')).join(), path).to.include('You may not see this');
      await close();
    }
  });
});
