import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { dayInZone } from '#src/kernel/day.js';
import { previousPeriod, toPeriod } from '#src/kernel/period.js';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { until } from '#test/support/until.js';
import { violations, violationsInBothSchemes } from './accessibility.js';
import { plain } from './amounts.js';
import { looks } from './sound-pages.js';

interface TeamRow {
  readonly repId: string;
  readonly name: string;
  readonly status: string;
  readonly version: number;
  /** The periods whose approved statement pays for this one. */
  readonly coveredBy: readonly string[];
  readonly summary: { readonly netPayout: number };
}

describe('approvals in the web app', () => {
  const browser = Browser.duringSuite();
  const period = previousPeriod(toPeriod(dayInZone(new Date(), 'UTC'), 'monthly'));
  const path = `/approvals?period=${period}`;

  const rowsOf = async (): Promise<TeamRow[]> => {
    const manager = await browser.as('manager');
    return (await manager.expect(200, 'GET', `/v1/statements?period=${period}`)).statements;
  };
  const button = (page: Page, text: string) => page.locator(`::-p-xpath(//button[contains(., "${text}")])`);
  const selectable = 'input[aria-label^="Select "]:not([aria-label^="Select all"]):not(:disabled)';

  it('generates drafts, and shows the amounts of the API', async () => {
    const { page, problems, close } = await browser.openPage('manager', path);
    const sums = async () => (await texts(page, 'section[aria-label="Sums of the period"]')).join();
    const unpaid = (await rowsOf()).filter(({ coveredBy }) => coveredBy.length === 0);
    const missing = unpaid.filter(({ status }) => status === 'none').length;
    // The missing quota of one person counts only in a month with a deal that needs it.
    const causes = [`${missing} not generated`, `1 without a quota, ${missing - 1} not generated`];
    expect((await sums()).split('Not ready')[1]).to.be.oneOf(causes.map((words) => `${missing}${words}`));
    await button(page, 'Generate').click();
    await page.waitForSelector(selectable);
    expect(await sums()).to.not.include('not generated');
    for (const { name, status, summary } of await rowsOf()) {
      if (status !== 'draft') continue;
      const [row = ''] = (await texts(page, 'tbody tr')).filter((text) => text.includes(name));
      expect(row, name).to.include(plain(summary.netPayout));
    }
    expect(problems).to.deep.equal([]);
    await close();
  });

  for (const look of looks)
    it(`is accessible with a selection and the confirmation, ${look.width} pixels`, async () => {
      const { page, problems, close } = await browser.openPage('manager', path, look);
      await (await page.waitForSelector(selectable))?.click();
      await page.waitForSelector('section[aria-label=Selection]');
      expect(await violationsInBothSchemes(page)).to.deep.equal([]);
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('a');
      await page.waitForSelector('[role=dialog]');
      expect(await violationsInBothSchemes(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });

  it('approves the displayed version by keyboard alone', async () => {
    const { page, close } = await browser.openPage('manager', path);
    await page.waitForSelector(selectable);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.waitForSelector('section[aria-label=Selection]');
    const chosen = await page.$eval('[data-row-action]:focus', (link) => link.getAttribute('data-key'));
    await page.keyboard.press('a');
    await page.waitForSelector('[role=dialog] [type=submit]:not([aria-busy]):focus');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`/statements? approved/.test(document.body.textContent)`);
    await waitUntilLoaded(page);
    expect((await rowsOf()).find(({ repId }) => repId === chosen)).to.include({ status: 'approved', version: 1 });
    await close();
  });

  it('holds a draft whose amounts changed since the manager looked, until its new version is accepted', async () => {
    const { page, close } = await browser.openPage('manager', path);
    await page.waitForSelector(selectable);
    const seller = (await rowsOf()).find(({ status, name }) => status === 'draft' && name !== 'Maya Ito') as TeamRow;
    await browser.workspace.api.expect(200, 'POST', `/v1/statements/${seller.repId}/adjust`, {
      period,
      amount: 500,
      reason: 'Contest',
    });
    await browser.workspace.api.expect(200, 'POST', `/v1/statements/${seller.repId}/generate`, { period });
    await page.waitForFunction(`document.body.textContent.includes('Changed since you looked')`);
    const box = await page.$(`input[aria-label="Select ${seller.name}"]`);
    expect((await box?.getProperty('disabled'))?.toString()).to.equal('JSHandle:true');
    expect(await violations(page)).to.deep.equal([]);
    await button(page, `Accept v${seller.version + 1}`).click();
    await page.waitForSelector(`input[aria-label="Select ${seller.name}"]:not(:disabled)`);
    const checked = (await rowsOf()).find(({ repId }) => repId === seller.repId);
    expect(checked).to.have.nested.property('checks[0].version', seller.version + 1);
    await close();
  });

  it('continues an approval when the page is loaded again, and says who was not approved and why', async () => {
    const { page, problems, close } = await browser.openPage('manager', path);
    await page.waitForSelector(selectable);
    const [disputed, other] = (await rowsOf()).filter(({ status, name }) => status === 'draft' && name !== 'Maya Ito');
    for (const one of [disputed, other]) await page.click(`input[aria-label="Select ${one?.name}"]`);
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('a');
    await page.waitForSelector('[role=dialog] [type=submit]:not([aria-busy]):focus');
    // The worker waits until the page has been loaded again.
    await browser.service.sql(`alter table stored_jobs alter column not_before set default 'infinity'`);
    await page.keyboard.press('Enter');
    const progress = `document.body.textContent.includes('Approving statements: 0 of 2')`;
    await page.waitForFunction(progress);
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await page.reload();
    await page.waitForFunction(progress);
    const rep = await browser.as(disputed?.name as string);
    await rep.expect(201, 'POST', '/v1/disputes', { period, type: 'other', description: 'Please look again' });
    await browser.service.sql('alter table stored_jobs alter column not_before set default now()');
    await browser.service.sql('update stored_jobs set not_before = now()');
    await page.waitForFunction(String.raw`/1\sstatement approved, 1 not/.test(document.body.textContent)`);
    await page.waitForFunction(`document.body.textContent.includes('Not approved')`);
    const after = await rowsOf();
    expect(after.find(({ repId }) => repId === disputed?.repId)?.status).to.equal('draft');
    expect(after.find(({ repId }) => repId === other?.repId)?.status).to.equal('approved');
    await page.reload();
    await page.waitForFunction(`document.body.textContent.includes('Not approved')`);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('says how a job ended that was done before the page has read its progress', async () => {
    const { page, problems, close } = await browser.openPage('manager', path);
    const manager = await browser.as('manager');
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      const [jobs] = /\/v1\/statements\/(generate|approve)\/jobs\?.*/.exec(request.url()) ?? [];
      if (jobs !== undefined)
        await until(async () =>
          (await manager.expect(200, 'GET', jobs)).jobs.every(({ status }: { status: string }) => status !== 'running'),
        );
      await request.continue();
    });
    await button(page, 'Generate').click();
    await sees(page, 'statements generated.');
    await waitUntilLoaded(page);
    await page.locator(selectable).click();
    await page.waitForSelector('section[aria-label=Selection]');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('a');
    await page.waitForSelector('[role=dialog] [type=submit]:not([aria-busy]):focus');
    await page.keyboard.press('Enter');
    await page.waitForFunction(String.raw`/\d\sstatements? approved/.test(document.body.textContent)`);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
