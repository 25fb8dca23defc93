import { expect } from 'chai';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { flatRule, won } from '#test/support/terms.js';
import { violations } from './accessibility.js';

describe('the forecast on My pay', function () {
  this.timeout(120_000);
  const browser = Browser.duringSuite();
  let period: string;

  /** A second plan of the rep pays 10 %: of 30,000 with 60 % and of 20,000 with 50 %, next month. */
  before(async () => {
    const { api } = browser.workspace;
    const repId = browser.repId('rep');
    const now = new Date();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 13, 1)).toISOString();
    period = next.slice(0, 7);
    await api.createPlan(
      {
        name: 'Forecast',
        config: { dealConditions: [{ ...won, value: 'Closed Won' }], rules: [flatRule('Ten', 0.1)] },
      },
      [repId],
    );
    const deal = (dealId: string, amount: number, probability: number) => ({
      dealId,
      name: dealId,
      amount,
      repId,
      stage: 'Proposal',
      closeDate: `${period}-10`,
      fields: { probability },
    });
    const deals = [deal('Large', 30_000, 60), deal('Small', 20_000, 50), deal('Unlikely', 1000, 0)];
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    await browser.workspace.calculated();
  });

  for (const width of [1280, 390])
    it(`shows the expected amount, its range and the worth of each deal, ${width} pixels`, async () => {
      const [api, repId] = [await browser.as('rep'), browser.repId('rep')];
      const { deals } = await api.expect(200, 'GET', `/v1/forecast?repId=${repId}&period=${period}`);
      const worth = Object.fromEntries(deals.map((deal: { name: string; worth: number }) => [deal.name, deal.worth]));
      // The new plan alone pays 3,000 and 2,000; the others of the rep pay more.
      expect(worth['Large']).to.be.at.least(3000);
      const { page, problems, close } = await browser.openPage('rep', `/me?period=${period}`, { width });
      await sees(page, 'Forecast');
      await waitUntilLoaded(page);
      const visible = (await texts(page, 'main')).join(' ');
      const plain = (amount: number) => amount.toLocaleString('en-US', { minimumFractionDigits: 2 });
      expect(visible).to.include(plain(worth['Large'])).and.include(plain(worth['Small']));
      expect(visible).to.match(/60.?%/).and.include('if you win none of them');
      expect(await page.$$('[role=img][aria-label^="Expected"]')).to.have.length(1);
      expect(await violations(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });
});
