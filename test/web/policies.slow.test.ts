import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { violationsInBothSchemes } from './accessibility.js';
import { pointer, submitDialog } from './input-methods.js';

describe('policies of capitalised cost in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  let ann = '';

  before(async () => {
    const { api } = browser.workspace;
    await api.expect(200, 'PATCH', '/v1/workspaces', { accounting: { enabled: true, from: '2026-01' } });
    const [first = '', ben = ''] = await api.saveReps({ name: 'Ann', role: 'admin' }, { name: 'Ben' });
    ann = first;
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New business', 0.08)] } }, [ben]);
    await api.putDeal('A1', { amount: 60_000, closeDate: '2026-01-15', ownerId: 'ben', name: 'A1' });
    await browser.workspace.calculated();
  });

  /** The cells of the month in the effect. */
  async function effectIn(page: Page, month: string): Promise<string[]> {
    const rows = await page.$$eval('[role=dialog] tbody tr', (found) =>
      found.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent?.trim() ?? '')),
    );
    return rows.find(([name]) => name === month) ?? [];
  }

  const january = [
    'January 2026',
    'Expense now 4,800.00',
    'Expense with it 133.33',
    'Asset now 0.00',
    'Asset with it 4,666.67',
  ];
  const example = '4,800.00 for 36 months: 133.33 a month until December 2028';

  it('say what they do to open months before they are proposed', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/month-end');
    await pointer.press(page, 'button', 'Propose');
    await page.waitForSelector('[role=dialog] input:focus');
    await pointer.write(page, 'Name', 'Contracts');
    await pointer.write(page, 'First month', '2026-01');
    await sees(page, 'What the version does to open months');
    expect(await effectIn(page, 'January 2026')).to.deep.equal(january);
    await sees(page, example);
    const { policies } = await browser.workspace.api.expect(200, 'GET', '/v1/accounting/policies');
    expect(policies, 'before it is proposed').to.deep.equal([]);
    await pointer.choose(page, 'Commission on renewals', 'not commensurate');
    await pointer.write(page, 'Reason', 'Renewals pay half');
    await pointer.choose(page, 'How long', 'the contract of the deal');
    await sees(page, 'The benefit ends with the contract');
    await pointer.choose(page, 'How long', 'a number of months');
    await sees(page, example);
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Propose');
    await sees(page, 'Another admin approves the policy.');
    const stored = await browser.workspace.api.expect(200, 'GET', '/v1/accounting/policies');
    const [{ status, period, renewals }] = stored.policies;
    expect([status, period, renewals.decision, renewals.reason]).to.deep.equal([
      ...['proposed', { months: 36 }, 'not_commensurate', 'Renewals pay half'],
    ]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('say it again to the person who approves them, also on a phone', async () => {
    for (const width of [390, 1280]) {
      const { page, problems, close } = await browser.openPage(ann, '/month-end', { width });
      await pointer.press(page, 'button', 'Approve');
      await sees(page, 'Approve Contracts v1');
      await sees(page, example);
      await page.waitForSelector('[role=dialog] :is(table, ul)');
      if (width === 1280) expect(await effectIn(page, 'January 2026')).to.deep.equal(january);
      expect(await violationsInBothSchemes(page)).to.deep.equal([]);
      if (width === 1280) {
        await submitDialog(page);
        await sees(page, 'Capitalised cost of contracts');
        expect(
          (await texts(page, 'main li')).filter((line) => line.startsWith('Approved Contracts v1')),
        ).to.have.lengthOf(1);
      }
      expect(problems).to.deep.equal([]);
      await close();
    }
  });
});
