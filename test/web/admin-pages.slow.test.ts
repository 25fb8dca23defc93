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

  it('say to a rep that the page is not theirs', async () => {
    for (const path of ['/recalculations', '/keys']) {
      const { page, close } = await world.openPage('rep', path);
      expect((await texts(page, 'main')).join(), path).to.include('You may not see this');
      await close();
    }
  });
});
