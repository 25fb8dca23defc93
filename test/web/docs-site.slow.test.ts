import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser } from '#test/support/browser.js';
import { violations } from './accessibility.js';

describe('the documentation in a browser', () => {
  const browser = Browser.duringSuite({ isEmpty: true });

  it('finds a section by its words and opens it, by keyboard alone', async () => {
    const { page, problems, close } = await browser.openPage(null, '/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('payout batch');
    await page.waitForSelector('#results a');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction('location.pathname === "/docs/payouts"');
    expect(new URL(page.url()).hash).to.equal('#payout-batches');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('says when nothing is found, and closes the results with Escape', async () => {
    const { page, close } = await browser.openPage(null, '/docs/plans');
    await page.type('#search', 'zzzzqqq');
    await page.waitForSelector('#results:not([hidden])');
    expect(await page.$eval('#results', (node) => node.textContent)).to.equal('Nothing was found.');
    await page.keyboard.press('Escape');
    expect(await page.$eval('#results', (node) => (node as unknown as { hidden: boolean }).hidden)).to.equal(true);
    await close();
  });

  it('copies the text of an example', async () => {
    const prepare = (opened: Page) =>
      opened.evaluateOnNewDocument('navigator.clipboard.writeText = async (text) => { window.copied = text; };');
    const { page, problems, close } = await browser.openPage(null, '/docs/webhooks', { prepare });
    await page.click('.code .copy');
    await page.waitForFunction('document.querySelector(".copy").textContent === "Copied"');
    expect(await page.evaluate('window.copied')).to.match(/^POST \/v1\/webhook-endpoints /);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('leads addresses of operations to the reference', async () => {
    const { page, close } = await browser.openPage(null, '/docs#/plans/createPlan');
    await page.waitForFunction('location.pathname === "/docs/api"');
    await page.waitForSelector('#operations-plans-createPlan');
    await close();
  });

  for (const { scheme, width } of [
    { scheme: 'light', width: 1280 },
    { scheme: 'dark', width: 390 },
  ] as const)
    it(`is accessible and fits at ${width} pixels, in ${scheme} colours`, async () => {
      for (const path of ['/docs', '/docs/webhooks']) {
        const { page, close } = await browser.openPage(null, path, { scheme, width });
        expect(await violations(page), path).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).to.be.at.most(width);
        await close();
      }
    });
});
