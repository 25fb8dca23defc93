import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts } from '#test/support/browser.js';
import { violations } from './accessibility.js';
import { pointer } from './input-methods.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

describe('the shares of a deal in the web app', () => {
  const browser = Browser.duringSuite();
  const seller = 'Dana Whitfield';
  let other: string;
  let deal: Loose;

  before(async () => {
    const { api } = browser.workspace;
    const [{ planId }] = await api.expect(200, 'GET', `/v1/assignments?repId=${browser.repId(seller)}`);
    const assignments: Loose[] = await api.expect(200, 'GET', `/v1/assignments?planId=${planId}`);
    other = assignments.find(({ repName }) => repName !== seller).repName;
    const { deals } = await api.expect(200, 'GET', `/v1/deals?repId=${browser.repId(seller)}`);
    // The latest one is in no approved period.
    const won = deals.filter(({ isWon }: Loose) => isWon);
    deal = won.toSorted((a: Loose, b: Loose) => (a.closeDate < b.closeDate ? 1 : -1))[0];
  });

  const field = (line: number, label: string) => `[role=dialog] fieldset:nth-of-type(${line}) ::-p-aria(${label})`;
  const credits = async () =>
    (await browser.workspace.api.expect(200, 'GET', `/v1/deals/${deal.deal_id}/credits`)).credits.map(
      ({ repName, percent, source }: Loose) => [repName, percent, source],
    );
  const paidTo = async (name: string): Promise<number> => {
    const breakdown = await browser.workspace.api.expect(200, 'GET', `/v1/commissions?dealId=${deal.deal_id}`);
    const events = breakdown.events.filter((event: Loose) => event.repName === name && event.status === 'earned');
    return events.reduce((sum: number, { amount }: Loose) => sum + amount, 0);
  };
  const visible = (page: Page) => texts(page, 'main li');

  it('are entered with their effect on each person, and show what the API has', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/deals/${deal.deal_id}`);
    await sees(page, 'Who is credited');
    await pointer.press(page, 'button', 'Edit shares');
    await page.waitForSelector('[role=dialog] fieldset');
    await pointer.press(page, 'button', 'Add a person');
    await (await page.waitForSelector(field(2, 'Person')))?.select(browser.repId(other) as string);
    await pointer.press(page, 'button', 'Split equally');
    await sees(page, 'The splits total 100 %.');
    await page.waitForSelector('[aria-label="Effect on each person"] li');
    expect((await texts(page, '[aria-label="Effect on each person"] li')).join()).to.include(seller);
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Save');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    expect(await credits()).to.deep.equal([
      [seller, 50, 'api'],
      [other, 50, 'api'],
    ]);
    await browser.service.waitForCalculations(browser.workspace.workspaceId);
    expect(await paidTo(other)).to.be.greaterThan(0);
    await sees(page, 'entered by a person or the API');
    expect((await visible(page)).filter((row) => row.includes('50 %'))).to.have.length(2);
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('are names and percentages for a rep, without what the other one is paid', async () => {
    const { page, problems, close } = await browser.openPage('rep', `/deals/${deal.deal_id}`);
    await sees(page, 'Who is credited');
    const rows = await visible(page);
    expect(rows.filter((row) => row.includes('50 %'))).to.have.length(2);
    // Nothing else on the page names the other one, such as a line of what the deal paid.
    expect((await texts(page, 'main')).join().split(other)).to.have.length(2);
    expect(await page.$('::-p-aria([name="Edit shares"][role="button"])')).to.equal(null);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('are removed with their effect, so that the deal is its owner’s again', async () => {
    const { page, close } = await browser.openPage('admin', `/deals/${deal.deal_id}`);
    await pointer.press(page, 'button', 'Edit shares');
    await pointer.press(page, 'button', 'Remove these lines …');
    await page.waitForSelector('[aria-label="Effect on each person"] li');
    await pointer.press(page, 'button', 'Remove');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    expect(await credits()).to.deep.equal([[seller, 100, 'owner']]);
    await close();
  });

  it('come from a rule, whose effect is shown before it is saved and before it is deleted', async () => {
    const { api } = browser.workspace;
    const engineer = (await api.expect(200, 'GET', `/v1/reps/${browser.repId(other)}`)).email;
    const fields = { amount: 1000, sales_engineer: engineer };
    await api.expect(201, 'PUT', '/v1/deals/D-engineered', { name: 'Engineered', closeDate: deal.closeDate, fields });
    const lines = async () =>
      (await api.expect(200, 'GET', '/v1/deals/D-engineered/credits')).credits.map(
        ({ repName, kind, source }: Loose) => [repName, kind, source],
      );
    const { page, problems, close } = await browser.openPage('admin', '/credit-rules');
    await pointer.press(page, 'button', 'New credit rule');
    await pointer.write(page, 'Name', 'SE overlay');
    await pointer.write(page, 'Field with the person', 'sales_engineer');
    await pointer.press(page, 'button', 'Add condition');
    await (await page.waitForSelector('[role=dialog] ::-p-aria([name="Field"][role="combobox"])'))?.select('amount');
    await (await page.waitForSelector('[role=dialog] ::-p-aria([name="Comparison"][role="combobox"])'))?.select(
      'is_set',
    );
    await page.waitForSelector('[aria-label="Some of these deals"] li');
    expect((await texts(page, '[aria-label="Some of these deals"]')).join())
      .to.include('Engineered')
      .and.include(`${other} 100 %`);
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Save');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await sees(page, 'in addition to the splits');
    expect(await lines()).to.deep.equal([[other, 'overlay', 'rule']]);
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Edit SE overlay');
    await pointer.press(page, 'button', 'Delete …');
    await page.waitForSelector('[aria-label="Some of these deals"] li');
    await pointer.press(page, 'button', 'Delete');
    await sees(page, 'No credit rule yet');
    expect(await lines()).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
