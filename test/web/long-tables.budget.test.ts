import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser } from '#test/support/browser.js';
import { excessOf, observeLoading } from './page-timing.js';

const maxTaskMs = 100;

describe('long tables of the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true, optimizes: true });
  const period = '2024-03';
  let sellerId: string;

  before(async () => {
    const { api } = browser.workspace;
    const people = Array.from({ length: 2000 }, (_, index) => ({
      email: `p${index}@large.example`,
      name: `Person ${index}`,
    }));
    const { reps } = await api.expect(200, 'PUT', '/v1/reps', { reps: people });
    sellerId = reps[0].id;
    const rule = {
      name: 'Sales',
      measure: 'amount',
      attainmentPeriod: 'monthly',
      tierMode: 'marginal',
      tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.05, name: 'All' }],
    };
    const won = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' };
    const { planId } = await api.expect(201, 'POST', '/v1/plans', {
      name: 'Large',
      config: { dealConditions: [won], rules: [rule] },
    });
    const repIds = reps.map(({ id }: { id: string }) => id);
    await api.expect(201, 'POST', '/v1/assignments', { repIds, planId });
    await api.expect(201, 'POST', '/v1/quotas', {
      repIds: [sellerId],
      planId,
      measure: 'Sales',
      period,
      target: 1_000_000,
    });
    const deals = Array.from({ length: 5000 }, (_, index) => ({
      dealId: `L-${index}`,
      name: `Deal ${index}`,
      amount: 100 + index,
      stage: 'Won',
      closeDate: `${period}-${String(1 + (index % 28)).padStart(2, '0')}`,
      ownerId: 'p0@large.example',
    }));
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    await browser.workspace.calculated();
  });

  /** Scrolls screen by screen, then to the end, and returns the longest task in milliseconds. */
  const maxTaskOf = (page: Page) =>
    page.evaluate(`(async () => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      window.scrollTo(0, 0);
      await frame();
      observed.longest = 0;
      for (let count = 0; count < 60; count += 1) {
        window.scrollBy(0, 700);
        await frame();
      }
      for (const part of [0.5, 0.2, 1]) {
        window.scrollTo(0, document.documentElement.scrollHeight * part);
        await frame();
        await frame();
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
      return observed.longest;
    })()`) as Promise<number>;

  it('are measured by an observer that reports a long task', async () => {
    const { page, close } = await browser.openPage('admin', '/account', { prepare: observeLoading });
    const work = '{ const from = performance.now(); while (performance.now() - from < 150); }';
    await page.evaluate(`requestAnimationFrame(() => ${work})`);
    await page.waitForFunction('observed.longest >= 150');
    await close();
  });

  for (const width of [1280, 390])
    for (const [name, address, count] of [
      ['a page of 200 people of a team of 2,000', () => `/team?period=${period}`, 200],
      ['a statement of 5,000 lines', () => `/statements/${sellerId}?period=${period}`, 5000],
    ] as const)
      it(`${name} scrolls without a task above 100 ms, ${width} pixels`, async () => {
        const options = { width, prepare: observeLoading };
        const { page, problems, close } = await browser.openPage('admin', address(), options);
        await page.waitForFunction(`document.documentElement.scrollHeight > ${count * 20}`);
        expect(await excessOf(maxTaskMs, () => maxTaskOf(page))).to.equal(0);
        expect(await page.$$eval('[data-row-action]', (all) => all.length)).to.be.within(10, 400);
        expect(problems).to.deep.equal([]);
        await close();
      });

  for (const [address, scroller, last] of [
    ['/members', 'document.documentElement', 'Person 1446'],
    ['/assignments', 'document.querySelector("[aria-label=Assignments]")', 'Person 1177'],
  ] as const)
    it(`${address} contains the rows near the screen, and the last one of the page at the end`, async () => {
      const { page, problems, close } = await browser.openPage('admin', address);
      const rows = () => page.$$eval('main tbody tr', (all) => all.map(({ textContent }) => textContent ?? ''));
      const isShown = (name: string) =>
        page.waitForFunction(`[...document.querySelectorAll('main tbody tr')].some(
          ({ textContent }) => textContent.trim().startsWith('${name}'))`);
      await isShown('Person 0');
      expect((await rows()).length).to.be.within(10, 200);
      await page.evaluate(`${scroller}.scrollTop = 1e6`);
      await isShown(last);
      expect((await rows()).length).to.be.within(10, 200);
      expect(problems).to.deep.equal([]);
      await close();
    });
});
