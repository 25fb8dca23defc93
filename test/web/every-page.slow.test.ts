import { expect } from 'chai';
import { Browser } from '#test/support/browser.js';
import { Northwind, teams } from '#test/support/surfaces/northwind.js';
import { violations } from './accessibility.js';
import { addressOf, appPaths, isOfAdmin } from './app-paths.js';
import { type Crawled, crawl } from './crawler.js';

/** Pages for a program that opens them, and before a person has signed in. */
const withoutSession = ['/login', '/start', '/setup'];
const period = '2026-08';

describe('every page and every dialog of the web app', function () {
  this.timeout(480_000);
  const browser = Browser.duringSuite({ isEmpty: true });
  const seen = new Set<string>();
  let world: Northwind;
  let parts: Readonly<Record<string, string>>;

  before(async () => {
    world = await Northwind.within(browser.workspace);
    await world.api.saveReps(
      { name: 'Fay Finance', email: 'fay@northwind.test', role: 'finance' },
      { name: 'Ada Auditor', email: 'ada@northwind.test', role: 'auditor' },
    );
    parts = await createSituation();
  });

  /** An approved and paid month, drafts, an open question, an open discrepancy, a rate table and a credit rule. */
  async function createSituation(): Promise<Readonly<Record<string, string>>> {
    const { api } = world;
    const repIds = teams.mara.map((person) => world.id(person));
    await api.expect(200, 'POST', '/v1/statements/generate', { period, repIds });
    const { statements } = await api.expect(200, 'GET', `/v1/statements?period=${period}`);
    const drafts = statements.filter((each: { status: string }) => each.status === 'draft');
    await api.expect(200, 'POST', '/v1/statements/approve', {
      period,
      statements: drafts.map(({ repId, version }: { repId: string; version: number }) => ({ repId, version })),
    });
    await api.expect(201, 'POST', '/v1/payout-batches', { period, currency: 'USD' });
    await api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-09', repIds });
    await api.putDeal('R-AUG', {
      ...{ name: 'Northgate Energy', amount: 90_000, closeDate: '2026-08-12', currency: 'USD' },
      ...{ ownerId: 'rosa', stage: 'Closed Won', fields: {} },
    });
    await world.calculated();
    await api.expect(200, 'PUT', '/v1/rate-tables/Products', {
      keys: [{ name: 'family', field: 'line.family', match: 'exact' }],
      columns: [{ name: 'base', kind: 'rate' }],
      rows: [{ keys: { family: 'software' }, values: { base: 0.1 } }],
    });
    const rep = await world.as(world.id('rosa'));
    const { disputeId } = await rep.expect(201, 'POST', '/v1/disputes', {
      ...{ period: '2026-09', type: 'wrong_amount', description: 'Harbour Media is too low.' },
    });
    const plans: { planId: string }[] = await api.expect(200, 'GET', '/v1/plans');
    return {
      dealId: 'R-SHARED',
      repId: world.id('rosa'),
      disputeId,
      kind: 'deals',
      planId: plans[0]?.planId ?? '',
      name: 'Products',
    };
  }

  const toAddress = (path: string) => addressOf(path, parts);

  /** The pages of the navigation of the person, and single ones. */
  async function pagesOf(person: string, ...further: readonly string[]): Promise<readonly string[]> {
    const { page, close } = await browser.openPage(person, '/account');
    const links = await page.$$eval('nav[aria-label="Main"] a', (all) => all.map((link) => link.getAttribute('href')));
    await close();
    return [...new Set([...links.flatMap((link) => link ?? []), '/account', ...further.map(toAddress)])];
  }

  function expectSound(paths: readonly string[], { pages, dialogs, wrong }: Crawled, minDialogs: number): void {
    for (const path of paths) seen.add(path);
    expect(wrong.join('\n')).to.equal('');
    expect(pages.length).to.be.above(0);
    expect(dialogs.size, [...dialogs].join(', ')).to.be.at.least(minDialogs);
  }

  it('are accessible and free of errors for a rep', async () => {
    const addresses = await pagesOf(
      world.id('rosa'),
      '/statements/$repId',
      '/deals/$dealId',
      '/questions/$disputeId',
      '/me/mail',
      '/account/agents',
    );
    expectSound(addresses, await crawl(browser, world.id('rosa'), addresses), 3);
  });

  it('… for a manager', async () => {
    const addresses = await pagesOf(world.id('mara'), '/statements/$repId', '/deals/$dealId', '/questions/$disputeId');
    expectSound(addresses, await crawl(browser, world.id('mara'), addresses), 3);
  });

  for (const [role, find, minDialogs] of [
    ['payroll', () => world.id('joan'), 3],
    ['finance', () => nameIn('Fay Finance'), 1],
    ['an auditor', () => nameIn('Ada Auditor'), 1],
  ] as const)
    it(`… for ${role}`, async () => {
      const person = await find();
      const addresses = await pagesOf(person, '/statements/$repId');
      expectSound(addresses, await crawl(browser, person, addresses), minDialogs);
    });

  async function nameIn(name: string): Promise<string> {
    const { reps } = await world.api.expect(200, 'GET', '/v1/reps');
    return reps.find((rep: { name: string }) => rep.name === name).id;
  }

  it('… for an admin', async () => {
    const addresses = appPaths.filter(isOfAdmin).map(toAddress);
    expectSound(addresses, await crawl(browser, await nameIn('Alex Morgan'), addresses), 20);
  });

  it('… before a person has signed in', async () => {
    const { page, close } = await browser.openPage(null, '/login');
    for (const path of withoutSession) {
      await browser.visit(page, path);
      expect(await violations(page)).to.deep.equal([]);
    }
    await close();
  });

  it('are all pages of the router', () => {
    expect(appPaths.map(toAddress).filter((address) => !seen.has(address))).to.deep.equal([]);
  });
});
