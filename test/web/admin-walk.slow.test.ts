import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { AdminWalk } from './admin-walk.js';
import { type ClickCount } from './click-count.js';
import { corrections, deals, dealsFile, octoberCommission, peopleFile, quota, sellers } from './messy-company.js';

/** Clicks and typed fields of an earlier release for the same tasks, from the page of the area on. */
const earlier = {
  people: 10,
  deals: 12,
  plan: 7,
  quotas: 6,
  assignments: 22,
  activate: 3,
  rate: 9,
  october: 6,
  payroll: 3,
} as const;
type Task = keyof typeof earlier;

/** From an empty workspace to the payroll file without the API and without a terminal; each amount is checked. */
describe('the first month of an admin in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  const folder = mkdtempSync(path.join(tmpdir(), 'walk-'));
  let page: Page;
  let problems: string[];
  let walk: AdminWalk;
  let clicks: ClickCount;

  before(async () => {
    ({ page, problems } = await browser.openPage('admin', '/imports'));
    walk = new AdminWalk(browser, page);
    clicks = walk.clicks;
    writeFileSync(path.join(folder, 'people.csv'), peopleFile());
    writeFileSync(path.join(folder, 'deals.csv'), dealsFile());
  });

  after(() => rmSync(folder, { recursive: true }));

  const begin = (task: Task, address: string) => walk.begin(task, address);
  const confirm = () => walk.confirm();
  const earned = (period: string) => walk.earned(period);

  it('imports 42 people from messy rows', async () => {
    await begin('people', '/imports/people');
    await clicks.giveFile(path.join(folder, 'people.csv'));
    await clicks.press('Import 42 people');
    await sees(page, '42 people imported');
    const { reps } = await browser.workspace.api.expect(200, 'GET', '/v1/reps');
    const ids = new Map(reps.map(({ email, id }: { email: string; id: string }) => [email, id]));
    const ben = reps.find(({ name }: { name: string }) => name === "Ben O'Neil");
    expect(ben).to.include({
      role: 'rep',
      team: 'Development',
      payrollId: 'E-132',
      managerId: ids.get('p2@halden.test'),
    });
  });

  it('imports 3,000 deals, of which three are corrected', async () => {
    await begin('deals', '/imports/deals');
    await clicks.giveFile(path.join(folder, 'deals.csv'));
    await sees(page, 'Rejected, 3 rows');
    for (const { row, column, right } of corrections) await clicks.write(`${column} of row ${row}`, right);
    await clicks.press('Import 3,000 deals');
    await sees(page, '3,000 deals imported');
    const { totals } = await browser.workspace.api.expect(200, 'GET', '/v1/deals?limit=1&totals=true');
    const sum = deals.reduce((total, { dollars }) => total + dollars, 0);
    expect(totals).to.deep.equal([{ currency: 'USD', amount: sum, deals: 3000 }]);
  });

  it('makes the plan of the sellers from a template with another rate', async () => {
    await begin('plan', '/plans');
    await clicks.press('New plan', 'link');
    await clicks.pressPart('Account executive, marginal tiers');
    await clicks.write('Name of the plan', 'AE');
    await clicks.write('Rate of tier 1', '9');
    await clicks.press('Save draft');
    await sees(page, 'Version 1, draft');
  });

  it('assigns the sellers by their team', async () => {
    await begin('assignments', '/assignments');
    await clicks.choose('Filter by team', 'Sales');
    await clicks.press('Everyone in the list', 'checkbox');
    await clicks.press(`Assign ${sellers.length} people`);
    await confirm();
    await sees(page, 'The assignments were changed.');
  });

  it('pastes the quotas of 25 people and four quarters', async () => {
    await begin('quotas', '/imports/quotas');
    const quarters = ['2026-Q1', '2026-Q2', '2026-Q3', '2026-Q4'];
    await clicks.paste([
      ['Person', ...quarters],
      ...sellers.map(({ name }) => [name, ...quarters.map(() => String(quota))]),
    ]);
    await clicks.press('Import 100 quotas');
    await sees(page, '100 quotas imported');
  });

  it('previews and activates the plan, which pays what it said and what is calculated by hand', async () => {
    await begin('activate', '/plans');
    await page.locator('::-p-aria([name="AE"][role="link"])').click();
    await clicks.press('Edit', 'link');
    await sees(page, 'See every change');
    await clicks.press('Activate');
    // The worked example of the template expects the rate that was replaced.
    await clicks.pressAt('[role=dialog] input[type=checkbox]');
    await confirm();
    const commission = octoberCommission();
    const stored = await earned('2026-10');
    for (const [index, { name }] of sellers.entries()) expect(stored.get(name), name).to.equal(commission[index]);
  });

  it('generates and approves October', async () => {
    await begin('october', '/approvals?period=2026-10');
    await clicks.press('Generate');
    await sees(page, 'statements generated.');
    await page.waitForSelector('thead input[type=checkbox]:not(:disabled)');
    await clicks.pressAt('thead input[type=checkbox]');
    await clicks.press(`Approve ${sellers.length}`);
    await confirm();
    await sees(page, 'Everything is approved');
    const sum = octoberCommission().reduce((total, amount) => total + amount, 0);
    const strip = (await texts(page, '[aria-label="Sums of the period"]')).join(' ');
    expect(strip.replaceAll('\u00a0', ' ')).to.include(
      `Approved$${sum.toLocaleString('en-US', { minimumFractionDigits: 2 })}`,
    );
  });

  it('hands the payroll file over', async () => {
    await begin('payroll', '/payroll?period=2026-10');
    await clicks.press('Download');
    await clicks.press('Mark as handed over');
    await confirm();
    const { handovers } = await browser.workspace.api.expect(200, 'GET', '/v1/payroll-handovers');
    const sum = octoberCommission().reduce((total, amount) => total + amount, 0);
    expect(handovers).to.have.length(1);
    expect(JSON.stringify(handovers[0])).to.include(String(sum));
  });

  it('changes a rate from 1 December on, which leaves October as it was', async () => {
    const before = await earned('2026-10');
    await begin('rate', '/plans');
    await page.locator('::-p-aria([name="AE"][role="link"])').click();
    await clicks.press('Edit', 'link');
    await waitUntilLoaded(page);
    await clicks.pickDay('In force from', '2026-12-01');
    await clicks.write('Rate of tier 1', '8');
    await sees(page, 'See every change');
    await clicks.press('Activate');
    await confirm();
    expect(await earned('2026-10')).to.deep.equal(before);
  });

  it('takes at most two thirds of the clicks of an earlier release', () => {
    const { now, then } = walk.compare(earlier);
    expect(now).to.be.at.most((then * 2) / 3);
    expect(problems).to.deep.equal([]);
  });
});
