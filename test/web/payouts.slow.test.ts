import { expect } from 'chai';
import { Browser, sees, texts } from '#test/support/browser.js';
import { violations } from './accessibility.js';
import { pointer, submitDialog } from './input-methods.js';
import { winToday } from './win-today.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

describe('payouts in the web app', () => {
  const browser = Browser.duringSuite();
  const seller = 'Dana Whitfield';
  const period = new Date().toISOString().slice(0, 7);
  let paid: Loose;

  before(async () => {
    await winToday(browser);
    const { api } = browser.workspace;
    await api.expect(200, 'PATCH', '/v1/workspaces', {
      payouts: { enabled: true, from: `${period}-01`, period: 'monthly' },
    });
    await api.generate(browser.repId(seller), period);
    await api.approve(browser.repId(seller), period);
    const { payables } = await api.expect(200, 'GET', `/v1/payables?repId=${browser.repId(seller)}&status=approved`);
    paid = payables.find(({ amount, dealId }: Loose) => dealId !== null && amount > 0);
  });

  it('are collected in a batch and marked as paid, which is final', async () => {
    const { page, problems, close } = await browser.openPage('payroll', `/payroll?period=${period}`);
    await sees(page, 'No payout batch yet');
    await sees(page, 'Left to pay');
    await sees(page, 'equal');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Create batch');
    await sees(page, 'Create a payout batch of');
    expect(await violations(page)).to.deep.equal([]);
    await submitDialog(page);
    await sees(page, 'To be paid');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Mark as paid');
    await page.waitForSelector('[role=dialog] input:focus');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.write(page, 'Reference', 'Run 7');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await sees(page, 'Run 7');
    await sees(page, 'Paid on');
    const { batches } = await browser.workspace.api.expect(200, 'GET', `/v1/payout-batches?period=${period}`);
    expect(batches.map(({ status, reference }: Loose) => [status, reference])).to.deep.equal([['paid', 'Run 7']]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('show a rep what is paid, waits or follows, with the figures of the API', async () => {
    const { page, problems, close } = await browser.openPage('rep', '/statements');
    const { totals } = await browser.workspace.api.expect(200, 'GET', `/v1/payables?repId=${browser.repId(seller)}`);
    const visible = (amount: number) => amount.toLocaleString('en-US', { minimumFractionDigits: 2 });
    await sees(page, visible(totals[0].paid));
    await sees(page, visible(totals[0].earned));
    expect(await violations(page)).to.deep.equal([]);
    await browser.visit(page, `/statements/${browser.repId(seller)}?period=${period}`);
    await sees(page, 'Paid on');
    expect(await violations(page)).to.deep.equal([]);
    await browser.visit(page, `/deals/${paid.dealId}`);
    await sees(page, 'From the deal to the bank');
    expect((await texts(page, 'main li')).join()).to.match(/Paid on \d+ \w+ \d{4}/);
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('shows payroll what is new, held and negative, and managers what is payable beside what is earned', async () => {
    const { api } = browser.workspace;
    await api.expect(201, 'POST', '/v1/payables/holds', {
      ...{ repId: browser.repId(seller), dealId: paid.dealId, from: `${period}-01` },
      reason: 'The customer disputes the contract',
    });
    const payroll = await browser.openPage('payroll', `/payroll?period=${period}`);
    await sees(payroll.page, 'Left to pay');
    await sees(payroll.page, 'Held now');
    expect((await texts(payroll.page, 'table')).join()).to.include(seller);
    expect(await violations(payroll.page)).to.deep.equal([]);
    await browser.visit(payroll.page, '/payroll-statements');
    await browser.visit(payroll.page, '/holds');
    await sees(payroll.page, 'The customer disputes the contract');
    expect(await violations(payroll.page)).to.deep.equal([]);
    expect(payroll.problems).to.deep.equal([]);
    await payroll.close();
    const manager = await browser.openPage('admin', `/approvals?period=${period}&tab=all`);
    await sees(manager.page, 'Payable, USD');
    expect(await violations(manager.page)).to.deep.equal([]);
    await browser.visit(manager.page, `/team?period=${period}`);
    await sees(manager.page, 'Payable');
    expect(await violations(manager.page)).to.deep.equal([]);
    expect(manager.problems).to.deep.equal([]);
    await manager.close();
  });
});
