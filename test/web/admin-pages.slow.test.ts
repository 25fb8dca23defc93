import { expect } from 'chai';
import { duringSuite } from '#test/support/during-suite.js';
import { adminPages } from './admin-pages.js';
import { expectSoundPages, looks } from './sound-pages.js';
import { texts, WebWorld } from './web-world.js';

describe("an admin's pages in the web app", function () {
  this.timeout(240_000);
  const world = duringSuite(() => WebWorld.start());
  let pages: Readonly<Record<string, string>>;

  before(async () => {
    pages = await adminPages(world);
  });

  for (const look of looks)
    it(`are accessible, free of errors and fast, ${look.width} pixels`, async () => {
      await expectSoundPages(world, 'admin', pages, look);
    });

  it('say which part of a page did not load', async () => {
    const { page, close } = await world.openPage('admin', '/account');
    let failing = '';
    await page.setRequestInterception(true);
    page.on('request', (request) =>
      failing !== '' && request.url().includes(failing)
        ? request.respond({
            status: 404,
            contentType: 'application/json',
            body: '{"statusCode":404,"code":"lost","message":"Lost."}',
          })
        : request.continue(),
    );
    for (const [path, operation] of [
      ['/keys', 'connection-tokens'],
      ['/overview', 'recalculate/jobs'],
      [`/statements/${world.idOf('rep')}`, 'comments'],
    ] as const) {
      failing = operation;
      await world.visit(page, path);
      expect((await texts(page, 'main')).join(), path)
        .to.include('This did not load')
        .and.include('Lost.');
      failing = '';
    }
    await close();
  });

  it('say to a rep that the page is not theirs', async () => {
    const { page, close } = await world.openPage('rep', '/account');
    for (const path of ['/recalculations', '/keys']) {
      await world.visit(page, path);
      expect((await texts(page, 'main')).join(), path).to.include('You may not see this');
    }
    await close();
  });
});
