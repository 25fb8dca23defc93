import { expect } from 'chai';
import { type HTTPRequest } from 'puppeteer-core';
import { Browser, texts } from '#test/support/browser.js';
import { adminPages } from './admin-pages.js';
import { expectSoundPages, looks } from './sound-pages.js';

describe("an admin's pages in the web app", () => {
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
      ['/members', 'reps?sort=name&limit=1&'],
      ['/members', 'rep-choices'],
      ['/members', 'reps?ids='],
      ['/people', 'withoutPayrollId=true'],
      ['/quotas', 'reps?sort=name&limit=1&'],
      ['/assignments', 'assignments?repIds='],
      ['/payroll-statements?name=dana', 'words=dana'],
      ['/approvals?name=dana', 'words=dana'],
      ['/approvals', 'exceptions'],
    ] as const) {
      failing = operation;
      await browser.visit(page, path);
      expect((await texts(page, 'main')).join(), `${path} without ${operation}`)
        .to.include('This did not load')
        .and.include('Lost.');
      failing = '';
    }
    await close();
  });

  it('keep the rows of a list until what is read of the next ones has arrived', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/assignments');
    const rows = () => texts(page, 'tbody th[scope=row]');
    const before = await rows();
    const held: HTTPRequest[] = [];
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (request.url().includes('assignments?repIds=')) held.push(request);
      else void request.continue();
    });
    const isHeld = page.waitForRequest((request) => request.url().includes('assignments?repIds='));
    await page.locator('input[aria-label="Name, manager, team or role"]').fill('dana');
    await isHeld;
    expect(await rows()).to.deep.equal(before);
    for (const request of held) void request.continue();
    await page.waitForFunction(`document.querySelectorAll('tbody th[scope=row]').length === 1`);
    expect(await rows()).to.deep.equal(['Dana Whitfield']);
    expect(problems).to.deep.equal([]);
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
