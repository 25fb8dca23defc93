import { expect } from 'chai';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { flatRule, won } from '#test/support/terms.js';
import { violations } from './accessibility.js';

/**
 * 10 %, half at close and half as the customer pays: of 60,000 that are won today, 3,000 are paid this month and 3,000 wait.
 * Of 20,000 with 50 %, 1,000 are expected, half of it this month.
 */
describe('what is coming, on My pay', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  const today = new Date().toISOString().slice(0, 10);
  const month = new Date().toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

  before(async () => {
    const { workspace, service } = browser;
    const { api } = workspace;
    const payouts = { enabled: true, from: `${today.slice(0, 7)}-01` };
    await api.expect(200, 'PATCH', '/v1/workspaces', { payouts, currency: 'USD' });
    const halves = ['close', 'paid'].map((on) => ({ on, percent: 50 }));
    const rule = flatRule('Ten', 0.1, { payout: { schedule: halves } });
    const repId = browser.repId('admin');
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [rule] } }, [repId]);
    const deal = (dealId: string, amount: number, values: object) => ({
      ...{ dealId, name: dealId, amount, repId, closeDate: today },
      ...values,
    });
    const open = { stage: 'Proposal', fields: { probability: 50 } };
    const deals = [deal('Won deal', 60_000, { stage: 'Won' }), deal('Open deal', 20_000, open)];
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    await service.waitForCalculations(workspace.workspaceId);
  });

  for (const width of [1280, 390]) {
    it(`has the expected part, the pay calendar and when the forecast is paid, ${width} pixels`, async () => {
      const { page, problems, close } = await browser.openPage('admin', '/me', { width });
      await sees(page, 'Pay calendar');
      await sees(page, 'Forecast');
      await waitUntilLoaded(page);
      const rows = (caption: string) =>
        texts(page, width === 390 ? `ul[aria-label="${caption}"] > li` : `main table tbody tr`);
      const visible = (await texts(page, 'main')).join(' ');
      expect(visible).to.match(/Expected\s*from deals that are open\s*\$1,000\.00/);
      const calendar = (await rows('What the next statements pay')).join(' | ');
      expect(calendar).to.match(new RegExp(`${month}[^|]*\\$3,000\\.00[^|]*\\$3,500\\.00`));
      expect(calendar).to.match(/Without a day[^|]*\$3,000\.00[^|]*\$3,500\.00/);
      expect((await rows('When it is paid')).join(' | ')).to.match(new RegExp(`${month}[^|]*\\$3,500\\.00`));
      await (await page.waitForSelector('::-p-aria(Pay to reach)'))?.type('7000');
      await sees(page, 'Win Open deal to reach it: $8,000.00.');
      expect(await violations(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });

    it(`“If I close …” says when the addition is paid, and what each deal adds, ${width} pixels`, async () => {
      const { page, problems, close } = await browser.openPage('admin', '/me/simulate', { width });
      await page.click('input[type=checkbox]');
      await sees(page, `Paid: $1,000.00 in ${month}, $1,000.00 when the customer pays`);
      await sees(page, 'What each deal adds');
      await waitUntilLoaded(page);
      expect((await texts(page, 'main')).join(' ')).to.match(/Open deal\s*\+\$2,000\.00/);
      expect(await violations(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });
  }
});
