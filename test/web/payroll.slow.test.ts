import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { type Page } from 'puppeteer-core';
import { Decimal } from '#src/kernel/decimal.js';
import { Browser, sees, texts } from '#test/support/browser.js';
import { violations } from './accessibility.js';
import { money } from './amounts.js';
import { preparePayroll, type TeamRow } from './payroll-pages.js';
import { savedFile } from './saved-file.js';
import { expectSoundPages, looks } from './sound-pages.js';

const total = (rows: readonly TeamRow[]) =>
  rows.reduce((sum, { summary }) => sum.plus(Decimal.of(String(summary.netPayout))), Decimal.of('0'));

describe('payroll in the web app', () => {
  const browser = Browser.duringSuite();
  const controls = 'section:has(> div > div > h2) dl dd';
  let period: string;
  let rows: readonly TeamRow[];
  let address: string;

  before(async () => {
    ({ period, rows } = await preparePayroll(browser));
    address = `/payroll?period=${period}`;
  });

  const file = async (layout: string) => {
    const payroll = await browser.as('payroll');
    const { body } = await payroll.send('GET', `/v1/statements/export.csv?period=${period}&layout=${layout}`);
    // The text of a response has no byte order mark.
    return `\uFEFF${body}`;
  };
  const readCells = (text: string) => parse(text, { bom: true }) as string[][];
  const button = (page: Page, text: string) => page.locator(`::-p-xpath(//button[contains(., "${text}")])`);
  const text = async (page: Page) => (await texts(page, 'main')).join(' ');

  it('shows the amounts of the statements, who is missing and why, and the cells of the file', async () => {
    const { page, problems, close } = await browser.openPage('payroll', `${address}&layout=gusto`);
    await page.waitForSelector('section[aria-label="First rows of the file"] tfoot td');
    const approved = rows.filter(({ status }) => status === 'approved');
    const missing = rows.filter(({ status }) => status !== 'approved');
    expect(await texts(page, 'section[aria-label="Sums of the period"]')).to.deep.equal([
      `Ready to pay${money(total(approved))}${approved.length} of ${rows.length} people, all approved, 1 without a payroll ID` +
        `Not in the file yet${money(total(missing))}${noteOf(missing)}`,
    ]);
    const body = await text(page);
    expect(body).to.include('Open questionThe amount is wrong, about');
    for (const { name } of missing) expect(body).to.include(name);
    const [header, ...lines] = readCells(await file('gusto'));
    const visible = await page.$$eval('section[aria-label="First rows of the file"] tbody tr', (all) =>
      all.slice(0, 6).map((row) => [...row.querySelectorAll('td')].slice(1).map((cell) => cell.textContent)),
    );
    expect(header?.[0]).to.equal('last_name');
    expect(visible.slice(0, lines.length)).to.deep.equal(lines.slice(0, 6));
    const facts = await texts(page, controls);
    expect(facts.slice(1)).to.deep.equal([
      String(lines.length),
      money(total(approved)),
      `${money(total(approved))}equal`,
    ]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  const noteOf = (missing: readonly TeamRow[]) => {
    const without = missing.filter(({ summary }) => summary.netPayout === 0).length;
    if (without === 0) return `${missing.length} people`;
    return `${missing.length} people, ${without} without an amount`;
  };

  it('downloads the file of the API as payroll', async () => {
    const { page, problems, close } = await browser.openPage('payroll', `${address}&layout=gusto`);
    const content = await savedFile(page, `statements-${period}-gusto.csv`, () => button(page, 'Download').click());
    await sees(page, 'Download again');
    expect(sha256(content)).to.equal(sha256(await file('gusto')));
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('blocks the hand-over of a layout with amounts that are not approved', async () => {
    const { page, problems, close } = await browser.openPage('manager', `${address}&layout=generic`);
    await page.waitForFunction(`document.body.textContent.includes('The file differs from the ledger')`);
    const isDisabled = await page.$$eval('main button', (all) =>
      all.flatMap((one) =>
        one.textContent === 'Mark as handed over' ? [(one as { disabled?: boolean }).disabled] : [],
      ),
    );
    expect(isDisabled).to.deep.equal([true]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  for (const look of looks) {
    it(`has pages that are accessible, free of errors and fast, ${look.width} pixels`, async () => {
      const pages = {
        period: `${address}&layout=gusto`,
        statements: `/payroll-statements?period=${period}`,
        people: '/people',
        handovers: '/hand-overs',
      };
      await expectSoundPages(browser, 'payroll', pages, look);
    });

    it(`has an accessible confirmation of the hand-over, ${look.scheme}, ${look.width} pixels`, async () => {
      const { page, problems, close } = await browser.openPage('manager', `${address}&layout=gusto`, look);
      await button(page, 'Mark as handed over').click();
      await page.waitForSelector('[role=dialog]');
      expect(await violations(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });
  }

  it('asks for a code from an e-mail where the workspace requires it, and then continues', async () => {
    const { page, problems, close } = await browser.openPage('payroll', `${address}&layout=gusto`);
    await browser.workspace.api.expect(200, 'PATCH', '/v1/workspaces', { stepUpMinutes: 15 });
    await button(page, 'Generic').click();
    const asking = '[role=dialog][aria-label="Confirm that it is you"]';
    await page.locator(`${asking} ::-p-text(Cancel)`).click();
    await page.waitForFunction(`document.body.textContent.includes('This needs a confirmation that it is you.')`);
    // A change elsewhere loads the page again, which is no reason to ask.
    const reloaded = page.waitForResponse((response) => response.url().includes('/v1/statements/payroll?'));
    await browser.workspace.api.expect(200, 'PATCH', '/v1/workspaces', { name: 'Halden' });
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    expect((await reloaded).status()).to.equal(200);
    await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))');
    expect(await page.$(asking)).to.equal(null);
    await button(page, 'Try again').click();
    await page.locator(`${asking} button[type=submit]`).click();
    await page.waitForSelector(`${asking} input`);
    expect(await violations(page)).to.deep.equal([]);
    await page.keyboard.type('000000');
    await page.waitForSelector(`${asking} [role=alert]`);
    await page.locator(`${asking} ::-p-text(Send again)`).click();
    await page.waitForFunction(`document.querySelector('${asking} input').value === ''`);
    const code = await browser.service.lastCode('joan.pereira@demo.example');
    await page.focus(`${asking} input`);
    await page.keyboard.type(code);
    await page.waitForFunction(`document.body.textContent.includes('The file differs from the ledger')`);
    await browser.workspace.api.expect(200, 'PATCH', '/v1/workspaces', { stepUpMinutes: null });
    const rejected = problems.flatMap((one) => /^(\d{3}): https?:\/\/[^/]+([^?]+)/.exec(one)?.slice(1).join(' ') ?? []);
    // Besides the file before the confirmation, only the wrong code is rejected.
    expect(rejected).to.include('403 /v1/statements/export.csv');
    expect(rejected.filter((one) => one !== '403 /v1/statements/export.csv')).to.deep.equal(['400 /auth/confirm']);
    expect(problems.filter((one) => !/^40[03]: |status of 40[03] /.test(one))).to.deep.equal([]);
    await close();
  });

  it('records the hand-over of the displayed file after one confirmation, with name and time', async () => {
    const { page, problems, close } = await browser.openPage('payroll', `${address}&layout=gusto`);
    await button(page, 'Mark as handed over').click();
    await page.waitForSelector('[role=dialog] input');
    await page.type('[role=dialog] input', 'Sent <i>today</i>');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.body.textContent.includes('Everything that is approved was handed over')`);
    const visible = await text(page);
    expect(visible).to.include('Sent <i>today</i>').and.include('Handed over').and.not.include('Mark as handed over');
    const { handovers } = await browser.workspace.api.expect(200, 'GET', `/v1/payroll-handovers?period=${period}`);
    expect(handovers).to.have.length(1);
    expect(handovers[0]).to.include({ layout: 'gusto', sha256: sha256(await file('gusto')) });
    expect(handovers[0].actor.name).to.equal('Joan Pereira');
    expect(visible).to.include(`Joan Pereira, ${new Date().getDate()}`);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('says when a worker has recorded a large hand-over, and shows it', async () => {
    const { page, problems, close } = await browser.openPage('payroll', `${address}&layout=long&scope=full`);
    // The page sends what the service would decide for more than 2,000 statements.
    await page.evaluate(`
      const send = window.fetch;
      window.fetch = (input, init) =>
        init?.method === 'POST' && String(input).endsWith('/v1/payroll-handovers')
          ? send(input, { ...init, body: JSON.stringify({ ...JSON.parse(init.body), async: true }) })
          : send(input, init);`);
    await button(page, 'Mark as handed over').click();
    await page.waitForSelector('[role=dialog] input');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.body.textContent.includes('is marked as handed over.')`);
    await page.waitForFunction(`document.querySelectorAll('[aria-label="Recorded hand-overs"] li').length === 2`);
    expect(await text(page)).to.not.include('Mark as handed over');
    const { jobs } = await browser.workspace.api.expect(200, 'GET', `/v1/payroll-handovers/jobs?period=${period}`);
    expect(jobs.map((job: { status: string; layout: string }) => [job.status, job.layout])).to.deep.equal([
      ['completed', 'long'],
    ]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('lists each currency for itself, and makes no file without a currency column of several', async () => {
    const { api } = browser.workspace;
    const { repId, name } = rows.find(({ status }) => status === 'none') as TeamRow;
    const rules = [{ name: 'Euro', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }];
    const dealConditions = [{ field: 'currency', fieldType: 'text', operator: 'equals', value: 'EUR' }];
    const plan = { name: 'Euro', currency: 'EUR', config: { dealConditions, rules } };
    const { planId } = await api.expect(201, 'POST', '/v1/plans', plan);
    await api.expect(201, 'POST', '/v1/assignments', { repIds: [repId], planId });
    const ownerId = `${name.toLowerCase().replace(' ', '.')}@demo.example`;
    const deal = { amount: 1000, stage: 'Closed Won', closeDate: `${period}-20`, ownerId, currency: 'EUR' };
    await api.expect(201, 'PUT', '/v1/deals/E-1', deal);
    await browser.workspace.calculated();
    const { version } = await api.expect(200, 'POST', `/v1/statements/${repId}/generate`, { period });
    await api.expect(200, 'POST', '/v1/statements/approve', { period, statements: [{ repId, version }] });
    const team: TeamRow[] = (await api.expect(200, 'GET', `/v1/statements?period=${period}`)).statements;
    const dollars = money(total(team.filter(({ status }) => status === 'approved'))).slice(1);
    const { page, problems, close } = await browser.openPage('payroll', `${address}&layout=long&scope=full`);
    await page.waitForSelector('section[aria-label="First rows of the file"] tfoot td');
    expect((await texts(page, 'section[aria-label="Sums of the period"]')).join()).to.include('and EUR 100.00');
    expect(await texts(page, 'section[aria-label="First rows of the file"] tfoot tr')).to.deep.equal([
      'Column totals in EUR100.00',
      `Column totals in USD${dollars.replace(',', '')}`,
    ]);
    const both = [`EUR 100.00USD ${dollars}`, `USD ${dollars}EUR 100.00equal`];
    expect((await texts(page, controls)).slice(2)).to.deep.equal(both);
    await button(page, 'Gusto').click();
    await page.waitForFunction(`document.body.textContent.includes('There is no file in this layout')`);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('makes the PDFs of everyone in a job', async () => {
    const { page, problems, close } = await browser.openPage('payroll', address);
    await button(page, 'All PDFs').click();
    await page.waitForFunction(`document.body.textContent.includes('The file was saved.')`);
    expect(problems).to.deep.equal([]);
    await close();
  });
});

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
