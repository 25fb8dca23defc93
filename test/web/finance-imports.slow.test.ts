import { expect } from 'chai';
import { Browser, sees } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { violationsInBothSchemes } from './accessibility.js';
import { pointer } from './input-methods.js';

describe('imports of write-offs and estimates in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });

  before(async () => {
    const { workspace } = browser;
    const { api } = workspace;
    await api.expect(200, 'PATCH', '/v1/workspaces', { accounting: { enabled: true, from: '2026-01' } });
    const [, ben = ''] = await api.saveReps({ name: 'Ann', role: 'admin' }, { name: 'Ben' });
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('Bonus', 0.09)] } }, [ben]);
    const clawback = { period: '2026-01', amount: -7200, reason: 'Cancelled' };
    await api.expect(200, 'POST', `/v1/statements/${ben}/adjust`, clawback);
    await workspace.calculated();
  });

  for (const { link, rows, button, done, listed } of [
    {
      link: 'Import write-offs',
      rows: [
        ['Person', 'Currency', 'Amount', 'Day', 'Reason'],
        ['Ben', 'USD', '7,200', '2026-01-20', 'Left the company'],
      ],
      button: 'Import 1 write-off',
      done: '1 write-off imported',
      listed: 'Left the company',
    },
    {
      link: 'Import estimates',
      rows: [
        ['Month', 'Person', 'Plan', 'Rule', 'Period', 'Currency', 'Pay', 'Method'],
        ['Jan 2026', 'Ben', 'AE', 'Bonus', 'Q1 2026', 'USD', '4,000', 'forecast'],
      ],
      button: 'Import 1 estimate',
      done: '1 estimate imported',
      listed: '1,333.33',
    },
  ])
    it(`${link.toLowerCase()} from pasted cells, and list them at the month-end`, async () => {
      const { page, problems, close } = await browser.openPage('admin', '/month-end?month=2026-01');
      await pointer.press(page, 'link', link);
      await (await page.waitForSelector('textarea'))?.focus();
      await page.keyboard.sendCharacter(rows.map((row) => row.join('\t')).join('\n'));
      await pointer.press(page, 'button', 'Use pasted cells');
      await pointer.press(page, 'button', button);
      await sees(page, done);
      await pointer.press(page, 'link', 'See the month-end');
      await browser.visit(page, '/month-end?month=2026-01');
      await sees(page, listed);
      expect(await violationsInBothSchemes(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });
});
