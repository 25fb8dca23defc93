import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { until } from '#test/support/until.js';
import { violations, violationsInBothSchemes } from './accessibility.js';
import { plain } from './amounts.js';
import { expectSoundPages, looks } from './sound-pages.js';
import { createTeamSituation, type TeamSituation, teamPages } from './team-pages.js';

describe("a manager's pages in the web app", () => {
  const browser = Browser.duringSuite();
  let situation: TeamSituation;
  before(async () => {
    situation = await createTeamSituation(browser as Browser);
  });

  const rowOf = async (page: Page, text: string) =>
    (await texts(page, 'tbody tr')).find((row) => row.includes(text)) ?? expect.fail(`no row has ${text}`);
  const press = (page: Page, text: string) => page.locator(`::-p-xpath(//button[normalize-space()="${text}"])`).click();
  const dialogClosed = (page: Page) => page.waitForFunction(`document.querySelector('[role=dialog]') === null`);

  it('show the amounts of the API', async () => {
    const manager = await browser.as('manager');
    const team = await browser.openPage('manager', teamPages(situation)['team'] as string);
    const { reps, totals } = await manager.expect(200, 'GET', `/v1/commissions?period=${situation.month}`);
    expect(reps).to.have.length.above(0);
    for (const { name, earnings } of reps) expect(await rowOf(team.page, name)).to.include(plain(earnings.total));
    expect((await texts(team.page, 'tfoot')).join()).to.include(plain(totals.total));
    await team.close();
    const [year, month] = situation.month.split('-').map(Number) as [number, number];
    const earlier = month > 2 ? `${year}-${String(month - 2).padStart(2, '0')}` : `${year - 1}-${month + 10}`;
    const { reps: before } = await manager.expect(200, 'GET', `/v1/commissions?period=${earlier}`);
    const beside = await browser.openPage('manager', `${teamPages(situation)['team']}&beside=${earlier}`);
    for (const { repId, name, earnings } of reps) {
      const then = before.find((rep: { repId: string }) => rep.repId === repId);
      for (const total of [earnings.total, then?.earnings.total ?? 0])
        expect(await rowOf(beside.page, name)).to.include(plain(total));
    }
    await beside.close();
    const { discrepancies } = await manager.expect(200, 'GET', '/v1/discrepancies?status=open');
    const { page, close } = await browser.openPage('manager', `/discrepancies?open=${situation.discrepancyId}`);
    for (const { repName, approved, live, delta, lines } of discrepancies) {
      const row = await rowOf(page, repName);
      for (const amount of [approved, live, delta]) expect(row).to.include(plain(amount).replace('−', ''));
      for (const line of lines) expect(await rowOf(page, line.ruleName)).to.include(line.dealName ?? 'Whole period');
    }
    await close();
  });

  for (const look of looks)
    it(`are accessible, free of errors and fast, ${look.width} pixels`, async () => {
      await expectSoundPages(browser, 'manager', teamPages(situation), look);
    });

  it('have dialogs that are accessible in both schemes', async () => {
    const pages = teamPages(situation);
    const dialogs = [
      ['manager', pages['discrepancy'], ['Pay in the same period', 'Dismiss']],
      ['manager', pages['team-question'], ['Accept', 'Reject']],
      ['admin', pages['team-question'], ['Accept']],
    ] as const;
    for (const [role, path, buttons] of dialogs) {
      const { page, close } = await browser.openPage(role, path as string);
      for (const button of buttons) {
        await press(page, button);
        await page.waitForSelector('[role=dialog]');
        expect(await violationsInBothSchemes(page), button).to.deep.equal([]);
        await page.keyboard.press('Escape');
        await dialogClosed(page);
      }
      await close();
    }
  });

  it('filter people by name with the key /, keep the filter in the address, and explain an empty result', async () => {
    const { page, problems, close } = await browser.openPage('manager', teamPages(situation)['team'] as string);
    await page.keyboard.press('/');
    await page.keyboard.type('dana');
    await page.waitForFunction(`document.querySelectorAll('tbody tr').length === 1`);
    expect(await rowOf(page, 'Dana Whitfield')).not.to.equal('');
    await page.waitForFunction(`location.search.includes('name=dana')`);
    await page.keyboard.type('???');
    await press(page, 'Clear the filters');
    await page.waitForFunction(`document.querySelectorAll('tbody tr').length > 1`);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('answers a question by keyboard alone', async () => {
    const { page, close } = await browser.openPage('manager', '/questions');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`location.pathname.startsWith('/questions/')`);
    await waitUntilLoaded(page);
    expect(await page.title(), 'text of the question is not run').not.to.equal('open');
    await (await page.waitForSelector(`::-p-xpath(//button[normalize-space()="Reject"])`))?.focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=dialog] textarea');
    await page.focus('[role=dialog] textarea');
    await page.keyboard.type('The second year starts in January.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialogClosed(page);
    const rep = await browser.as('rep');
    const dispute = await rep.expect(200, 'GET', `/v1/disputes/${situation.disputeId}`);
    expect(dispute.status).to.equal('rejected');
    expect(dispute.history.at(-1)).to.include({ note: 'The second year starts in January.' });
    await close();
  });

  it('opens and closes a row with a click anywhere in it, except on its controls', async () => {
    const { page, problems, close } = await browser.openPage('manager', '/discrepancies');
    const cell = 'main tbody tr:first-child td:nth-child(3)';
    await page.locator(cell).click();
    await page.waitForSelector('main tbody [aria-expanded=true]');
    expect(page.url()).to.include('open=');
    await page.locator(cell).click();
    await page.waitForSelector('main tbody [aria-expanded=false]');
    expect(page.url()).not.to.include('open=');
    await page.goto(`${browser.service.url}/approvals`, { waitUntil: 'load' });
    await page.locator('main tbody td input[type=checkbox]:not([disabled])').click();
    expect(page.url()).to.include('/approvals');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('carries a discrepancy forward with a reason', async () => {
    const { page, close } = await browser.openPage('manager', `/discrepancies?open=${situation.discrepancyId}`);
    await press(page, 'Pay in the next period');
    await page.waitForSelector('[role=dialog] textarea');
    await page.type('[role=dialog] textarea', 'The quarter is paid already.');
    await page.click('[role=dialog] [type=submit]');
    await dialogClosed(page);
    const { discrepancies } = await browser.workspace.api.expect(200, 'GET', '/v1/discrepancies?status=resolved');
    const resolved = discrepancies.find(
      (one: { discrepancyId: string }) => one.discrepancyId === situation.discrepancyId,
    );
    expect(resolved.resolution).to.include({ action: 'carry_forward', reason: 'The quarter is paid already.' });
    await close();
  });

  it('pays a difference and accepts the question about its deal with one confirmation', async () => {
    const [rep, repId] = [await browser.as('rep'), browser.repId('rep')];
    const { deals } = await browser.workspace.api.expect(200, 'GET', '/v1/deals?query=D-0000-late');
    const [{ deal_id: dealId, name, amount, stage, closeDate, currency, fields }] = deals;
    const changed = { name, amount: amount + 1000, stage, closeDate, currency, repId, fields };
    await browser.workspace.api.expect(200, 'PUT', `/v1/deals/${dealId}`, changed);
    const { period, delta } = await until(
      async () =>
        (await browser.workspace.api.expect(200, 'GET', `/v1/discrepancies?repId=${repId}&status=open`))
          .discrepancies[0],
      { what: 'the difference' },
    );
    const { disputeId } = await rep.expect(201, 'POST', '/v1/disputes', {
      period,
      type: 'wrong_amount',
      dealId,
      description: 'The amount of the deal has changed.',
    });
    const { page, problems, close } = await browser.openPage('manager', `/questions/${disputeId}`);
    await sees(page, `+$${plain(delta)} for Q3 2026 is not decided yet`);
    await press(page, `Pay $${plain(delta)} and accept`);
    await page.waitForSelector('[role=dialog] textarea');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await page.type('[role=dialog] textarea', 'You are right.');
    await page.click('[role=dialog] [type=submit]');
    await dialogClosed(page);
    await sees(page, 'Accepted');
    expect(problems).to.deep.equal([]);
    await close();
    const { status, history } = await rep.expect(200, 'GET', `/v1/disputes/${disputeId}`);
    expect([status, history.at(-1).note]).to.deep.equal(['accepted', 'You are right.']);
    const { count } = await browser.workspace.api.expect(200, 'GET', `/v1/discrepancies?repId=${repId}&status=open`);
    expect(count).to.equal(0);
  });

  it('say to a rep that the page is not theirs', async () => {
    const { page, close } = await browser.openPage('rep', '/team');
    expect(await violations(page)).to.deep.equal([]);
    for (const path of ['/team', '/approvals', '/discrepancies', '/exceptions', '/quota-progress']) {
      await browser.visit(page, path);
      expect((await texts(page, 'main')).join(), path).to.include('You may not see this');
    }
    await close();
  });

  it('are not widened by a name without spaces', async () => {
    const { reps } = await browser.workspace.api.expect(200, 'PUT', '/v1/reps', {
      reps: [{ email: 'long@demo.example', name: 'X'.repeat(120) }],
    });
    const [{ planId }] = await browser.workspace.api.expect(200, 'GET', '/v1/plans');
    await browser.workspace.api.expect(201, 'POST', '/v1/assignments', { repIds: [reps[0].id], planId });
    const { month } = situation;
    const addresses = [`/team?period=${month}`, `/approvals?period=${month}`, '/members?view=tree', `/plans/${planId}`];
    for (const address of addresses)
      for (const width of [1280, 390]) {
        const { page, close } = await browser.openPage('admin', address, { width });
        await page.waitForFunction(`document.body.innerText.includes('XXX')`);
        const hidden = await page.evaluate(`Math.max(...[document.documentElement,
          ...[...document.querySelectorAll('table')].map((table) => table.parentElement)]
          .map((one) => one.scrollWidth - one.clientWidth))`);
        expect(hidden, `${address} at ${width}`).to.equal(0);
        await close();
      }
  });
});
