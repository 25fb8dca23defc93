import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, setScheme, texts, typeDay } from '#test/support/browser.js';
import { violations } from './accessibility.js';
import { keyboard, pointer } from './input-methods.js';
import { expectSoundPages, looks } from './sound-pages.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

/** The deal D of the worked examples: software 30,000, services 15,000, hardware 5,000. */
const lines = [
  { lineId: '1', name: 'Suite', family: 'software', amount: 30_000 },
  { lineId: '2', name: 'Training', family: 'services', amount: 15_000 },
  { lineId: '3', name: 'Box', family: 'hardware', amount: 5000 },
];

describe('rate tables in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  let seller: string;

  before(async () => {
    const { api } = browser.workspace;
    [seller] = (await api.saveReps('Ann')) as [string];
    await api.putDeal('D', { amount: 50_000, closeDate: '2026-02-10', currency: 'USD', ownerId: 'ann', name: 'D' });
    await api.expect(200, 'PUT', '/v1/deals/D/lines', { lines });
  });

  const calculated = () => browser.service.waitForCalculations(browser.workspace.workspaceId);
  const table = (): Promise<Loose> => browser.workspace.api.expect(200, 'GET', '/v1/rate-tables/Products');
  const paid = async (): Promise<readonly number[]> =>
    (await browser.workspace.api.expect(200, 'GET', '/v1/commissions?dealId=D')).events.flatMap(
      ({ amount, status }: Loose) => (status === 'earned' ? [amount] : []),
    );
  const pasteAt = async (page: Page, label: string, text: string) => {
    const cell = await page.waitForSelector(`::-p-aria([name="${label}"][role="textbox"])`);
    await cell?.evaluate((input: Loose, pasted: string) => {
      const view = input.ownerDocument.defaultView;
      const clipboardData = new view.DataTransfer();
      clipboardData.setData('text/plain', pasted);
      input.dispatchEvent(new view.ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  };
  const save = async (page: Page, button: string, isShown: string) => {
    await pointer.press(page, 'button', button);
    await page.waitForSelector('[role=dialog]');
    await sees(page, isShown);
    expect(await violations(page)).to.deep.equal([]);
    await (await page.waitForSelector('[role=dialog] button[type=submit]:not(:disabled)'))?.click();
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await calculated();
  };

  it('are made from the cells of a spreadsheet', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/rate-tables');
    await sees(page, 'No rate table yet');
    await pointer.press(page, 'link', 'New rate table');
    await pointer.write(page, 'Name', 'Products');
    await pasteAt(page, 'family, row 1', 'Family\tRate\nsoftware\t10 %\nservices\t4%\nhardware\t0.02');
    await save(page, 'Save 3 rows', '3 rows added');
    await sees(page, 'revision 1');
    expect((await table()).rows.map(({ keys, values }: Loose) => [keys.family, values.rate])).to.deep.equal([
      ['software', 0.1],
      ['services', 0.04],
      ['hardware', 0.02],
    ]);
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('show what a change moves before it is saved, and from a day on only what closes later', async () => {
    const { api } = browser.workspace;
    const rule = {
      name: 'By product',
      measure: 'line.amount',
      lines: {},
      tiers: [{ tierIndex: 0, minThreshold: 0, table: 'Products' }],
    };
    await api.createPlan({ name: 'AE', currency: 'USD', config: { rules: [rule] } }, [seller]);
    await calculated();
    // 30,000 × 10 % + 15,000 × 4 % + 5,000 × 2 %
    expect(await paid()).to.deep.equal([3700]);
    const { page, problems, close } = await browser.openPage('admin', '/rate-tables/Products');
    await sees(page, 'AE');
    // A plan needs the table.
    expect(await page.$('::-p-aria([name="Delete …"][role="button"])')).to.equal(null);
    await keyboard.write(page, 'rate, row 1', '12 %');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.ariaLabel')).to.equal('rate, row 2');
    // 30,000 × 2 % more
    await save(page, 'Save 1 row', '+$600.00');
    expect(await paid()).to.deep.equal([4300]);
    await pointer.press(page, 'button', 'New rates from …');
    await typeDay(page, '02152026');
    await pointer.press(page, 'button', 'Edit these rates');
    await pointer.write(page, 'rate, row 1', '20 %');
    await save(page, 'Save 1 row', 'Commission stays as it is.');
    expect(await paid()).to.deep.equal([4300]);
    expect((await table()).rows.filter(({ keys }: Loose) => keys.family === 'software')).to.deep.equal([
      { keys: { family: 'software' }, values: { rate: 0.12 }, effectiveStart: null, effectiveEnd: '2026-02-14' },
      { keys: { family: 'software' }, values: { rate: 0.2 }, effectiveStart: '2026-02-15', effectiveEnd: null },
    ]);
    expect((await texts(page, 'main [aria-label="Days of the rates"] button')).join()).to.include('until 14 Feb 2026');
    expect(problems).to.deep.equal([]);
    await close();
  });

  for (const look of looks)
    it(`have sound pages, ${look.width} pixels wide`, () =>
      expectSoundPages(browser, 'admin', { list: '/rate-tables', table: '/rate-tables/Products' }, look));

  it('say beside the cell what is wrong, and return to what is stored when that is undone', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/rate-tables/Products', { width: 390 });
    await pointer.write(page, 'rate, row 2', 'ten');
    await sees(page, 'Not a number');
    await sees(page, '1 cell cannot be saved.');
    for (const scheme of ['light', 'dark'] as const) {
      await setScheme(page, scheme);
      expect(await violations(page)).to.deep.equal([]);
    }
    await pointer.press(page, 'button', 'Undo');
    await page.waitForFunction(`document.querySelector('main [aria-invalid]') === null`);
    await page.type('main input[type=search]', 'serv');
    await page.waitForFunction(`document.querySelectorAll('main tbody tr').length === 1`);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('get a row for deals that meet none, on the days of the deals', async () => {
    const { api } = browser.workspace;
    const closeDate = new Date().toISOString().slice(0, 10);
    await api.putDeal('E', { amount: 900, closeDate, currency: 'USD', ownerId: 'ann', name: 'E' });
    await api.expect(200, 'PUT', '/v1/deals/E/lines', { lines: [{ lineId: '1', family: 'Support', amount: 900 }] });
    const { page, problems, close } = await browser.openPage('admin', '/rate-tables/Products');
    await pointer.press(page, 'button', 'until 14 Feb 2026');
    await pointer.press(page, 'button', 'Add a row for family: Support');
    await page.waitForFunction(`document.activeElement.ariaLabel === 'rate, row 4'`);
    await page.keyboard.type('8 %');
    await save(page, 'Save 1 row', '1 row added');
    expect((await table()).rows.filter(({ keys }: Loose) => keys.family === 'Support')).to.deep.equal([
      { keys: { family: 'Support' }, values: { rate: 0.08 }, effectiveStart: '2026-02-15', effectiveEnd: null },
    ]);
    await page.waitForFunction(`!document.querySelector('main').innerText.includes('family: Support')`);
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('have other keys and columns, and are deleted when no plan uses them', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/new-rate-table');
    await pointer.write(page, 'Name', 'Seats');
    await pointer.press(page, 'button', 'Keys and columns');
    await page.waitForSelector('[role=dialog]');
    await pointer.press(page, 'button', 'Add key');
    await pointer.choose(page, 'Field of key 2', 'Quantity of the product');
    await pointer.choose(page, 'How key 2 matches', 'is in its range');
    await pointer.choose(page, 'What column 1 pays', 'an amount for each unit');
    await pointer.press(page, 'button', 'Add key');
    await pointer.choose(page, 'Field of key 3', 'Attainment of By product');
    await pointer.press(page, 'button', 'Remove key 3');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Use these');
    await pasteAt(page, 'family, row 1', 'software\t0..10\t25\nsoftware\t10..\t20');
    await save(page, 'Save 2 rows', 'No active plan uses the table.');
    const stored = await browser.workspace.api.expect(200, 'GET', '/v1/rate-tables/Seats');
    expect(stored.rows[1]).to.deep.include({ keys: { family: 'software', quantity: { from: 10 } } });
    expect(stored.columns).to.deep.equal([{ name: 'rate', kind: 'perUnit' }]);
    await sees(page, 'revision 1');
    await pointer.press(page, 'button', 'Delete …');
    await pointer.press(page, 'button', 'Delete');
    await page.waitForFunction(`location.pathname === '/rate-tables'`);
    await page.waitForFunction(`!document.querySelector('main').innerText.includes('Seats')`);
    await browser.workspace.api.expect(404, 'GET', '/v1/rate-tables/Seats');
    expect(problems).to.deep.equal([]);
    await close();
  });
});
