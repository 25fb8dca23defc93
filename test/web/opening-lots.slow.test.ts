import { expect } from 'chai';
import { Browser, sees } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { violationsInBothSchemes } from './accessibility.js';
import { pointer } from './input-methods.js';

describe('opening lots and the renewal test in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });

  before(async () => {
    const { workspace } = browser;
    const { api } = workspace;
    const accounting = { enabled: true, from: '2026-01', secondPerson: false };
    await api.expect(200, 'PATCH', '/v1/workspaces', { accounting });
    const [ann = '', ben = ''] = await api.saveReps({ name: 'Ann', role: 'admin' }, { name: 'Ben' });
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New business', 0.09)] } }, [ben]);
    for (const [dealId, amount, contract] of [
      ['New', 100_000, { value: 100_000 }],
      ['Renewal', 44_400, { value: 100_000, renewalOf: 'New' }],
    ] as const) {
      await api.putDeal(dealId, { amount, closeDate: '2026-01-15', ownerId: 'ben', name: dealId });
      await api.expect(200, 'PUT', `/v1/deals/${dealId}/contract`, { months: 36, ...contract });
    }
    const asAnn = await workspace.as(ann);
    const renewals = { decision: 'not_commensurate', reason: 'Renewals pay half' };
    const terms = {
      from: '2026-01',
      position: 1,
      match: {},
      treatment: 'capitalise',
      period: { months: 36 },
      renewals,
    };
    const { version } = await asAnn.expect(201, 'POST', '/v1/accounting/policies/Contracts/versions', terms);
    await asAnn.expect(200, 'POST', `/v1/accounting/policies/Contracts/versions/${version}/approve`);
    await workspace.calculated();
  });

  it('are imported from pasted cells, and listed with what is left of them (N23)', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/imports/openingLots');
    await (await page.waitForSelector('textarea'))?.focus();
    const rows = [
      ['Lot ID', 'Deal ID', 'Person', 'Cost', 'Amortised', 'Amortised to', 'Start', 'Months'],
      ['L-1', 'New', 'Ben', '3,600', '1,200', '2025-12-31', '2025-01-01', '36'],
    ];
    await page.keyboard.sendCharacter(rows.map((row) => row.join('\t')).join('\n'));
    await pointer.press(page, 'button', 'Use pasted cells');
    await pointer.press(page, 'button', 'Import 1 lot');
    await sees(page, '1 lot imported');
    await browser.visit(page, '/month-end?month=2026-01');
    await sees(page, 'Cost that another system has capitalised');
    await sees(page, '2,400.00');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
    const { lots } = await browser.workspace.api.expect(200, 'GET', '/v1/accounting/opening-lots?entity=main');
    const [{ lotId, dealName, repName, left, month }] = lots;
    expect([lots.length, lotId, dealName, repName, left, month]).to.deep.equal([
      1,
      'L-1',
      'New',
      'Ben',
      2400,
      '2026-01',
    ]);
    const other = await browser.workspace.api.expect(200, 'GET', '/v1/accounting/opening-lots?entity=other');
    expect(other).to.include({ count: 0 });
  });

  it('has the ratio of each policy with the decision, also on a phone and on paper', async () => {
    for (const width of [1280, 390]) {
      const { page, problems, close } = await browser.openPage('admin', '/month-end?month=2026-11', { width });
      await pointer.press(page, 'link', 'Renewal test');
      await sees(page, 'Commission in percent of the value of contracts');
      await sees(page, '0.444');
      await sees(page, 'Decision: not commensurate');
      await sees(page, 'Renewals pay half');
      expect(await violationsInBothSchemes(page)).to.deep.equal([]);
      await page.emulateMediaType('print');
      await sees(page, 'Date, name and signature');
      expect(problems).to.deep.equal([]);
      await close();
    }
  });
});
