import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, setScheme, texts } from '#test/support/browser.js';
import { violations } from './accessibility.js';
import { keyboard, openMore, pointer } from './input-methods.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

/** From the products of a deal to their rates: a rule that is built in words, products that are edited, and My plan. */
describe('rules that pay products in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  let seller: string;

  before(async () => {
    const { api } = browser.workspace;
    [seller] = (await api.saveReps('Ann')) as [string];
    await api.putDeal('D', {
      amount: 50_000,
      closeDate: `${year()}-01-10`,
      currency: 'USD',
      ownerId: 'ann',
      name: 'D',
    });
    const rates = { software: 0.1, services: 0.04, hardware: 0.02 };
    await api.expect(200, 'PUT', '/v1/rate-tables/Products', {
      keys: [{ name: 'family', field: 'line.family', match: 'exact' }],
      columns: [{ name: 'base' }],
      rows: Object.entries(rates).map(([family, base]) => ({ keys: { family }, values: { base } })),
    });
  });

  const year = () => new Date().getUTCFullYear();
  const calculated = () => browser.service.waitForCalculations(browser.workspace.workspaceId);
  const signIn = async (page: Page) => {
    const value = await browser.service.token(browser.workspace.workspaceId, 'sess', seller);
    const { hostname: domain } = new URL(browser.service.url);
    await page.browserContext().setCookie({ name: 'session', value, domain, path: '/' });
  };
  const isClosed = (page: Page) => page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
  const paid = async (): Promise<readonly number[]> =>
    (await browser.workspace.api.expect(200, 'GET', '/v1/commissions?dealId=D')).events.flatMap(
      ({ amount, status }: Loose) => (status === 'earned' ? [amount] : []),
    );

  it('are built without a formula', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/plans/new/edit?template=flat-commission');
    await pointer.write(page, 'Name of the plan', 'Products');
    await pointer.choose(page, 'Whether the rule counts whole deals or their products', 'products of deals');
    await pointer.press(page, 'button', 'Rates of a table');
    await sees(page, 'The rate of each product is in the rate table Products.');
    const group = '[aria-label^="Products that"]';
    await page.locator(`${group} ::-p-aria([name="Add condition"][role="button"])`).click();
    await (await page.waitForSelector(`${group} ::-p-aria([name="Comparison"][role="combobox"])`))?.select(
      'not_equals',
    );
    await (await page.waitForSelector(`${group} ::-p-aria([name="Value"])`))?.type('hardware');
    await sees(page, 'Only products count whose product family is not hardware.');
    for (const scheme of ['light', 'dark'] as const) {
      await setScheme(page, scheme);
      expect(await violations(page)).to.deep.equal([]);
    }
    await pointer.press(page, 'button', 'Save draft');
    await page.waitForFunction(`/^.plans.[0-9a-f-]{36}.edit$/.test(location.pathname)`);
    const [plan] = await browser.workspace.api.expect(200, 'GET', '/v1/plans');
    const [rule] = plan.rules;
    expect(rule).to.include({ measure: 'line.amount' });
    expect(rule.lines.conditions).to.deep.equal([
      { field: 'line.family', fieldType: 'text', operator: 'not_equals', value: 'hardware' },
    ]);
    expect(rule.tiers[0]).to.include({ table: 'Products' }).and.not.have.property('rate');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('pay managers on products with a field that only this workspace has, without a formula', async () => {
    const { api } = browser.workspace;
    await api.putDeal('E', { amount: 10, closeDate: `${year()}-01-11`, ownerId: 'ann', name: 'E' });
    const line = { lineId: '1', family: 'software', amount: 10, fields: { sales_region: 'EMEA', margin: 4 } };
    await api.expect(200, 'PUT', '/v1/deals/E/lines', { lines: [line] });
    const { page, problems, close } = await browser.openPage('admin', '/plans/new/edit?template=flat-commission');
    await pointer.write(page, 'Name of the plan', 'Managers');
    await pointer.choose(page, 'Whom the rule pays', 'managers');
    await pointer.choose(page, 'What the rate of managers multiplies', 'products of deals');
    await sees(page, 'Pays on the net amount of each product of deals on which the people below you earn.');
    const group = '[aria-label^="Products that"]';
    await page.locator(`${group} ::-p-aria([name="Add condition"][role="button"])`).click();
    const field = await page.waitForSelector(`${group} ::-p-aria([name="Field"][role="combobox"])`);
    await field?.select('line.sales_region');
    await (await page.waitForSelector(`${group} ::-p-aria([name="Value"])`))?.type('EMEA');
    await sees(page, 'Only products count whose sales region of the product is EMEA.');
    await openMore(page);
    await pointer.choose(page, 'What the rate multiplies', 'Margin of the product');
    await pointer.press(page, 'button', 'Save draft');
    await page.waitForFunction(`/^.plans.[0-9a-f-]{36}.edit$/.test(location.pathname)`);
    const plans = await api.expect(200, 'GET', '/v1/plans');
    const [rule] = plans.find(({ name }: Loose) => name === 'Managers').rules;
    expect(rule).to.include({ executionPhase: 'cascade', measure: 'line.amount', payoutBase: 'line.margin' });
    expect(rule.lines.conditions).to.deep.equal([
      { field: 'line.sales_region', fieldType: 'text', operator: 'equals', value: 'EMEA' },
    ]);
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
    await api.expect(200, 'DELETE', `/v1/plans/${plans.find(({ name }: Loose) => name === 'Managers').planId}`);
  });

  it('begin with a template, which creates the rate table that it needs', async () => {
    const { api } = browser.workspace;
    const { page, problems, close } = await browser.openPage('admin', '/plans/new/edit?template=unit-amounts');
    await sees(page, 'The rates of this plan are in the table Unit amounts, which does not exist yet');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Create the table');
    await sees(page, 'The rate of each product is in the rate table Unit amounts.');
    const table = await api.expect(200, 'GET', '/v1/rate-tables/Unit%20amounts');
    expect(table.rows).to.have.length(4);
    await pointer.press(page, 'button', 'Save draft');
    await page.waitForFunction(`/^.plans.[0-9a-f-]{36}.edit$/.test(location.pathname)`);
    const plans = await api.expect(200, 'GET', '/v1/plans');
    const plan = plans.find(({ rules }: Loose) => rules[0].name === 'Units');
    expect(plan.rules[0].tiers[0]).to.include({ table: 'Unit amounts', column: 'pay' });
    expect(problems).to.deep.equal([]);
    await close();
    await api.expect(200, 'DELETE', `/v1/plans/${plan.planId}`);
  });

  it('pay products that are pasted into the deal, with their effect before', async () => {
    const { api } = browser.workspace;
    const [{ planId, rules }] = await api.expect(200, 'GET', '/v1/plans');
    const [{ id: _, conditions: __, ...rule }] = rules;
    await api.createPlan({ name: 'Active', currency: 'USD', config: { rules: [rule] } }, [seller]);
    expect(planId).to.be.a('string');
    await calculated();
    expect(await paid()).to.deep.equal([]);
    const { page, problems, close } = await browser.openPage('admin', '/deals/D');
    await pointer.press(page, 'button', 'Edit products');
    const cell = await page.waitForSelector('::-p-aria([name="Product, row 1"][role="textbox"])');
    await cell?.evaluate((input: Loose, pasted: string) => {
      const view = input.ownerDocument.defaultView;
      const clipboardData = new view.DataTransfer();
      clipboardData.setData('text/plain', pasted);
      input.dispatchEvent(new view.ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, 'Product\tFamily\tQuantity\tNet amount\nSuite\tsoftware\t10\t30,000\nTraining\tservices\t\t15000\nBox\thardware\t1\t5000');
    // 30,000 × 10 % + 15,000 × 4 %; hardware does not count.
    await sees(page, '$3,600.00');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Save');
    await isClosed(page);
    await calculated();
    expect(await paid()).to.deep.equal([3600]);
    await pointer.press(page, 'button', 'Edit products');
    await page.waitForSelector('[role=dialog]');
    await keyboard.write(page, 'Net amount, row 2', 'much');
    await sees(page, 'Not a number');
    expect(await violations(page)).to.deep.equal([]);
    await keyboard.write(page, 'Net amount, row 2', '20000');
    // 5,000 × 4 % more
    await sees(page, '+$200.00');
    await pointer.press(page, 'button', 'Save');
    await isClosed(page);
    await calculated();
    expect(await paid()).to.deep.equal([3800]);
    expect((await texts(page, 'tfoot')).join()).to.include('55,000.00');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('show a rep what each product was paid, on My plan', async () => {
    for (const [width, scheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      const { page, problems, close } = await browser.openPage(null, '/me/plan', { width, scheme, prepare: signIn });
      await sees(page, 'What products paid this year');
      const rows = (await texts(page, width < 768 ? 'main li' : 'main tbody tr')).join('\n');
      expect(rows)
        .to.match(/Suite.*10\s?%/)
        .and.match(/Training.*4\s?%/);
      expect(rows).to.not.include('Box');
      expect(await violations(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    }
  });

  it('pay nothing once the products are removed', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/deals/D', { width: 390 });
    await pointer.press(page, 'button', 'Edit products');
    await pointer.press(page, 'button', 'Remove these products …');
    // 30,000 × 10 % + 20,000 × 4 %
    await sees(page, '−$3,800.00');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Remove');
    await isClosed(page);
    await calculated();
    expect(await paid()).to.deep.equal([]);
    await sees(page, 'The deal has no products.');
    expect(problems).to.deep.equal([]);
    await close();
  });
});
