import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { violations, violationsInBothSchemes } from './accessibility.js';
import { keyboard, pointer, typeDay } from './input-methods.js';

describe('the cost of contracts in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });

  before(async () => {
    const { workspace } = browser;
    const { api } = workspace;
    const accounting = { enabled: true, from: '2026-01', secondPerson: false };
    await api.expect(200, 'PATCH', '/v1/workspaces', { accounting });
    const [ann = '', ben = ''] = await api.saveReps({ name: 'Ann', role: 'admin' }, { name: 'Ben' });
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New business', 0.08)] } }, [ben]);
    for (const [dealId, amount] of [
      ['A1', 60_000],
      ['N28', 45_000],
      ['N22', 60_000],
    ] as const)
      await api.putDeal(dealId, { amount, closeDate: '2026-01-15', ownerId: 'ben', name: dealId });
    for (const [dealId, months] of [
      ['A1', 36],
      ['N28', 36],
      ['N22', 36],
    ] as const)
      await api.expect(200, 'PUT', `/v1/deals/${dealId}/contract`, { months });
    const asAnn = await workspace.as(ann);
    const terms = { from: '2026-01', position: 1, match: {}, treatment: 'capitalise', period: { contract: true } };
    const { version } = await asAnn.expect(201, 'POST', '/v1/accounting/policies/Contracts/versions', terms);
    await asAnn.expect(200, 'POST', `/v1/accounting/policies/Contracts/versions/${version}/approve`);
    await workspace.calculated();
    for (const month of ['2026-01', '2026-02']) {
      await workspace.checked();
      const { hash } = await asAnn.expect(200, 'POST', `/v1/accounting/months/${month}/prepare`);
      await asAnn.expect(200, 'POST', `/v1/accounting/months/${month}/close`, { hash });
    }
    await api.expect(200, 'PUT', '/v1/deals/N28/contract', { months: 48 });
    await api.expect(200, 'PUT', '/v1/accounting/impairments/N22/2026-06', {
      remainingConsideration: 3000,
      remainingCost: 0,
    });
  });

  /** The cells of the deal in the table of deals. */
  async function rowOfDeal(page: Page, dealId: string): Promise<string[]> {
    const rows = await page.$$eval('table tr', (found) =>
      found.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent?.trim() ?? '')),
    );
    return rows.find(([name]) => name?.startsWith(dealId)) ?? [];
  }

  it('is a roll-forward and a curve of what is amortised later (A1)', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/month-end?month=2026-01');
    await sees(page, 'Capitalised cost of contracts');
    await page.waitForSelector('figure ol li:nth-child(35)');
    const [curve = ''] = await texts(page, 'figure');
    expect(curve).to.contain('Future expense');
    expect(await texts(page, 'figure ol li')).to.have.lengthOf(35);
    const cells = (await rowOfDeal(page, 'A1')).join(' ');
    expect(cells).to.contain('4,800.00').and.contain('133.33').and.contain('4,666.67');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('is spread over what is left of a contract that was extended (N28)', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/month-end?month=2026-03');
    await sees(page, 'Cost by deal');
    await sees(page, 'N28');
    expect((await rowOfDeal(page, 'N28')).join(' '))
      .to.contain('3,400.00')
      .and.contain('73.91');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('is written down by a test of impairment (N22), also on a phone and on paper', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/month-end?month=2026-06');
    await sees(page, 'N22');
    expect((await rowOfDeal(page, 'N22')).join(' '))
      .to.contain('1,000.00')
      .and.contain('3,000.00');
    const pdf = Buffer.from(await page.pdf({ format: 'A4', printBackground: true }));
    expect(pdf.subarray(0, 5).toString()).to.equal('%PDF-');
    await page.emulateMediaType('print');
    for (const text of ['Capitalised cost of contracts', 'Future expense', 'Cost by deal']) await sees(page, text);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).to.equal(true);
    expect(problems).to.deep.equal([]);
    await close();
    const phone = await browser.openPage('admin', '/month-end?month=2026-06', { width: 390 });
    await sees(phone.page, 'N22');
    expect(await violationsInBothSchemes(phone.page)).to.deep.equal([]);
    expect(phone.problems).to.deep.equal([]);
    await phone.close();
  });

  it('is tested for impairment in an open month, with the keyboard alone, and the test is taken back', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/month-end?month=2026-04');
    await sees(page, 'Cost by deal');
    await keyboard.press(page, 'button', 'Test A1 for impairment');
    await page.waitForSelector('[role=dialog] input:focus');
    await keyboard.write(page, 'What the customer will still pay, in USD', '3,000');
    await keyboard.write(page, 'What it will still cost to provide it, in USD', '1,000');
    await keyboard.write(page, 'What it is based on', 'Offer of March');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await keyboard.press(page, 'button', 'Save the test');
    await sees(page, 'Impaired in the month: −$2,266.67');
    expect((await rowOfDeal(page, 'A1')).join(' ')).to.contain('2,000.00');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    const { impairments } = await browser.workspace.api.expect(200, 'GET', '/v1/accounting/impairments?month=2026-04');
    expect(impairments).to.deep.equal([
      {
        dealId: 'A1',
        dealName: 'A1',
        month: '2026-04',
        remainingConsideration: 3000,
        remainingCost: 1000,
        note: 'Offer of March',
      },
    ]);
    await pointer.press(page, 'button', 'Take back …');
    await pointer.press(page, 'button', 'Take the test back');
    await sees(page, 'The test of A1 was taken back.');
    expect((await rowOfDeal(page, 'A1')).join(' ')).to.contain('4,266.67');
    await browser.visit(page, '/month-end?month=2026-01');
    await sees(page, 'Cost by deal');
    expect(await texts(page, 'table button[aria-label^="Test "]'), 'in a closed month').to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('follows the contract that is entered on the page of a deal', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/deals/A1');
    await sees(page, 'decides over which time');
    await pointer.press(page, 'button', 'Change the contract');
    await pointer.write(page, 'Months', '24');
    await typeDay(page, '[role=dialog] ::-p-aria(First day)', '2026-01-01');
    await pointer.press(page, 'button', 'Add an other day');
    await typeDay(page, '[role=dialog] ::-p-aria(Day)', '2026-03-01');
    await pointer.write(page, 'Name', 'go_live');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Save');
    await sees(page, 'The contract was saved.');
    const stored = await browser.workspace.api.expect(200, 'GET', '/v1/deals/A1/contract');
    const { updatedAt: _, ...contract } = stored;
    expect(contract).to.deep.equal({
      dealId: 'A1',
      start: '2026-01-01',
      end: null,
      months: 24,
      terminatedOn: null,
      renewalOf: null,
      value: null,
      fields: { go_live: '2026-03-01' },
    });
    await sees(page, '24 months');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('follows contracts that are pasted into the import', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/imports/contracts');
    await (await page.waitForSelector('textarea'))?.focus();
    const rows = [
      ['Deal ID', 'Contract start', 'Contract end', 'Contract value'],
      ['N22', '2026-01-01', '2027-12-31', '60,000'],
    ];
    await page.keyboard.sendCharacter(rows.map((row) => row.join('\t')).join('\n'));
    await pointer.press(page, 'button', 'Use pasted cells');
    await pointer.press(page, 'button', 'Import 1 contract');
    await sees(page, '1 contract imported');
    expect(await violations(page)).to.deep.equal([]);
    const { end, months, value } = await browser.workspace.api.expect(200, 'GET', '/v1/deals/N22/contract');
    expect([end, months, value]).to.deep.equal(['2027-12-31', null, 60_000]);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
