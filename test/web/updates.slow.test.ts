import { expect } from 'chai';
import { addDays, mondayOf } from '#src/kernel/day.js';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { flatRule, won } from '#test/support/terms.js';
import { violations } from './accessibility.js';

/** 10 % of 12,000 that are won, and of 20,000 that become 15,000, since the last visit. */
describe('what is new since the last visit', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  const today = new Date().toISOString().slice(0, 10);
  const monday = addDays(mondayOf(today), 7);

  async function put(dealId: string, amount: number): Promise<void> {
    const { workspace, service } = browser;
    const deal = { dealId, name: dealId, amount, repId: browser.repId('admin'), stage: 'Won', closeDate: today };
    await workspace.api.expect(200, 'POST', '/v1/deals/import', { deals: [deal] });
    await service.waitForCalculations(workspace.workspaceId);
  }

  before(async () => {
    const { api } = browser.workspace;
    const repId = browser.repId('admin');
    await api.expect(200, 'PATCH', '/v1/workspaces', { currency: 'USD' });
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [flatRule('Ten', 0.1)] } }, [repId]);
    await put('Changed deal', 20_000);
  });

  it('is nothing in the first visit', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/me');
    await sees(page, '$2,000.00');
    expect((await texts(page, 'main')).join(' ')).not.to.include('since your last visit');
    expect(problems).to.deep.equal([]);
    await close();
    const { workspace } = browser;
    await workspace.sql(`update visits set visited_at = visited_at - interval '31 minutes' where workspace_id = $1`);
    await workspace.sql(
      `update commission_event_history set changed_at = changed_at - interval '2 hours' where workspace_id = $1`,
    );
    await put('Won deal', 12_000);
    await put('Changed deal', 15_000);
  });

  for (const width of [1280, 390])
    it(`is a badge that opens the list, ${width} pixels`, async () => {
      const { page, problems, close } = await browser.openPage('admin', '/me', { width });
      await sees(page, '2 new since your last visit');
      await waitUntilLoaded(page);
      expect(await violations(page)).to.deep.equal([]);
      await (await page.waitForSelector('::-p-aria(2 new since your last visit)'))?.click();
      await sees(page, 'New since your last visit');
      const rows = (await texts(page, '[role=dialog] li')).join(' | ');
      expect(rows).to.match(/Changed deal\s*Ten\. Deals were imported\. Before: \$2,000\.00\.\s*.\$500\.00/);
      expect(rows).to.match(/Won deal\s*Ten\. Deals were imported\.\s*\+\$1,200\.00/);
      expect(await violations(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });

  it('is sent by mail when an admin turns it on, and the settings say what will happen', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/workspace');
    const choice = await page.waitForSelector('::-p-aria(Each week people get)');
    await sees(page, 'People get no weekly mail about their pay.');
    await choice?.select('on');
    await sees(page, 'on, people get one mail a week, on Mondays, and never between 20:00 and 08:00 in UTC');
    await sees(page, 'Nothing is sent before a mail server is set up.');
    expect(await violations(page)).to.deep.equal([]);
    await (await page.waitForSelector('::-p-aria(Save mail)'))?.click();
    await sees(page, 'The weekly mail was saved.');
    const { repDigest } = await browser.workspace.api.expect(200, 'GET', '/v1/workspaces');
    expect(repDigest).to.deep.equal({ enabled: true, from: monday, quietHours: { from: '20:00', to: '08:00' } });
    await browser.visit(page, '/me/mail');
    await sees(page, 'Your pay each week');
    await sees(page, 'Every Monday, if an admin has turned it on');
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
