import { expect } from 'chai';
import { Browser, sees, texts } from '#test/support/browser.js';
import { violations } from './accessibility.js';

describe('the products of a deal in the web app', () => {
  const browser = Browser.duringSuite();
  let dealId: string;

  before(async () => {
    const { api } = browser.workspace;
    const { deals } = await api.expect(200, 'GET', `/v1/deals?repId=${browser.repId('Dana Whitfield')}`);
    dealId = deals[0].deal_id;
    await api.expect(200, 'PUT', `/v1/deals/${dealId}/lines`, {
      lines: [
        { lineId: '1', name: 'Suite', family: 'software', quantity: 10, amount: 30_000 },
        { lineId: '2', name: 'Training', family: 'services', amount: 1500 },
      ],
    });
  });

  for (const role of ['admin', 'rep'] as const)
    it(`are listed with their amounts and their sum, for the ${role}`, async () => {
      const { page, problems, close } = await browser.openPage(role, `/deals/${dealId}`);
      await sees(page, 'Training');
      const rows = (await texts(page, 'tbody tr')).filter((row) => /Suite|Training/.test(row));
      expect(rows).to.have.length(2);
      expect(rows[0]).to.include('Suite').and.include('software').and.include('30,000.00');
      expect((await texts(page, 'tfoot')).join()).to.include('31,500.00');
      expect(await violations(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    });
});
