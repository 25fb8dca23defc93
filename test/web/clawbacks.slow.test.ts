import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { newBusiness, override } from '#test/deals/refunds/clawback-terms.js';
import { Browser, sees, texts } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { violations } from './accessibility.js';
import { openMore, pointer, submitDialog } from './input-methods.js';

const clawback = { window: { days: 180 } };

describe('clawbacks in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  let people: Record<string, string>;

  before(async () => {
    const { api } = browser.workspace;
    await api.expect(200, 'PATCH', '/v1/workspaces', {
      payouts: { enabled: true, from: '2026-01-01' },
      recovery: { maxPercent: 50 },
    });
    const [mia = ''] = await api.saveReps({ name: 'Mia', role: 'manager' });
    const names = ['Ann', 'Bob', 'Cal', 'Dan', 'Eve'];
    const ids = await api.saveReps(...names.map((name) => ({ name, managerEmail: 'mia@x.io' })));
    people = { mia, ...Object.fromEntries(names.map((name, index) => [name.toLowerCase(), ids[index] as string])) };
    const { ann = '', bob = '', cal = '', dan = '', eve = '' } = people;
    await api.createPlan({ name: 'AE', config: { clawback, rules: [newBusiness, override] } }, [mia, ann, bob, dan]);
    await api.createPlan({ name: 'Flat', config: { clawback, rules: [flatRule('New business', 1)] } }, [cal]);
    await api.createPlan({ name: 'Old', config: { rules: [flatRule('New business', 0.1)] } }, [eve]);
    for (const period of ['2026-Q1', '2026-Q2']) await api.setQuota([ann, bob, dan], 'New business', period, 100_000);
  });

  async function deal(ownerId: string, dealId: string, amount: number, closeDate: string): Promise<void> {
    await browser.workspace.api.putDeal(dealId, { amount, closeDate, ownerId, name: dealId });
    await browser.workspace.calculated();
  }

  async function approve(person: string, ...periods: readonly string[]): Promise<void> {
    const { api } = browser.workspace;
    for (const period of periods) {
      await api.generate(people[person] as string, period);
      await api.approve(people[person] as string, period);
    }
  }

  /**
   * Enters a refund on the page of the deal; returns the effect on each person that the form shows before, as soon as one
   * of them has the text. Until the whole amount is typed, the effect is another.
   */
  async function refund(
    page: Page,
    dealId: string,
    day: string,
    amount: string | null,
    visible = '−',
  ): Promise<string> {
    await browser.visit(page, `/deals/${dealId}`);
    await pointer.press(page, 'button', 'Add a refund');
    await pointer.choose(page, 'Why', 'the customer cancelled');
    const [year = '', month = '', date = ''] = day.split('-');
    await (await page.waitForSelector('::-p-aria(Day)'))?.type(`${month}${date}${year}`);
    if (amount !== null) await pointer.write(page, 'Amount', amount);
    await page.waitForFunction(
      `[...document.querySelectorAll('[aria-label="Effect on each person"] li')].some((li) => li.textContent.includes('${visible}'))`,
    );
    const effect = (await texts(page, '[aria-label="Effect on each person"] li')).join();
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Save');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await browser.workspace.calculated();
    return effect;
  }

  async function statement(page: Page, person: string, period: string): Promise<string> {
    await browser.visit(page, `/statements/${people[person]}?period=${period}`);
    return (await texts(page, 'main')).join();
  }

  it('C4: half of a shared deal is refunded: both sellers and the manager give back half', async () => {
    await deal('ann', 'before', 50_000, '2026-01-05');
    await deal('ann', 'shared', 100_000, '2026-02-10');
    await browser.workspace.api.expect(200, 'PUT', '/v1/deals/shared/credits', {
      credits: [
        { email: 'ann@x.io', percent: 70 },
        { email: 'bob@x.io', percent: 30 },
      ],
    });
    await browser.workspace.calculated();
    const { page, problems, close } = await browser.openPage('admin', '/deals/shared');
    const effect = await refund(page, 'shared', '2026-04-20', '50000', '−$4,200.00');
    for (const words of ['Ann', '−$4,200.00', 'Bob', '−$1,200.00', 'Mia', '−$1,080.00'])
      expect(effect).to.include(words);
    for (const [person, amount] of [
      ['ann', '−$4,200.00'],
      ['bob', '−$1,200.00'],
      ['mia', '−$1,080.00'],
    ] as const)
      expect(await statement(page, person, '2026-04')).to.include(amount);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('C5: what is taken back from a person who has left is a balance that the page of the person shows', async () => {
    await deal('dan', 'first', 60_000, '2026-01-15');
    await deal('dan', 'second', 60_000, '2026-02-10');
    await approve('dan', '2026-01', '2026-02', '2026-03');
    await browser.workspace.api.expect(200, 'PATCH', `/v1/reps/${people['dan']}`, {
      endDate: '2026-03-31',
      active: false,
    });
    const { page, problems, close } = await browser.openPage('admin', '/deals/second');
    expect(await refund(page, 'second', '2026-04-20', null)).to.include('−$7,200.00');
    const visible = await statement(page, 'dan', '2026-04');
    for (const words of ['−$7,200.00', '$0.00', '$7,200.00']) expect(visible).to.include(words);
    await approve('dan', '2026-04');
    await browser.visit(page, `/members/${people['dan']}`);
    await sees(page, 'Taken back: still owed $7,200.00');
    const { balances } = await browser.workspace.api.expect(200, 'GET', `/v1/balances?repId=${people['dan']}`);
    expect(balances.map(({ owed }: { owed: number }) => owed)).to.deep.equal([7200]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('C7: at most half of each statement is kept until everything is recovered', async () => {
    await deal('cal', 'cancelled', 7200, '2026-02-10');
    await approve('cal', '2026-01', '2026-02', '2026-03');
    const { page, problems, close } = await browser.openPage('admin', '/deals/cancelled');
    expect(await refund(page, 'cancelled', '2026-04-20', null)).to.include('−$7,200.00');
    for (const [month, amount] of [
      ['2026-04', 6000],
      ['2026-05', 5000],
      ['2026-06', 9000],
    ] as const)
      await deal('cal', month, amount, `${month}-05`);
    for (const [month, recovered, paid] of [
      ['2026-04', '$3,000.00', '$3,000.00'],
      ['2026-05', '$2,500.00', '$2,500.00'],
      ['2026-06', '$1,700.00', '$7,300.00'],
    ] as const) {
      await approve('cal', month);
      const visible = await statement(page, 'cal', month);
      expect(visible, month).to.include(recovered);
      expect(visible, month).to.include(paid);
    }
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('a policy says what it would take back from each person before it is activated', async () => {
    await deal('eve', 'sold', 40_000, '2026-02-10');
    const { api } = browser.workspace;
    await api.expect(200, 'PUT', '/v1/deals/sold/refunds/R-1', { day: '2026-04-20', cause: 'refund', amount: 10_000 });
    await browser.workspace.calculated();
    const plans = await api.expect(200, 'GET', '/v1/plans');
    const { planId } = plans.find(({ name }: { name: string }) => name === 'Old');
    const { page, problems, close } = await browser.openPage('admin', `/plans/${planId}/edit`);
    await openMore(page);
    await (await page.waitForSelector('::-p-aria(What a refund takes back)'))?.select('whole');
    await sees(page, 'See every change');
    await page.waitForFunction(`document.querySelector('[aria-label="Preview and save"] [aria-busy=true]') === null`);
    await pointer.press(page, 'button', 'See every change');
    await page.locator(`::-p-xpath(//*[@role="dialog"]//button[starts-with(., "Refunds")])`).click();
    await sees(page, 'Would take back');
    expect((await texts(page, '[role=dialog] table')).join()).to.include('$1,000.00');
    await pointer.close(page);
    await pointer.press(page, 'button', 'Activate');
    await page.waitForSelector('[role=dialog] table');
    const [table = ''] = await texts(page, '[role=dialog] table');
    for (const words of ['Eve', 'Would take back', '$1,000.00', 'Mia', '$200.00']) expect(table).to.include(words);
    expect(await violations(page)).to.deep.equal([]);
    await submitDialog(page);
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await browser.workspace.calculated();
    expect(await statement(page, 'eve', '2026-04')).to.include('−$1,000.00');
    expect(problems).to.deep.equal([]);
    await close();
  });
});
