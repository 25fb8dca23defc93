import { expect } from 'chai';
import { Browser, sees, texts } from '#test/support/browser.js';
import { pointer } from './input-methods.js';

describe('corrected values in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });

  it('a conflict is dismissed, and is listed again when the file states another value', async () => {
    const { api } = browser.workspace;
    const say = (amount: number, query = '') =>
      api.expect(200, 'POST', `/v1/deals/import${query}`, { deals: [{ dealId: 'd1', name: 'Harbour', amount }] });
    await say(100);
    await say(120, '?corrections=set');
    await say(150);
    const { page, problems, close } = await browser.openPage('admin', '/deals');
    await sees(page, 'a file or the API says 150');
    await pointer.press(page, 'button', 'Keep 120 as Amount of Harbour');
    await sees(page, 'Amount stays 120. It is listed again if a file or the API says something else.');
    expect(await texts(page, 'main h2')).to.not.include('1 corrected value differs');
    await browser.visit(page, '/deals/d1');
    await sees(page, 'a file or the API says 150, dismissed by');
    await say(160);
    await browser.visit(page, '/deals');
    await sees(page, '1 corrected value differs');
    expect(problems).to.deep.equal([]);
    await close();
  });
});
