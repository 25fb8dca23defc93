import { expect } from 'chai';
import { Browser, sees } from '#test/support/browser.js';
import { type CrmWorld, crmbWorld } from '#test/support/crm-worlds.js';
import { flatRule } from '#test/support/terms.js';
import { until } from '#test/support/until.js';
import { AdminWalk } from './admin-walk.js';

const earlier = { hubspot: 4 } as const;
const amounts = [12_000, 8_500, 40_300] as const;
const notWon = 99_000;

describe('HubSpot by consent in the web app', () => {
  let crm: CrmWorld;
  let browser: Browser;

  before(async () => {
    crm = await crmbWorld();
    const owner = crm.addPerson('Ada');
    for (const amount of amounts) crm.addDeal({ owner, amount, won: true, closeDate: '2026-02-10' });
    crm.addDeal({ owner, amount: notWon, won: false, closeDate: '2026-02-11' });
    browser = await Browser.start({ isEmpty: true, service: { crms: [crm], settings: { CRM_POLL_SECONDS: '2' } } });
  });

  after(async () => {
    await browser?.stop();
    await crm?.stop();
  });

  it('brings people and deals, and a plan pays on those that are won', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/connections');
    const walk = new AdminWalk(browser, page);
    await walk.begin('hubspot', '/connections');
    await walk.clicks.press('Connect HubSpot');
    const followed = (name: string) => Promise.all([page.waitForNavigation(), walk.clicks.press(name)]);
    await followed('Continue to HubSpot');
    await followed('Connect');
    await sees(page, 'HubSpot is connected');
    await Promise.all([page.waitForNavigation(), walk.clicks.press('Back to Connections', 'link')]);
    await sees(page, 'Settings HubSpot');
    const { api } = browser.workspace;
    const deals = await until(
      async () => {
        const stored = await api.expect(200, 'GET', '/v1/deals');
        return stored.count === amounts.length + 1 ? stored.deals : null;
      },
      { what: 'the deals are imported' },
    );
    expect(deals.map(({ amount }: { amount: number }) => amount)).to.have.members([...amounts, notWon]);
    const { reps } = await api.expect(200, 'GET', '/v1/reps');
    const { id } = reps.find(({ name }: { name: string }) => name === 'Ada Test');
    const conditions = [{ field: 'stage', fieldType: 'status', operator: 'contains', value: 'won' }];
    await api.createPlan({ name: 'AE', config: { dealConditions: conditions, rules: [flatRule('New', 0.08)] } }, [id]);
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    expect((await walk.earned('2026-02')).get('Ada Test')).to.equal((sum * 8) / 100);
    await close();
    expect(problems).to.deep.equal([]);
    expect(walk.compare(earlier).now).to.be.at.most(earlier.hubspot);
  });
});
