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

/**
 * 60,000 of a quota of 100,000 for this quarter, whose first working day is a holiday: 60 % of the target in the working days
 * that are counted here one by one.
 */
describe('the pace on My pay', function () {
  this.timeout(120_000);
  const browser = Browser.duringSuite({ isEmpty: true });
  const now = new Date();
  const today = now.toISOString().slice(0, 10);
  const firstMonth = now.getUTCMonth() - (now.getUTCMonth() % 3);
  const days = Array.from(
    { length: 100 },
    (_, index) => new Date(Date.UTC(now.getUTCFullYear(), firstMonth, 1 + index)),
  );
  const [holiday = '', ...working] = days
    .filter((day) => day < new Date(Date.UTC(now.getUTCFullYear(), firstMonth + 3, 1)))
    .filter((day) => ![0, 6].includes(day.getUTCDay()))
    .map((day) => day.toISOString().slice(0, 10));
  const elapsed = working.filter((day) => day <= today).length;

  before(async () => {
    const { workspace, service } = browser;
    const { api } = workspace;
    const repId = browser.repId('admin');
    const rule = flatRule('New business', 0.1);
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [rule] } }, [repId]);
    await api.setQuota([repId], 'New business', `${now.getUTCFullYear()}-Q${firstMonth / 3 + 1}`, 100_000);
    await api.expect(200, 'POST', '/v1/holidays/import', `day,name\n${holiday},Holiday\n`, {
      'Content-Type': 'text/csv',
    });
    const deal = { dealId: 'Won', amount: 60_000, repId, stage: 'Won', closeDate: today };
    await api.expect(200, 'POST', '/v1/deals/import', { deals: [deal] });
    await service.waitForCalculations(workspace.workspaceId);
  });

  for (const width of [1280, 390])
    it(`is a line with the working days that have passed, without open deals too, ${width} pixels`, async () => {
      const { page, problems, close } = await browser.openPage('admin', '/me', { width });
      await sees(page, 'Line items');
      const share = Math.round((0.6 * working.length * 100) / elapsed);
      if (elapsed > 0)
        await sees(
          page,
          `60 % of the target after ${elapsed} of ${working.length} working days, ${share} % of the pace that reaches it.`,
        );
      await waitUntilLoaded(page);
      expect(await violations(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });
});
