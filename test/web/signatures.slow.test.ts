import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { dayInZone } from '#src/kernel/day.js';
import { previousPeriod, toPeriod } from '#src/kernel/period.js';
import { Browser, sees, texts } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { violations, violationsInBothSchemes } from './accessibility.js';
import { pointer, submitDialog } from './input-methods.js';

/** Each sells one deal for 8 % in the last month. */
const sellers = { Ana: 10_000, Ben: 20_000, Cleo: 30_000, Dev: 40_000, Eli: 60_000 } as const;
type Seller = keyof typeof sellers;
const names = Object.keys(sellers) as Seller[];

describe('signatures of plans and adjustments in the web app', function () {
  // Each step needs those before it.
  this.bail(true);
  const browser = Browser.duringSuite({ isEmpty: true });
  const current = toPeriod(dayInZone(new Date(), 'UTC'), 'monthly');
  const last = previousPeriod(current);
  const ids = new Map<string, string>();
  const idOf = (name: string) => ids.get(name) as string;
  let planId: string;

  before(async () => {
    const { api } = browser.workspace;
    const saved = await api.saveReps(...names, { name: 'Bo', role: 'admin' });
    for (const [index, name] of [...names, 'Bo'].entries()) ids.set(name, saved[index] as string);
    const expected = [{ ruleName: 'New', amount: 4800 }];
    const tests = [{ name: 'Example', deals: [{ dealId: 'T', amount: 60_000, closeDate: `${last}-15` }], expected }];
    const plan = { name: 'AE', effectiveStart: `${last}-01`, config: { rules: [flatRule('New', 0.08)] }, tests };
    ({ planId } = await api.createPlan(
      plan,
      names.map((name) => idOf(name)),
    ));
    await api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: `${last}-01` } });
    for (const name of names)
      await api.putDeal(name, { amount: sellers[name], closeDate: `${last}-15`, repId: idOf(name) });
    await browser.workspace.calculated();
  });

  const approve = async (period: string, who: readonly Seller[]) => {
    const { api } = browser.workspace;
    for (const name of who) {
      await api.generate(idOf(name), period);
      await api.approve(idOf(name), period);
    }
  };
  const shownOn = async (page: Page) => (await texts(page, 'main')).join();
  /** Signs the plan on the page of the person. */
  const sign = async (name: Seller, width: number) => {
    const { page, problems, close } = await browser.openPage(idOf(name), '/me/plan', { width });
    await sees(page, 'Accept AE, version 1');
    const visible = await shownOn(page);
    expect(visible, 'the worked amount of the test').to.include('4,800.00');
    expect(visible, 'the plan itself').to.match(/8 ?%/);
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.be.at.most(0);
    await pointer.write(page, 'Your name', `${name} Ito`);
    await pointer.press(page, 'button', 'Accept the plan');
    await sees(page, `accepted by ${name} Ito`);
    expect(problems).to.deep.equal([]);
    await close();
  };
  /** Creates the next batch of the period, marks it as paid, and returns what the page says before. */
  const pay = async (period: string) => {
    const { page, problems, close } = await browser.openPage('admin', `/payroll?period=${period}`);
    await sees(page, 'Next batch');
    await sees(page, 'equal');
    const before = await shownOn(page);
    await pointer.press(page, 'button', 'Create batch');
    await sees(page, 'Create a payout batch of');
    await submitDialog(page);
    await sees(page, 'To be paid');
    await pointer.press(page, 'button', 'Mark as paid');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await sees(page, 'Paid on');
    expect(problems).to.deep.equal([]);
    await close();
    return before;
  };
  const paidIn = async (period: string) => {
    const { batches } = await browser.workspace.api.expect(200, 'GET', `/v1/payout-batches?period=${period}`);
    return batches.map(
      ({ status, people, totals }: { status: string; people: number; totals: { payable: number }[] }) => [
        status,
        people,
        ...totals.map(({ payable }) => payable),
      ],
    );
  };

  it('an admin asks five people to accept a plan, whose pay waits until then', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/plans/${planId}`);
    await pointer.choose(page, 'People', 'accept it, and its pay waits until then');
    await sees(page, '5 requests were sent');
    await sees(page, '0 of 5 accepted');
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('people read the plan, their terms and its worked amounts, and sign on one page', async () => {
    for (const [at, name] of names.slice(0, 4).entries()) await sign(name, at % 2 === 0 ? 1280 : 390);
    const { page, close } = await browser.openPage('admin', `/plans/${planId}`);
    await sees(page, '4 of 5 accepted');
    await page.waitForSelector('[role=img][aria-label="4 of 5 accepted"]');
    await sees(page, 'Eli: has not answered');
    await close();
  });

  it('one who has not signed is held back, and paid in the next batch after the signature', async () => {
    const { workspace } = browser;
    await workspace.sql(`update plan_acceptances set decided_on = $2 where workspace_id = $1`, `${last}-10`);
    await approve(last, names);
    const held = await browser.openPage(idOf('Eli'), `/statements/${idOf('Eli')}?period=${last}`);
    await sees(held.page, 'the plan is not accepted yet');
    await held.close();
    expect(await pay(last))
      .to.include('8,000.00')
      .and.not.to.include('4,800.00 ');
    expect(await paidIn(last)).to.deep.equal([['paid', 4, 8000]]);
    await sign('Eli', 390);
    await workspace.calculated();
    await approve(current, names);
    expect(await pay(current)).to.include('4,800.00');
    expect(await paidIn(current)).to.deep.equal([['paid', 1, 4800]]);
    const { page, close } = await browser.openPage(idOf('Eli'), `/statements/${idOf('Eli')}?period=${current}`);
    await sees(page, '4,800.00');
    await sees(page, 'Paid on');
    await close();
  });

  it('an adjustment above the limit is proposed by one admin and counts once another has approved it', async () => {
    const { api } = browser.workspace;
    await api.expect(200, 'PATCH', '/v1/workspaces', { adjustmentLimits: [{ above: 1000, by: { role: 'admin' } }] });
    await api.expect(200, 'POST', `/v1/statements/${idOf('Ana')}/approve`, { period: current, status: 'draft' });
    const address = `/statements/${idOf('Ana')}?period=${current}`;
    const first = await browser.openPage('admin', address);
    await pointer.press(first.page, 'button', 'Adjust');
    await pointer.write(first.page, 'Amount in USD', '1200');
    await first.page.type('[role=dialog] textarea', 'Contest');
    await pointer.press(first.page, 'button', 'Add amount');
    await sees(first.page, '+$1,200.00 waits for the approval of another person');
    await sees(first.page, '+$1,200.00 proposed, not counted yet');
    await sees(first.page, 'Bo can decide.');
    expect(await texts(first.page, 'main button')).not.to.include('Approve +$1,200.00');
    expect(await violations(first.page)).to.deep.equal([]);
    expect(first.problems).to.deep.equal([]);
    await first.close();
    const netOf = async () =>
      (await api.expect(200, 'GET', `/v1/statements?repId=${idOf('Ana')}&period=${current}&live=true`)).summary
        .netPayout;
    expect(await netOf()).to.equal(0);
    const second = await browser.openPage(idOf('Bo'), address);
    await sees(second.page, 'Proposed by Alex Morgan.');
    await pointer.press(second.page, 'button', 'Approve +$1,200.00');
    await sees(second.page, '+$1,200.00 was approved and counts.');
    await second.page.waitForFunction(`!document.body.textContent.includes('not counted yet')`);
    expect(second.problems).to.deep.equal([]);
    await second.close();
    expect(await netOf()).to.equal(1200);
  });
});
