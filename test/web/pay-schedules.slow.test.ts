import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { FakeBilling } from '#fakes/fake-billing.js';
import { Browser, sees, texts } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { violations } from './accessibility.js';
import { pointer } from './input-methods.js';

/** Ben has a deal of 60,000 in January; 8 % of it are paid as the customer pays in Stripe. */
describe('when commission is paid, in the web app', () => {
  let billing: FakeBilling;
  let browser: Browser;
  let ben: string;

  before(async () => {
    billing = await FakeBilling.start();
    browser = await Browser.start({ isEmpty: true, service: { settings: { BILLING_API_BASE: billing.url } } });
    const { api, workspaceId } = browser.workspace;
    [ben = ''] = await api.saveReps('Ben');
    const rule = flatRule('New business', 0.08, { payout: { schedule: [{ on: 'paid', percent: 100 }] } });
    await api.createPlan({ name: 'AE', config: { rules: [rule] } }, [ben]);
    await api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: '2026-01-01' } });
    await api.putDeal('D', { amount: 60_000, closeDate: '2026-01-15', ownerId: 'ben', name: 'Acme' });
    await browser.service.waitForCalculations(workspaceId);
    billing.sendInvoice({
      total: 60_000_00,
      created: '2026-01-31T12:00:00Z',
      metadata: { deal_id: 'D' },
      payments: [{ amount: 20_000_00, at: '2026-02-15T12:00:00Z' }],
    });
  });
  after(async () => {
    await browser.stop();
    await billing.stop();
  });

  const payable = async (period: string) => {
    const { summary } = await browser.workspace.api.expect(200, 'GET', `/v1/statements?repId=${ben}&period=${period}`);
    return summary.payable;
  };
  const closed = (page: Page) => page.waitForFunction(`document.querySelector('[role=dialog]') === null`);

  it('comes from the invoices of Stripe, once an admin has confirmed the first month', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/imports/scheduled');
    await pointer.press(page, 'button', 'New scheduled import');
    await pointer.write(page, 'Name', 'Stripe');
    await pointer.choose(page, 'Where the files are', 'Invoices in Stripe');
    await pointer.write(page, 'Restricted API key', billing.apiKey);
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Create and read');
    await closed(page);
    await sees(page, 'invoices-2026-01.csv: 1 row');
    await sees(page, 'It would create or change 1 row');
    expect(await payable('2026-02')).to.equal(0);
    await pointer.press(page, 'button', 'Confirm and import');
    await sees(page, 'Imported');
    expect(await payable('2026-02')).to.equal(1600);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('moves to other months by a new schedule, which the preview of the builder shows', async () => {
    const [plan] = await browser.workspace.api.expect(200, 'GET', '/v1/plans');
    const { page, problems, close } = await browser.openPage('admin', `/plans/${plan.planId}/edit`);
    await page.locator('::-p-xpath(//button[contains(., "New business")])').click();
    await pointer.choose(page, 'When what the rule earns is paid', 'in equal parts');
    await sees(page, 'and what is paid in 2 pay periods');
    await pointer.press(page, 'button', 'See every change');
    await page.locator('::-p-xpath(//button[contains(., "Pay periods")])').click();
    const rows = await texts(page, '[role=dialog] tbody tr');
    expect(rows).to.deep.equal([
      'January 20260.001,600.00+$1,600.00',
      'March 20260.001,600.00+$1,600.00',
      'Waits, day not known3,200.000.00−$3,200.00',
    ]);
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
