import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts } from '#test/support/browser.js';
import { violations } from './accessibility.js';
import { openMore, pointer } from './input-methods.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);

async function fill(page: Page, label: string, text: string): Promise<void> {
  const field = await page.waitForSelector(`::-p-aria(${label})`);
  await field?.click({ count: 3 });
  await field?.type(text);
}

describe('the refunds of a deal in the web app', () => {
  const browser = Browser.duringSuite();
  const seller = 'Dana Whitfield';
  let deal: Loose;

  before(async () => {
    const { api } = browser.workspace;
    const [{ planId }] = await api.expect(200, 'GET', `/v1/assignments?repId=${browser.repId(seller)}`);
    const { config } = await api.expect(200, 'GET', `/v1/plans/${planId}`);
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, {
      config: { ...config, clawback: { window: { days: 180 } } },
    });
    const { deals } = await api.expect(200, 'GET', `/v1/deals?repId=${browser.repId(seller)}`);
    // The latest one is in no approved period.
    const won = deals.filter(({ isWon }: Loose) => isWon);
    deal = won.toSorted((a: Loose, b: Loose) => (a.closeDate < b.closeDate ? 1 : -1))[0];
    await browser.service.waitForCalculations(browser.workspace.workspaceId);
  });

  const refundedTo = async (): Promise<number[]> => {
    const { events } = await browser.workspace.api.expect(200, 'GET', `/v1/commissions?dealId=${deal.deal_id}`);
    return events
      .filter(
        ({ refundId, status, repName }: Loose) => refundId !== undefined && status === 'earned' && repName === seller,
      )
      .map(({ amount }: Loose) => amount);
  };

  it('are entered with their effect on each person, and deleted again', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/deals/${deal.deal_id}`);
    await sees(page, 'Refunds');
    await pointer.press(page, 'button', 'Add a refund');
    await pointer.choose(page, 'Why', 'the customer cancelled');
    await page.waitForSelector('[aria-label="Effect on each person"] li');
    expect((await texts(page, '[aria-label="Effect on each person"] li')).join()).to.include(seller);
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Save');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await browser.service.waitForCalculations(browser.workspace.workspaceId);
    const taken = sum(await refundedTo());
    expect(taken).to.be.lessThan(0);
    await sees(page, 'all that was left');
    await pointer.press(page, 'button', 'Waive a part of refund R-1');
    await fill(page, 'Part that is kept, in percent', '50');
    await fill(page, 'Why', 'The customer was acquired');
    await page.waitForSelector('[aria-label="Effect on each person"] li');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Save');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await browser.service.waitForCalculations(browser.workspace.workspaceId);
    await sees(page, '50 % waived: The customer was acquired');
    expect(sum(await refundedTo())).to.be.closeTo(taken / 2, 0.02);
    await pointer.press(page, 'button', 'Edit refund R-1');
    await pointer.press(page, 'button', 'Delete …');
    await sees(page, 'Commission is as if it had never been entered.');
    await pointer.press(page, 'button', 'Delete');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await browser.service.waitForCalculations(browser.workspace.workspaceId);
    expect(await refundedTo()).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('have a policy in the plan builder, as a sentence and over time', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/plans/new/edit?template=flat-commission');
    await openMore(page);
    const choice = await page.waitForSelector('::-p-aria(What a refund takes back)');
    await choice?.select('declining');
    await sees(page, 'a part that falls from everything on the close date to nothing on day 180 is taken back.');
    expect(await page.$$('svg polygon')).to.have.length(1);
    await choice?.select('steps');
    await sees(page, '100 % until day 30, 50 % until day 90');
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
