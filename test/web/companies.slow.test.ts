import { expect } from 'chai';
import { type HTTPRequest } from 'puppeteer-core';
import { Browser, sees, texts } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { violations, violationsInBothSchemes } from './accessibility.js';
import { keyboard, pointer, submitDialog, typeDay } from './input-methods.js';

describe('the companies of a workspace in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  let ben = '';

  before(async () => {
    const { workspace } = browser;
    const { api } = workspace;
    const accounting = { enabled: true, from: '2026-01', secondPerson: false };
    await api.expect(200, 'PATCH', '/v1/workspaces', { accounting });
    const saved = await api.saveReps({ name: 'Ben' }, { name: 'Cara' }, { name: 'Ned', role: 'admin' });
    ben = saved[0] ?? '';
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New business', 0.08)] } }, saved.slice(0, 2));
    await api.putDeal('D1', { amount: 60_000, closeDate: '2026-01-15', ownerId: 'ben', name: 'D1' });
    await api.putDeal('D2', { amount: 30_000, closeDate: '2026-01-20', ownerId: 'cara', name: 'D2' });
    const asNed = await workspace.as(saved[2] ?? '');
    const policy = { from: '2026-01', position: 1, match: {}, treatment: 'capitalise', period: { months: 36 } };
    const { version } = await asNed.expect(201, 'POST', '/v1/accounting/policies/Contracts/versions', policy);
    await asNed.expect(200, 'POST', `/v1/accounting/policies/Contracts/versions/${version}/approve`);
    await workspace.calculated();
  });

  it('are added with currency, standard and payroll tax, with the keyboard alone', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/month-end?month=2026-01');
    await keyboard.press(page, 'button', 'Add a company');
    await page.waitForSelector('[role=dialog] input:focus');
    await keyboard.write(page, 'Name', 'Acme Ltd.');
    await keyboard.write(page, 'Code', 'main');
    await sees(page, 'Another company has this code.');
    await keyboard.write(page, 'Code', 'uk');
    await keyboard.write(page, 'Currency of the books', 'usd');
    await keyboard.choose(page, 'Accounting standard', 'FRS 102');
    await keyboard.press(page, 'button', 'Add a payroll tax');
    await typeDay(page, '[role=dialog] ::-p-aria(From)', '2026-01-01');
    await keyboard.write(page, 'Percent', '13.8');
    await keyboard.write(page, 'Number of Accrued commission', '2110');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await page.keyboard.press('Enter');
    await sees(page, 'Acme Ltd. was saved.');
    const { entities } = await browser.workspace.api.expect(200, 'GET', '/v1/accounting');
    expect(entities.find(({ code }: { code: string }) => code === 'uk')).to.deep.equal({
      code: 'uk',
      name: 'Acme Ltd.',
      currency: 'USD',
      framework: 'frs102',
      payrollTax: [{ from: '2026-01-01', percent: 13.8 }],
      accounts: { accrued_commission: { number: '2110', name: 'Accrued commission' } },
    });
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('keep what a change does not name', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/month-end?month=2026-01');
    await pointer.press(page, 'button', 'Acme Ltd.');
    await pointer.write(page, 'Name', 'Acme UK Ltd.');
    await page.keyboard.press('Enter');
    await sees(page, 'Acme UK Ltd. was saved.');
    const { entities } = await browser.workspace.api.expect(200, 'GET', '/v1/accounting');
    const { framework, payrollTax, accounts } = entities.find(({ code }: { code: string }) => code === 'uk');
    expect([framework, payrollTax.length, Object.keys(accounts)]).to.deep.equal(['frs102', 1, ['accrued_commission']]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('have a person from a day on', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/members/${ben}`);
    await pointer.press(page, 'button', 'Change the company');
    await pointer.press(page, 'button', 'Add a company');
    await pointer.choose(page, 'Company', 'Acme UK Ltd.');
    await typeDay(page, '[role=dialog] ::-p-aria(From)', '2026-01-01');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await submitDialog(page);
    await sees(page, 'from 1 Jan 2026 on');
    expect(await violations(page)).to.deep.equal([]);
    const { entities } = await browser.workspace.api.expect(200, 'GET', `/v1/reps/${ben}/entities`);
    expect(entities).to.deep.equal([{ from: '2026-01-01', entity: 'uk' }]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('are summed where their currency is the same, also on a phone', async () => {
    for (const width of [1280, 390]) {
      const { page, problems, close } = await browser.openPage('admin', '/month-end?month=2026-01', { width });
      await sees(page, 'All companies');
      await sees(page, 'Liability in USD');
      const rows = await texts(page, 'table:has(caption) tbody tr, ul[aria-label^="What all"] > li');
      const closing = (company: string) =>
        rows
          .find((row) => row.startsWith(company))
          ?.match(/[\d,]+\.\d\d/g)
          ?.at(-1);
      expect(['Halden Works', 'Acme UK Ltd.', 'All companies'].map(closing)).to.deep.equal([
        '2,400.00',
        '4,800.00',
        '7,200.00',
      ]);
      expect(await violationsInBothSchemes(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    }
  });

  it('have estimates that are pasted, with their error once the period has ended', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/month-end?month=2026-01');
    await pointer.press(page, 'button', 'Enter estimates');
    await pointer.press(page, 'button', 'Add row');
    const rows = [
      ['Person', 'Plan', 'Rule', 'Period', 'Currency', 'Pay of the period'],
      ['Nobody', 'AE', 'New business', 'Q1 2026', 'USD', '6,000'],
    ];
    await page.waitForSelector('[role=dialog] [data-cell]');
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ${JSON.stringify(rows.map((cells) => cells.join('\t')).join('\n'))});
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('[role=dialog] [data-cell]').dispatchEvent(event);
    }`);
    await sees(page, 'No person, or several');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await pointer.write(page, 'Person, row 1', 'Cara');
    await pointer.press(page, 'button', 'Save');
    await sees(page, 'The estimates of January 2026 were saved.');
    const { estimates } = await browser.workspace.api.expect(200, 'GET', '/v1/accounting/estimates?month=2026-01');
    const [{ repName, ruleName, period, method, pay, error }] = estimates;
    expect([estimates.length, repName, ruleName, period, method, pay]).to.deep.equal([
      ...[1, 'Cara', 'New business', '2026-Q1', 'elapsed', 6000],
    ]);
    expect(error).to.equal(1200);
    await sees(page, 'Mean error of the month, without signs: $1,200.00');
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('never show figures of another one while their own load', async () => {
    const held: HTTPRequest[] = [];
    const { page, problems, close } = await browser.openPage('admin', '/month-end?month=2026-01', {
      prepare: async (opened) => {
        await opened.setRequestInterception(true);
        opened.on('request', (request) => {
          if (/entity=uk.*groupBy=(person|deal)/.test(request.url())) held.push(request);
          else void request.continue();
        });
      },
    });
    await sees(page, 'Cost by deal');
    await sees(page, 'D2');
    await pointer.choose(page, 'Company', 'Acme UK Ltd.');
    await page.waitForFunction(`new URLSearchParams(location.search).get('company') === 'uk'`);
    await page.waitForFunction(`!/Cara|D2/.test(document.querySelector('main').innerText)`);
    for (const request of held.splice(0)) await request.continue();
    await sees(page, 'D1');
    expect(problems).to.deep.equal([]);
    await close();
  });
});
