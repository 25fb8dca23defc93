import { expect } from 'chai';
import { dayInZone } from '#src/kernel/day.js';
import { previousPeriod, toPeriod } from '#src/kernel/period.js';
import { Browser, sees, texts, waitUntilLoaded } from '#test/support/browser.js';
import { unzipped } from '#test/support/downloads.js';
import { rowsOf, textOf, verify } from '../exports/packets.js';
import { violationsInBothSchemes } from './accessibility.js';
import { pointer } from './input-methods.js';
import { savedFile } from './saved-file.js';
import { expectSoundPages, looks } from './sound-pages.js';

/** What an auditor opens from the navigation, in its order. */
const pages = {
  Evidence: '/evidence',
  'Audit log': '/audit',
  Statements: '/payroll-statements',
  Discrepancies: '/discrepancies',
  'Month-end': '/month-end',
  'Hand-overs': '/hand-overs',
};

/** Controls that make a file or show something else. Tabs, headings and rows do so too. */
const reading =
  /^(Make the packet|Save|PDF of|Export|Filter|Show|Older|More|Download|Table|Period: |Copy|Close|Previous line|Next line|Previous period|Next period)/;
const controls = 'button:not([disabled]):not([aria-pressed]):not(thead button):not(tbody [data-row-action])';

describe('evidence and auditors in the web app', () => {
  const browser = Browser.duringSuite();
  const auditor = 'Joan Pereira';
  const seller = 'Dana Whitfield';
  const today = dayInZone(new Date(), 'UTC');
  const period = previousPeriod(toPeriod(today, 'monthly'));

  before(async () => {
    const { api } = browser.workspace;
    await api.expect(200, 'PATCH', `/v1/reps/${browser.repId(auditor)}`, { role: 'auditor' });
    await api.generate(browser.repId(seller), period);
    await api.approve(browser.repId(seller), period);
  });

  it('an auditor makes a packet, saves it, and its program finds it unchanged', async () => {
    const { page, problems, close } = await browser.openPage(auditor, '/');
    await sees(page, 'One file of everything that was decided');
    expect(new URL(page.url()).pathname).to.equal('/evidence');
    const [from, to] = [`${period}-01`, today];
    for (const [label, day] of [
      ['First day', from],
      ['Last day', to],
    ] as const) {
      const field = await page.waitForSelector(`::-p-aria([name="${label}"])`);
      await field?.click();
      await page.keyboard.type(`${day.slice(5, 7)}${day.slice(8, 10)}${day.slice(0, 4)}`);
    }
    await pointer.write(page, 'Seed of the sample', 'Drawn on paper');
    await pointer.press(page, 'button', 'Make the packet');
    await sees(page, 'The packet is being made.');
    const name = `evidence-${from}-${to}.zip`;
    await sees(page, 'Save the packet of');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    const visible = (await texts(page, 'table')).join();
    const files = unzipped(await savedFile(page, name, () => page.click('table button')));
    expect(problems).to.deep.equal([]);
    await close();
    const { code, output } = await verify(files);
    expect(code, output).to.equal(0);
    const [, printed = ''] = /SHA-256 of manifest\.json: ([0-9a-f]{64})/.exec(output) ?? [];
    expect(visible, 'the page shows the hash that the program prints').to.include(printed);
    expect(JSON.parse(textOf(files, 'manifest.json')).sample).to.include({ seed: 'Drawn on paper' });
    const paid = rowsOf(files, 'statements/statements').filter(({ repId }) => repId === browser.repId(seller));
    expect(paid.map(({ period: of, status }) => [of, status])).to.deep.include([period, 'approved']);
    expect(rowsOf(files, 'sample/lines')).to.have.length.greaterThan(0);
  });

  it('an auditor has these pages and no other', async () => {
    const { page, close } = await browser.openPage(auditor, '/evidence');
    const links = await page.$$eval('nav[aria-label=Main] a', (all) => all.map((one) => one.getAttribute('href')));
    expect([...new Set(links)]).to.have.members(Object.values(pages));
    await close();
    for (const address of ['/approvals', '/plans', '/members', '/workspace', '/keys', '/payroll', '/me']) {
      const other = await browser.openPage(auditor, address);
      await sees(other.page, 'There is no such page');
      await other.close();
    }
  });

  it('no page of an auditor has a control that changes something', async () => {
    const { page, problems, close } = await browser.openPage(auditor, '/evidence');
    const addresses = [
      ...Object.values(pages),
      `/statements/${browser.repId(seller)}?period=${period}`,
      `/payroll-statements?period=${period}`,
      `/month-end?month=${period}`,
    ];
    const others: string[] = [];
    const look = async (address: string, part: string) => {
      const names = await page.$$eval(`${part} :is(${controls})`, (all) =>
        all.map((one) => one.getAttribute('aria-label') ?? (one.textContent ?? '').trim()),
      );
      others.push(...names.filter((name) => !reading.test(name)).map((name) => `${address}: ${name}`));
    };
    for (const address of addresses) {
      await browser.visit(page, address);
      await look(address, 'main');
    }
    await browser.visit(page, '/discrepancies');
    await page.click('tbody [data-row-action]');
    await page.waitForFunction(`location.search.includes('open=')`);
    await waitUntilLoaded(page);
    await look('a difference', 'main');
    expect(others).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  for (const look of looks)
    it(`the pages of an auditor are sound, ${look.width} pixels`, () =>
      expectSoundPages(browser, auditor, pages, look));
});
