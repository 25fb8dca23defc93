import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { until } from '#test/support/until.js';
import { violations } from './accessibility.js';
import { pointer } from './input-methods.js';

describe('exceptions that are expected in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });

  /** Three deals that are too small for the only rule of the plan. */
  before(async () => {
    const { api } = browser.workspace;
    const [ann] = await api.saveReps('Ann');
    const conditions = [{ field: 'amount', fieldType: 'currency', operator: 'gte', value: 5000 }];
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('Large deals', 0.1, { conditions })] } }, [ann]);
    for (const [index, dealId] of ['D1', 'D2', 'D3'].entries())
      await api.putDeal(dealId, { amount: 1000 + index, closeDate: '2026-10-05', ownerId: 'ann' });
    await browser.service.waitForCalculations(browser.workspace.workspaceId);
  });

  /** Resolves when the page lists these deals. */
  const lists = (page: Page, ...dealIds: readonly string[]) =>
    until(async () => {
      const listed = (await texts(page, 'tbody tr')).flatMap((row) => /D\d/.exec(row)?.[0] ?? []);
      return listed.sort().join() === dealIds.join();
    });

  async function accept(page: Page, why: string): Promise<void> {
    await pointer.write(page, 'Why', why);
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Do not show again');
    await sees(page, 'It is expected, and no longer listed.');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
  }

  it('are accepted for a deal or for a rule with a reason, listed as such, and taken back', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/exceptions?period=2026-10');
    await lists(page, 'D1', 'D2', 'D3');
    await pointer.press(page, 'button', 'Expected : D1');
    await accept(page, 'A trial');
    await pointer.press(page, 'button', 'Show 1 expected deal');
    await sees(page, 'Expected to pay nothing in October 2026');
    await sees(page, 'A trial');
    await lists(page, 'D1');
    await pointer.press(page, 'button', 'All deals that did not pay');
    await sees(page, 'Not paid in October 2026');
    await lists(page, 'D2', 'D3');

    await pointer.press(page, 'button', 'Expected : D2');
    const [, everyDeal = ''] = await texts(page, '[role=dialog] select option');
    expect(everyDeal).to.include('every deal for which Large deals pays nothing');
    await pointer.choose(page, 'For', everyDeal);
    await accept(page, 'Small deals are not paid');
    await sees(page, 'Every deal paid as its plan says');
    await pointer.press(page, 'button', 'Show 3 expected deals');
    await sees(page, 'every deal of the rule');
    await lists(page, 'D1', 'D2', 'D3');
    expect(await violations(page)).to.deep.equal([]);

    // Without the acceptance of the rule, that of the first deal is left.
    await pointer.press(page, 'button', 'Show again D2');
    await sees(page, 'It is listed again.');
    await page.waitForFunction(`!document.body.innerText.includes('Small deals are not paid')`);
    await lists(page, 'D1');
    await pointer.press(page, 'button', 'Show again D1');
    await sees(page, 'Nothing is expected to pay nothing');
    await pointer.press(page, 'button', 'All deals that did not pay');
    await sees(page, 'Not paid in October 2026');
    await lists(page, 'D1', 'D2', 'D3');
    expect(problems).to.deep.equal([]);
    await close();
  });
});
