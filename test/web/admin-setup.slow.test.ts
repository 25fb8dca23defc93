import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { duringSuite } from '#test/support/during-suite.js';
import { texts, WebWorld, waitUntilLoaded } from './web-world.js';

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

/** A button or link; numbers have no-break spaces behind them. */
const byText = (text: string) =>
  `::-p-xpath(//*[self::button or self::a][normalize-space(translate(., "\u00a0", " "))="${text}"])`;

/** What a person does in a page: clicks, keys, and reading what is displayed. */
class Hand {
  constructor(readonly page: Page) {}

  async press(text: string): Promise<void> {
    const clicked = this.page.locator(byText(text)).setTimeout(30_000).click();
    await clicked.catch(async () => expect.fail(`there is no ${text} to press: ${await this.shown()}`));
  }

  private async shown(): Promise<string> {
    return (await texts(this.page, 'main')).join().slice(0, 3000);
  }

  async sees(text: string): Promise<void> {
    const shown = `document.body.innerText.replace(/\\s+/g, ' ').includes(${JSON.stringify(text)})`;
    await this.page.waitForFunction(shown, { timeout: 60_000 }).catch(async () => {
      expect.fail(`the page does not show “${text}”, but: ${await this.shown()}`);
    });
  }

  /** Replaces the text of an input by its name. */
  async type(name: string, text: string): Promise<void> {
    const input = await this.page.waitForSelector(`[aria-label="${name}"]`);
    await input?.click({ count: 3 });
    await this.page.keyboard.press('Backspace');
    await this.page.keyboard.type(text);
  }

  /** The date input takes day, month and year in the order of the locale; its value is set as a picker sets it. */
  async pickDay(name: string, day: string): Promise<void> {
    const [year, month, date] = day.split('-');
    const input = await this.page.waitForSelector(`[aria-label="${name}"]`);
    await input?.focus();
    await this.page.keyboard.type(`${month}${date}${year}`);
  }

  async choose(name: string, value: string): Promise<void> {
    await this.page.waitForSelector(`select[aria-label="${name}"]`);
    await this.page.select(`select[aria-label="${name}"]`, value);
  }

  /** Chooses an option by its words. */
  async pick(name: string, words: string): Promise<void> {
    const select = await this.page.waitForSelector(`select[aria-label="${name}"]`);
    const value = await select?.evaluate(
      (element, text) =>
        [...(element as unknown as { options: Iterable<{ text: string; value: string }> }).options].find(
          (option) => option.text === text,
        )?.value,
      words,
    );
    await this.choose(name, value ?? expect.fail(`${name} has no choice ${words}`));
  }

  async giveFile(name: string): Promise<void> {
    const [chooser] = await Promise.all([this.page.waitForFileChooser(), this.press('Choose a file')]);
    await chooser.accept([`${folder}${name}`]);
  }

  async paste(rows: readonly (readonly string[])[]): Promise<void> {
    const area = await this.page.waitForSelector('textarea');
    await area?.focus();
    // A real paste arrives as one input, too.
    await this.page.keyboard.sendCharacter(rows.map((row) => row.join('\t')).join('\n'));
    await this.press('Use pasted cells');
  }

  async open(path: string): Promise<void> {
    await this.page.evaluate(`document.querySelector('nav[aria-label=Main] a[href$="${path}"]').click()`);
    await this.page.waitForFunction(`location.pathname === '${path}'`);
    await waitUntilLoaded(this.page);
  }
}

