import { expect } from 'chai';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { flatRule, won } from '#test/support/terms.js';
import { violations } from './accessibility.js';

/**
 * 60,000 of a quota of 100,000 are won; 30,000 (60 %) and 20,000 (50 %) are open. 8 %, and 12 % from the quota on, pay 4,800
 * (20 %), 7,200 (30 %), 6,400 (20 %) and 9,600 (30 %): 7,280 on average. The deal of 30,000 is worth 8,400 − 5,600, that of
 * 20,000 8,320 − 6,240. All close today, so they count in the order of their ids.
 */
describe('the forecast on My pay', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  const today = new Date().toISOString().slice(0, 10);
  const period = `${today.slice(0, 4)}-Q${Math.ceil(Number(today.slice(5, 7)) / 3)}`;

  before(async () => {
    const { workspace, service } = browser;
    const { api } = workspace;
    const repId = browser.repId('admin');
    await api.expect(200, 'PATCH', '/v1/workspaces', { currency: 'USD' });
    const tiers = [
      { tierIndex: 0, minThreshold: 0, rate: 0.08 },
      { tierIndex: 1, minThreshold: 1, rate: 0.12 },
    ];
    const rule = { name: 'New business', measure: 'amount', tierMode: 'full_rate', tiers };
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [rule] } }, [repId]);
    await api.setQuota([repId], 'New business', period, 100_000);
    const deal = (dealId: string, amount: number, values: object) => ({
      ...{ dealId, name: dealId, amount, repId, closeDate: today },
      ...values,
    });
    const open = (probability: number) => ({ stage: 'Proposal', fields: { probability } });
    const deals = [
      deal('Closed', 60_000, { stage: 'Won' }),
      deal('Large', 30_000, open(60)),
      deal('Small', 20_000, open(50)),
    ];
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    await service.waitForCalculations(workspace.workspaceId);
  });

  for (const width of [1280, 390])
    it(`shows the expected amount, its range, the worth of each deal and what reaches a goal, ${width} pixels`, async () => {
      const { page, problems, close } = await browser.openPage('admin', `/me?period=${period}`, { width });
      await sees(page, 'Expected. Probably $4,800.00 to $9,600.00; $4,800.00 if you win none of them.');
      await waitUntilLoaded(page);
      const rows = (await texts(page, width === 390 ? 'ul[aria-label^="Open deals"] > li' : 'main tbody tr')).join(
        ' | ',
      );
      expect((await texts(page, 'main')).join(' ')).to.include('$7,280.00');
      for (const words of [/Large[^|]*60.?%/, /Large[^|]*2,800\.00/, /Small[^|]*50.?%/, /Small[^|]*2,080\.00/])
        expect(rows).to.match(words);
      expect(
        await page.$$('[role=img][aria-label="Expected $7,280.00, probably $4,800.00 to $9,600.00"]'),
      ).to.have.length(1);
      await (await page.waitForSelector('::-p-aria(Pay to reach)'))?.type('9000');
      await sees(page, 'Win Large and Small to reach it: $9,600.00.');
      expect(await violations(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });
});

/**
 * 60,000 of a quota of 100,000 for this quarter, whose first working day is a holiday: 60 % of the target in the working days
 * that are counted here one by one.
 */
describe('the pace on My pay', () => {
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
