import { expect } from 'chai';
import { Browser, texts } from '#test/support/browser.js';
import { adminPages } from './admin-pages.js';
import { expectSoundPages, looks } from './sound-pages.js';

describe("an admin's pages in the web app", function () {
  this.timeout(240_000);
  const browser = Browser.duringSuite();
  let pages: Readonly<Record<string, string>>;

  before(async () => {
    pages = await adminPages(browser);
  });

  for (const look of looks)
    it(`are accessible, free of errors and fast, ${look.width} pixels`, async () => {
      await expectSoundPages(browser, 'admin', pages, look);
    });

  it('say which part of a page did not load', async () => {
    const { page, close } = await browser.openPage('admin', '/account');
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
      [`/statements/${browser.repId('rep')}`, 'comments'],
    ] as const) {
      failing = operation;
      await browser.visit(page, path);
      expect((await texts(page, 'main')).join(), path)
        .to.include('This did not load')
        .and.include('Lost.');
      failing = '';
    }
    await close();
  });

  it('say to a rep that the page is not theirs', async () => {
    const { page, close } = await browser.openPage('rep', '/account');
    for (const path of ['/recalculations', '/keys']) {
      await browser.visit(page, path);
      expect((await texts(page, 'main')).join(), path).to.include('not part of your role');
    }
    await close();
  });
});