describe('an admin who sets up a workspace in the web app', function () {
  this.timeout(240_000);
  const world = duringSuite(() => WebWorld.startEmpty());
  let hand: Hand;
  let problems: string[];

  before(async () => {
    const opened = await world.openPage('admin', '/imports');
    hand = new Hand(opened.page);
    problems = opened.problems;
  });

  const openImport = async (title: string) => {
    await hand.open('/imports');
    await hand.page.locator(`::-p-xpath(//a[contains(., "${title}")])`).click();
    await hand.page.waitForFunction(`location.pathname.startsWith('/imports/')`);
    await waitUntilLoaded(hand.page);
  };

  const totals = async () => {
    await world.service.waitForCalculations(world.workspaceId);
    const { reps } = await world.api.expect(200, 'GET', '/v1/commissions?period=2017');
    const cents = reps.reduce(
      (sum: number, { earnings }: { earnings: { total: number } }) => sum + Math.round(earnings.total * 100),
      0,
    );
    return cents / 100;
  };

  it('imports people with their managers from a file without addresses', async () => {
    await openImport('Import people');
    await hand.giveFile('sales_teams.csv');
    const domain = await hand.page.waitForSelector('input[id]:not([type=checkbox]):not([type=file])');
    await domain?.click({ count: 3 });
    await hand.page.keyboard.type('halden.test');
    await hand.press('Import 41 people');
    await hand.sees('41 people imported');
    const { reps } = await world.api.expect(200, 'GET', '/v1/reps');
    const ids = new Map(reps.map(({ name, id }: { name: string; id: string }) => [name, id]));
    for (const [agent, manager] of teams) {
      const person = reps.find(({ name }: { name: string }) => name === agent);
      expect(person).to.include({ crmMemberId: agent, managerId: ids.get(manager), role: 'rep' });
    }
  });

  it('imports deals with the columns and dates of their file', async () => {
    await openImport('Import deals');
    await hand.giveFile('sales_pipeline.csv');
    await hand.sees('Month first, shown by');
    await hand.press('Import 8,800 deals');
    await hand.sees('8,800 deals imported');
    expect(await world.api.expect(200, 'GET', '/v1/deals?limit=1')).to.include({ count: 8800 });
  });

  it('builds the plan of the sellers with forms', async () => {
    await hand.open('/plans');
    await hand.press('New plan');
    await hand.page.locator('::-p-xpath(//a[contains(., "Blank plan")])').click();
    await hand.type('Name of the plan', 'AE');
    await hand.page.locator('::-p-xpath(//button[contains(., "Stage contains won")])').click();
    await hand.pick('Comparison', 'is');
    await hand.type('Value', 'Won');
    await hand.page.locator('::-p-xpath(//button[contains(., "Commission")])').click();
    await hand.type('Name of the rule', 'New business');
    await hand.press('Part in tier');
    const tiers = [
      ['0', '6'],
      ['80', '8'],
      ['100', '10'],
      ['125', '13'],
    ] as const;
    for (const [index, [from, rate]] of tiers.entries()) {
      if (index > 0) await hand.press('Add tier');
      await hand.type(`From of tier ${index + 1}`, from);
      await hand.type(`Rate of tier ${index + 1}`, rate);
    }
    await hand.press('Add rule');
    await hand.type('Name of the rule', 'GTK kicker');
    await hand.choose('What the rate multiplies', '1');
    await hand.type('Amount of tier 1', '250');
    await hand.press('Add condition');
    await hand.choose('Field', 'product');
    await hand.type('Value', 'GTK 500');
    await hand.press('Save draft');
    await hand.sees('Version 1 is saved and pays nothing yet.');
  });

  it('builds the plan of the managers', async () => {
    await hand.open('/plans');
    await hand.press('New plan');
    await hand.page.locator('::-p-xpath(//a[contains(., "Blank plan")])').click();
    await hand.type('Name of the plan', 'M');
    await hand.page.locator('::-p-xpath(//button[contains(., "Stage contains won")])').click();
    await hand.page.locator('[aria-label="Remove the condition on Stage"]').click();
    await hand.page.locator('::-p-xpath(//button[contains(., "Commission")])').click();
    await hand.type('Name of the rule', 'Team override');
    await hand.choose('Whom the rule pays', 'cascade');
    await hand.type('Rate of tier 1', '8');
    await hand.press('Save draft');
    await hand.sees('Version 1, draft');
  });

  it('assigns the people and pastes the quotas', async () => {
    await openImport('Import assignments');
    await hand.paste([
      ['Person', 'Plan'],
      ...agents.map((name) => [name, 'AE']),
      ...managers.map((name) => [name, 'M']),
    ]);
    await hand.press('Import 41 assignments');
    await hand.sees('41 assignments imported');
    await openImport('Import quotas');
    const quarters = ['2017-Q1', '2017-Q2', '2017-Q3', '2017-Q4'];
    await hand.paste([['Agent', ...quarters], ...agents.map((name) => [name, ...quarters.map(() => '90,000')])]);
    await hand.pick('Rule of the quotas', 'AE: New business');
    await hand.sees('choose how numbers are written');
    await hand.choose('Decimal sign', 'en');
    await hand.press('Import 140 quotas');
    await hand.sees('140 quotas imported');
  });

  const activate = async (plan: string): Promise<number> => {
    await hand.open('/plans');
    await hand.press(plan);
    await hand.press('Edit');
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
    await hand.open('/plans');
    await hand.press('AE');
    await hand.press('Edit');
    await hand.pickDay('In force from', '2017-07-01');
    await hand.type('Rate of tier 2', '9.25');
    const delta = await activateOpen();
    expect(delta).to.be.greaterThan(0);
    expect((await totals()) - before).to.be.closeTo(delta, 0.001);
    // A draft that is not complete yet can be invalid.
    expect(problems.filter((one) => !one.includes('400'))).to.deep.equal([]);
  });

  async function activateOpen(): Promise<number> {
    await hand.sees('See every change');
    await hand.page.waitForFunction(
      `document.querySelector('[aria-label="Preview and save"] [aria-busy=true]') === null`,
      { timeout: 60_000 },
    );
    await hand.press('Activate');
    await hand.page.waitForSelector('[role=dialog]');
    const [effect = ''] = await texts(hand.page, '[role=dialog] form');
    await hand.page.locator('[role=dialog] button[type=submit]').setTimeout(30_000).click();
    await hand.page.waitForFunction(`document.querySelector('[role=dialog]') === null`, { timeout: 60_000 });
    const amount = /by ?([+−])\$([\d,]+\.\d\d)/.exec(effect) ?? expect.fail(`no amount in: ${effect}`);
    return Number(`${amount[1] === '−' ? '-' : ''}${amount[2]?.replaceAll(',', '')}`);
  }
});
