import { expect } from 'chai';
import { addMonths } from '#src/kernel/day.js';
import { Browser, sees } from '#test/support/browser.js';
import { violations } from './accessibility.js';
import { pointer } from './input-methods.js';
import { winToday } from './win-today.js';

describe('the month-end in the web app', () => {
  const browser = Browser.duringSuite();
  const seller = 'Dana Whitfield';
  const current = new Date().toISOString().slice(0, 7);
  const ended = addMonths(`${current}-01`, -1).slice(0, 7);

  before(() => winToday(browser));

  it('is turned on, and shows what people are owed, down to the deal', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/month-end');
    await sees(page, 'Accounting is off');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Keep books');
    await sees(page, 'Liability in');
    const { liability } = await browser.workspace.api.expect(
      200,
      'GET',
      `/v1/accounting/liability?month=${current}&groupBy=person&repId=${browser.repId(seller)}`,
    );
    await browser.visit(page, `/month-end?month=${current}`);
    await sees(page, liability[0].closing.toLocaleString('en-US', { minimumFractionDigits: 2 }));
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', seller);
    await sees(page, 'Closing');
    await page.waitForSelector('aside a[href*="/deals/"], section[aria-label] a[href*="/deals/"]');
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('is prepared by one person and closed by another', async () => {
    // The books begin with the month that is closed first, which has ended, in January too.
    const books = { accounting: { enabled: true, from: ended } };
    await browser.workspace.api.expect(200, 'PATCH', '/v1/workspaces', books);
    const prepared = await browser.openPage('payroll', `/month-end?month=${ended}`);
    await pointer.press(prepared.page, 'button', 'Prepare');
    await sees(prepared.page, 'Another admin closes it');
    expect(prepared.problems).to.deep.equal([]);
    await prepared.close();
    const { page, problems, close } = await browser.openPage('admin', `/month-end?month=${ended}`);
    await pointer.press(page, 'button', 'Close the month');
    await sees(page, 'Closed v1');
    expect(await violations(page)).to.deep.equal([]);
    const { entities } = await browser.workspace.api.expect(200, 'GET', '/v1/accounting');
    await pointer.press(page, 'button', entities[0].name);
    await page.waitForSelector('[role=dialog] input:focus');
    await sees(page, 'Accounting standard');
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
