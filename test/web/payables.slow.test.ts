import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { violations } from './accessibility.js';
import { pointer, submitDialog, typeDay } from './input-methods.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

type Payment = readonly [day: string, amount: string];

/** The examples of the money model from the invoice to the batch, as an admin and payroll work on them. */
describe('what customers pay, in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  const people: Record<string, string> = {};
  const asPaid = { schedule: [{ on: 'paid', percent: 100 }] };

  before(async () => {
    const { api } = browser.workspace;
    const names = ['P3', 'P4', 'P6', 'P10'];
    const ids = await api.saveReps(...names);
    names.forEach((name, index) => {
      people[name] = ids[index] as string;
    });
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New business', 0.08, { payout: asPaid })] } }, ids);
    for (const name of names) await deal(name, 60_000);
  });

  const deal = async (name: string, amount: number) => {
    const { workspace, service } = browser;
    const terms = { amount, closeDate: '2026-01-15', ownerId: name.toLowerCase(), name: `Deal ${name}` };
    await workspace.api.putDeal(name, terms);
    await service.waitForCalculations(workspace.workspaceId);
  };
  const closed = (page: Page) => page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
  const approve = async (name: string, ...periods: readonly string[]) => {
    for (const period of periods) {
      await browser.workspace.api.generate(people[name], period);
      await browser.workspace.api.approve(people[name], period);
    }
  };
  const statement = (name: string, period: string): Promise<Loose> =>
    browser.workspace.api.expect(200, 'GET', `/v1/statements?repId=${people[name]}&period=${period}`);

  /** Adds a payment to the invoice of the deal, and the invoice before the first one. */
  async function pay(page: Page, name: string, number: number, [day, amount]: Payment, total = '60000'): Promise<void> {
    await browser.visit(page, `/deals/${name}`);
    await sees(page, 'What the customer pays');
    if (number === 1) {
      await pointer.press(page, 'button', 'Add an invoice');
      await pointer.write(page, 'Invoice number', `INV-${name}`);
      await setDay(page, 'Issued on', '2026-01-31');
    } else await pointer.press(page, 'button', `Edit INV-${name}`);
    await pointer.write(page, 'Amount without tax', total);
    await pointer.press(page, 'button', 'Add a payment');
    const field = (label: string) => `[role=dialog] fieldset[aria-label="Payment ${number}"] ::-p-aria(${label})`;
    await typeDay(page, field('Paid on'), day);
    await (await page.waitForSelector(field('Amount')))?.type(amount);
    await pointer.press(page, 'button', 'Save');
    await closed(page);
  }

  const setDay = (page: Page, label: string, day: string) => typeDay(page, `[role=dialog] ::-p-aria(${label})`, day);

  /** Creates the batch of the period and marks it as paid. */
  async function payBatch(page: Page, period: string, sum: string): Promise<void> {
    await browser.visit(page, `/payroll?period=${period}`);
    await sees(page, 'Payout batches');
    await sees(page, 'equal');
    await pointer.press(page, 'button', 'Create batch');
    await sees(page, 'Create a payout batch of');
    await submitDialog(page);
    await sees(page, 'To be paid');
    expect((await texts(page, '[aria-label="Payout batches"] li')).join()).to.include(sum);
    await pointer.press(page, 'button', 'Mark as paid');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.press('Enter');
    await closed(page);
  }

  it('begins when an admin turns payouts on', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/workspace');
    await sees(page, 'Statements pay what is earned in their period.');
    await pointer.choose(page, 'Statements pay', 'what is payable: as customers pay, on days, without holds');
    await typeDay(page, '::-p-aria(First day)', '2026-01-01');
    await sees(page, 'pay what rules release by its last day');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Save payouts');
    await sees(page, 'The payouts were saved.');
    expect((await browser.workspace.api.expect(200, 'GET', '/v1/workspaces')).payouts).to.deep.equal({
      ...{ enabled: true, from: '2026-01-01' },
      ...{ period: 'monthly', calendar: 'calendar' },
    });
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('P3: a payment that is charged back becomes a balance, which the next payment covers', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/deals/P3');
    await pay(page, 'P3', 1, ['2026-02-15', '20000']);
    await approve('P3', '2026-01', '2026-02');
    await payBatch(page, '2026-02', '$1,600.00');
    await pay(page, 'P3', 2, ['2026-03-10', '-20000']);
    await approve('P3', '2026-03');
    await browser.visit(page, `/statements/${people['P3']}?period=2026-03`);
    await sees(page, 'Carried to later statements');
    expect((await statement('P3', '2026-03')).payable.totals[0]).to.include({ payable: 0, closing: 1600 });
    await pay(page, 'P3', 3, ['2026-04-20', '60000']);
    await approve('P3', '2026-04');
    await payBatch(page, '2026-04', '$3,200.00');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('P4: a true-up of a deal that is half paid pays nothing more', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/deals/P4');
    await pay(page, 'P4', 1, ['2026-01-20', '30000']);
    await approve('P4', '2026-01');
    await payBatch(page, '2026-01', '$2,400.00');
    await deal('P4', 66_000);
    const trueUp = { period: '2026-01', force: true };
    await browser.workspace.api.expect(200, 'POST', `/v1/statements/${people['P4']}/true-up`, trueUp);
    expect((await statement('P4', '2026-01')).summary.payable).to.equal(2400);
    await pay(page, 'P4', 2, ['2026-02-10', '36000'], '66000');
    await approve('P4', '2026-02');
    await payBatch(page, '2026-02', '$2,880.00');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('P6: what is held is paid after the hold, and what is paid stays locked', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/deals/P6');
    await pay(page, 'P6', 1, ['2026-02-15', '60000']);
    await pointer.press(page, 'button', 'Hold pay');
    await setDay(page, 'First day', '2026-02-20');
    await pointer.write(page, 'Reason', 'The customer disputes the contract');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Hold');
    await closed(page);
    await sees(page, 'The customer disputes the contract');
    await approve('P6', '2026-01', '2026-02');
    await browser.visit(page, `/statements/${people['P6']}?period=2026-02`);
    expect((await statement('P6', '2026-02')).summary.payable).to.equal(0);
    await browser.visit(page, '/holds');
    await pointer.press(page, 'button', 'Release Everyone, deal P6');
    await setDay(page, 'Last day of the hold', '2026-04-01');
    await pointer.write(page, 'Reason', 'The contract is signed');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Release');
    await closed(page);
    await sees(page, 'The contract is signed');
    await approve('P6', '2026-03', '2026-04');
    await payBatch(page, '2026-04', '$4,800.00');
    const unlocked = await browser.workspace.api.post(`/v1/statements/${people['P6']}/approve`, {
      ...{ period: '2026-04', status: 'draft' },
    });
    expect([unlocked.status, unlocked.body.code]).to.deep.equal([409, 'already_paid']);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('P10: a payment that is entered late is in the next statement, marked late', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/deals/P10');
    await pay(page, 'P10', 1, ['2026-02-15', '20000']);
    await approve('P10', '2026-01', '2026-02');
    await payBatch(page, '2026-02', '$1,600.00');
    await pay(page, 'P10', 2, ['2026-02-27', '10000']);
    await approve('P10', '2026-03');
    expect((await statement('P10', '2026-02')).summary.payable).to.equal(1600);
    await browser.visit(page, `/statements/${people['P10']}?period=2026-03`);
    await page.click('summary');
    await sees(page, 'It was entered after an earlier statement was approved.');
    expect(await violations(page)).to.deep.equal([]);
    await payBatch(page, '2026-03', '$800.00');
    await browser.visit(page, `/statements/${people['P10']}?period=2026-01`);
    await sees(page, 'Earned, and not paid yet');
    expect((await texts(page, '[aria-label="Earned, and not paid yet"] li')).join()).to.include(
      'until the customer pays',
    );
    expect(problems).to.deep.equal([]);
    await close();
  });
});
