import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, waitUntilLoaded } from '#test/support/browser.js';
import { violations } from './accessibility.js';
import { keyboard, pointer } from './input-methods.js';
import { latestMonth } from './rep-pages.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

describe('forms of the web app', () => {
  const browser = Browser.duringSuite();
  const seller = 'Dana Whitfield';
  let month: string;
  let address: string;
  before(async () => {
    month = await latestMonth(browser);
    address = `/statements/${browser.repId(seller)}?period=${month}`;
  });

  const entered = (page: Page) => page.$eval('[role=dialog] textarea', (one) => (one as { value?: string }).value);
  const isClosed = (page: Page) => page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
  const disputes = async (): Promise<Loose[]> =>
    (await browser.workspace.api.expect(200, 'GET', `/v1/disputes?repId=${browser.repId(seller)}`)).disputes;

  it('keep what was entered across a reload, a lost connection and an ended session', async () => {
    const { page, close } = await browser.openPage('rep', address);
    const words = 'The second year is missing.';
    await pointer.press(page, 'button', 'Report something missing');
    await pointer.write(page, 'Your explanation', words);
    await page.reload();
    await page.waitForSelector('[role=dialog] textarea');
    expect(await entered(page)).to.equal(words);

    await page.setOfflineMode(true);
    await pointer.press(page, 'button', 'Send question');
    await page.waitForSelector('[role=dialog] [role=alert]');
    expect(await entered(page)).to.equal(words);
    await page.setOfflineMode(false);

    await page.browserContext().setCookie({
      name: 'session',
      value: 'sess_ended',
      domain: new URL(browser.service.url).hostname,
      path: '/',
    });
    await pointer.press(page, 'button', 'Send question');
    await pointer.press(page, 'button', 'Sign in');
    await page.waitForFunction(`location.pathname === '/login'`);
    const email = 'dana.whitfield@demo.example';
    await pointer.write(page, 'E-mail address', email);
    await pointer.press(page, 'button', 'Send code');
    await page.waitForSelector('input[autocomplete=one-time-code]:focus');
    const code = await browser.service.lastCode(email);
    await Promise.all([page.waitForNavigation(), page.keyboard.type(code)]);
    await page.waitForSelector('[role=dialog] textarea');
    expect(await entered(page)).to.equal(words);
    await pointer.press(page, 'button', 'Send question');
    await isClosed(page);
    expect((await disputes()).filter(({ description }) => description === words)).to.have.length(1);
    await page.reload();
    await waitUntilLoaded(page);
    expect(await page.$('[role=dialog]'), 'a sent form is not opened again').to.equal(null);
    await close();
  });

  it('ask before Escape discards what was entered, and return the focus', async () => {
    const { page, close } = await browser.openPage('rep', address);
    await keyboard.press(page, 'button', 'Report something missing');
    await keyboard.write(page, 'Your explanation', 'Nothing yet');
    await page.keyboard.press('Escape');
    await page.waitForSelector('::-p-aria([name="Keep editing"][role="button"]):focus');
    expect(await violations(page)).to.deep.equal([]);
    await page.keyboard.press('Enter');
    expect(await entered(page)).to.equal('Nothing yet');
    await page.keyboard.press('Escape');
    await keyboard.press(page, 'button', 'Discard');
    await isClosed(page);
    await page.waitForSelector('::-p-aria([name="Report something missing"][role="button"]):focus');
    await keyboard.press(page, 'button', 'Report something missing');
    await page.waitForSelector('[role=dialog] textarea');
    expect(await entered(page)).to.equal('');
    await close();
  });

  it('change and delete an amount that a person entered, as an admin', async () => {
    const adjust = `/v1/statements/${browser.repId(seller)}/adjust`;
    await browser.workspace.api.expect(200, 'POST', adjust, { period: month, amount: 500, reason: 'Contest' });
    const amounts = async () => {
      const own = `/v1/statements?repId=${browser.repId(seller)}&period=${month}&live=true`;
      const { lineItems } = await browser.workspace.api.expect(200, 'GET', own);
      return lineItems.flatMap(({ kind, amount, reason }: Loose) => (kind === 'adjustment' ? [[amount, reason]] : []));
    };
    const { page, problems, close } = await browser.openPage('admin', address);
    await pointer.press(page, 'button', 'Change');
    await page.waitForSelector('[role=dialog] input');
    expect(await violations(page)).to.deep.equal([]);
    await page.locator('[role=dialog] input').fill('250.50');
    await pointer.press(page, 'button', 'Save');
    await isClosed(page);
    expect(await amounts()).to.deep.equal([[250.5, 'Contest']]);
    await pointer.press(page, 'button', 'Delete');
    await page.waitForSelector('[role=dialog]');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Delete');
    await isClosed(page);
    expect(await amounts()).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('unlock an approved statement, but not the own one', async () => {
    const [generate, approve] = ['generate', 'approve'].map(
      (step) => `/v1/statements/${browser.repId('Priya Nair')}/${step}`,
    );
    await browser.workspace.api.expect(200, 'POST', generate as string, { period: month });
    await browser.workspace.api.expect(200, 'POST', approve as string, { period: month, status: 'approved' });
    const { page, problems, close } = await browser.openPage(
      'manager',
      `/statements/${browser.repId('Priya Nair')}?period=${month}`,
    );
    await pointer.press(page, 'button', 'Unlock');
    await page.waitForSelector('[role=dialog]');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Unlock');
    await isClosed(page);
    const status = `/v1/statements/${browser.repId('Priya Nair')}/status?period=${month}`;
    expect(await browser.workspace.api.expect(200, 'GET', status)).to.include({ status: 'draft' });
    expect(problems).to.deep.equal([]);
    await close();
    const own = await browser.openPage('manager', `/statements/${browser.repId('manager')}?period=${month}`);
    expect(await own.page.$('::-p-aria([name="Unlock"][role="button"])')).to.equal(null);
    await own.close();
  });
});
