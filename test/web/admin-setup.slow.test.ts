import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { type ControlRole, openMore, pointer, submitDialog } from './input-methods.js';

const folder = fileURLToPath(new URL('../../../test/data/crm-sales-opportunities/', import.meta.url));
const teams = readFileSync(`${folder}sales_teams.csv`, 'utf8')
  .trim()
  .split(/\r?\n/)
  .slice(1)
  .map((line) => line.split(',') as [agent: string, manager: string, office: string]);
const agents = teams.map(([agent]) => agent);
const managers = [...new Set(teams.map(([, manager]) => manager))];

/** The published totals of the data set under its reference plan. */
const published = { newBusiness: 737_996.1, kicker: 3750, override: 59_339.08, total: 801_085.18 } as const;

describe('an admin who sets up a workspace in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  let page: Page;
  let problems: string[];
  /** The codes of the responses with the status 400. */
  const rejections: Promise<string>[] = [];

  before(async () => {
    ({ page, problems } = await browser.openPage('admin', '/imports'));
    page.on('response', (response) => {
      if (response.status() === 400) rejections.push(response.json().then(({ code }) => code as string));
    });
  });

  const press = (name: string, role: ControlRole = 'button') => pointer.press(page, role, name);
  const write = (label: string, text: string) => pointer.write(page, label, text);
  const choose = (label: string, words: string) => pointer.choose(page, label, words);
  /** Presses what has the words among others. */
  const pressPart = (words: string) =>
    page.locator(`::-p-xpath(//*[self::a or self::button][contains(., "${words}")])`).click();

  const open = async (path: string) => {
    await page.evaluate(`document.querySelector('nav[aria-label=Main] a[href$="${path}"]').click()`);
    await page.waitForFunction(`location.pathname === '${path}'`);
    await waitUntilLoaded(page);
  };

  const openImport = async (title: string) => {
    await open('/imports');
    await pressPart(title);
    await page.waitForFunction(`location.pathname.startsWith('/imports/')`);
    await waitUntilLoaded(page);
  };

  const giveFile = async (name: string) => {
    const [chooser] = await Promise.all([page.waitForFileChooser(), press('Choose a file')]);
    await chooser.accept([`${folder}${name}`]);
  };

  const paste = async (rows: readonly (readonly string[])[]) => {
    const area = await page.waitForSelector('textarea');
    await area?.focus();
    // A real paste arrives as one input, too.
    await page.keyboard.sendCharacter(rows.map((row) => row.join('\t')).join('\n'));
    await press('Use pasted cells');
  };

  /** The date input takes day, month and year in the order of the locale. */
  const pickDay = async (label: string, day: string) => {
    const [year, month, date] = day.split('-');
    await page.focus(`[aria-label="${label}"]`);
    await page.keyboard.type(`${month}${date}${year}`);
  };

  /** Starts a plan without conditions and opens its condition on the stage. */
  const startPlan = async (name: string) => {
    await open('/plans');
    await press('New plan', 'link');
    await pressPart('Blank plan');
    await write('Name of the plan', name);
    await pressPart('Stage contains won');
  };

  const openPlan = async (name: string) => {
    await open('/plans');
    await press(name, 'link');
    await press('Edit', 'link');
  };

  const totals = async () => {
    await browser.workspace.calculated();
    const { reps } = await browser.workspace.api.expect(200, 'GET', '/v1/commissions?period=2017');
    const cents = reps.reduce(
      (sum: number, { earnings }: { earnings: { total: number } }) => sum + Math.round(earnings.total * 100),
      0,
    );
    return cents / 100;
  };

  it('imports people with their managers from a file without addresses', async () => {
    await openImport('Import people');
    await giveFile('sales_teams.csv');
    const domain = await page.waitForSelector('input[id]:not([type=checkbox]):not([type=file])');
    await domain?.click({ count: 3 });
    await page.keyboard.type('halden.test');
    await press('Import 41 people');
    await sees(page, '41 people imported');
    const { reps } = await browser.workspace.api.expect(200, 'GET', '/v1/reps');
    const ids = new Map(reps.map(({ name, id }: { name: string; id: string }) => [name, id]));
    for (const [agent, manager] of teams) {
      const person = reps.find(({ name }: { name: string }) => name === agent);
      expect(person).to.include({ crmMemberId: agent, managerId: ids.get(manager), role: 'rep' });
    }
  });

  it('imports deals with the columns and dates of their file', async () => {
    await openImport('Import deals');
    await giveFile('sales_pipeline.csv');
    await sees(page, 'Month first, shown by');
    await press('Import 8,800 deals');
    await sees(page, '8,800 deals imported');
    expect(await browser.workspace.api.expect(200, 'GET', '/v1/deals?limit=1')).to.include({ count: 8800 });
  });

  it('builds the plan of the sellers with forms', async () => {
    await startPlan('AE');
    await choose('Comparison', 'is');
    await write('Value', 'Won');
    await pressPart('Commission');
    await write('Name of the rule', 'New business');
    await press('Part in tier');
    const tiers = [
      ['0', '6'],
      ['80', '8'],
      ['100', '10'],
      ['125', '13'],
    ] as const;
    for (const [index, [from, rate]] of tiers.entries()) {
      if (index > 0) await press('Add tier');
      await write(`From of tier ${index + 1}`, from);
      await write(`Rate of tier ${index + 1}`, rate);
    }
    await press('Add rule');
    await write('Name of the rule', 'GTK kicker');
    await openMore(page);
    await choose('What the rate multiplies', 'nothing: a fixed amount');
    await write('Amount of tier 1', '250');
    await press('Add condition');
    await choose('Field', 'Product');
    await write('Value', 'GTK 500');
    await press('Save draft');
    await sees(page, 'Version 1 is saved and pays nothing yet.');
  });

  it('builds the plan of the managers', async () => {
    await startPlan('M');
    await page.locator('[aria-label="Remove the condition on Stage"]').click();
    await pressPart('Commission');
    await write('Name of the rule', 'Team override');
    await choose('Whom the rule pays', 'managers');
    await write('Rate of tier 1', '8');
    await press('Save draft');
    await sees(page, 'Version 1, draft');
  });

  it('assigns the people and pastes the quotas', async () => {
    await openImport('Import assignments');
    await paste([['Person', 'Plan'], ...agents.map((name) => [name, 'AE']), ...managers.map((name) => [name, 'M'])]);
    await press('Import 41 assignments');
    await sees(page, '41 assignments imported');
    await openImport('Import quotas');
    const quarters = ['2017-Q1', '2017-Q2', '2017-Q3', '2017-Q4'];
    await paste([['Agent', ...quarters], ...agents.map((name) => [name, ...quarters.map(() => '90,000')])]);
    await choose('Rule of the quotas', 'AE: New business');
    await press('Import 140 quotas');
    await sees(page, '140 quotas imported');
  });

  const activate = async (plan: string): Promise<number> => {
    await openPlan(plan);
    return activateOpen();
  };

  it('previews and activates the plans, and reaches the published totals to the cent', async () => {
    const sellers = await activate('AE');
    expect(sellers).to.equal(published.newBusiness + published.kicker);
    expect(await totals()).to.equal(sellers);
    const team = await activate('M');
    expect(team).to.equal(published.override);
    expect(await totals()).to.equal(published.total);
  });

  it('changes a rate from a day on, and the result is what the preview said', async () => {
    const before = await totals();
    await openPlan('AE');
    await pickDay('In force from', '2017-07-01');
    await write('Rate of tier 2', '9.25');
    const delta = await activateOpen();
    expect(delta).to.be.greaterThan(0);
    expect((await totals()) - before).to.be.closeTo(delta, 0.001);
    // A draft that is not complete yet can be invalid.
    expect(problems.filter((one) => !/^400: |status of 400/.test(one))).to.deep.equal([]);
    expect((await Promise.all(rejections)).filter((code) => code !== 'VALIDATION_FAILED')).to.deep.equal([]);
  });

  async function activateOpen(): Promise<number> {
    await sees(page, 'See every change');
    await page.waitForFunction(`document.querySelector('[aria-label="Preview and save"] [aria-busy=true]') === null`);
    await press('Activate');
    await page.waitForSelector('[role=dialog]');
    const [effect = ''] = await texts(page, '[role=dialog] form');
    await submitDialog(page);
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    const amount = /by ?([+−])\$([\d,]+\.\d\d)/.exec(effect) ?? expect.fail(`no amount in: ${effect}`);
    return Number(`${amount[1] === '−' ? '-' : ''}${amount[2]?.replaceAll(',', '')}`);
  }
});
