import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { workedTiers } from '#test/support/worked-example.js';
import { violations } from './accessibility.js';
import { pointer } from './input-methods.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

/** Examples X2, X5 and X8 of the money model, as an admin works on them. */
describe('exchange rates in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  const people: Record<string, string> = {};

  /** The people and plans of X2 and X8, with tiers and quotas, and of X5, with 10 %. */
  before(async () => {
    const { api } = browser.workspace;
    const names = ['X2', 'X5', 'X8'];
    const ids = await api.saveReps(...names);
    names.forEach((name, index) => {
      people[name] = ids[index] as string;
    });
    const rules = [{ name: 'New business', measure: 'amount', tiers: workedTiers }];
    const fx = { date: 'close_date' };
    await api.createPlan({ name: 'Tiers', currency: 'USD', config: { rules }, fx }, [
      people['X2'],
      people['X8'],
    ] as string[]);
    await api.createPlan({ name: 'Flat', currency: 'USD', config: { rules: [flatRule('New business', 0.1)] }, fx }, [
      people['X5'],
    ] as string[]);
    await api.setQuota([people['X2'], people['X8']] as string[], 'New business', '2026-Q1', 100_000);
    await deal('X2', 'X2-1', 60_000, '2026-01-15', 'USD');
    await deal('X2', 'X2-2', 37_000, '2026-02-10', 'EUR');
    await deal('X5', 'X5-1', 50_000, '2026-01-15', 'GBP');
    await deal('X8', 'X8-1', 50_000, '2026-02-10', 'CHF');
    await deal('X8', 'X8-2', 60_000, '2026-03-05', 'USD');
    await calculated();
  });

  const deal = (owner: string, dealId: string, amount: number, closeDate: string, currency: string) =>
    browser.workspace.api.putDeal(dealId, { amount, closeDate, currency, ownerId: owner.toLowerCase(), name: dealId });
  const calculated = () => browser.service.waitForCalculations(browser.workspace.workspaceId);
  const paid = async (dealId: string): Promise<Loose> =>
    (await browser.workspace.api.expect(200, 'GET', `/v1/commissions?dealId=${dealId}`)).events.flatMap(
      ({ amount, status }: Loose) => (status === 'earned' ? [amount] : []),
    );

  async function enter(page: Page, line: string, isShown: string): Promise<void> {
    await pointer.press(page, 'button', 'Enter rates');
    await pointer.write(page, 'Rates, one on each line', line);
    await sees(page, isShown);
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Save');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await calculated();
  }

  it('X2: a rate is entered, corrected with its effect before, and shown in the steps of the deal', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/fx-rates');
    await sees(page, 'No exchange rate yet');
    await enter(page, 'EUR USD 2026-01-01 1.0837', '4,811.63');
    expect(await paid('X2-2')).to.deep.equal([4811.63]);
    await sees(page, 'EUR → USD');
    expect(await violations(page)).to.deep.equal([]);
    await enter(page, 'EUR USD 2026-01-01 1.0790', '1,617.79');
    expect(await paid('X2-2')).to.deep.equal([3193.84]);
    await browser.visit(page, '/deals/X2-2');
    await sees(page, '3,193.84');
    const [{ trace }] = (await browser.workspace.api.expect(200, 'GET', '/v1/commissions?dealId=X2-2')).events;
    expect(trace.conversions[0]).to.include({ from: 'EUR', to: 'USD', rate: 1.079 });
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('X5: a corrected rate shows what an approved period would owe, and opens a discrepancy', async () => {
    const { api } = browser.workspace;
    const { page, problems, close } = await browser.openPage('admin', '/fx-rates');
    await enter(page, 'GBP USD 2026-01-01 1.08', '5,400.00');
    await api.generate(people['X5'], '2026-01');
    await api.approve(people['X5'], '2026-01');
    await enter(page, 'GBP USD 2026-01-01 1.10', 'in 1 approved period');
    await browser.service.waitForChecks(browser.workspace.workspaceId);
    await (await page.waitForSelector('button[aria-label^="GBP → USD in "]'))?.click();
    await sees(page, 'all keep this rate');
    await browser.visit(page, '/discrepancies');
    await sees(page, '100.00');
    expect(await paid('X5-1')).to.deep.equal([5400]);
    const { discrepancies } = await api.expect(200, 'GET', '/v1/discrepancies?status=open');
    expect(discrepancies[0].causes[0].kind).to.equal('fx_rate');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('X8: a rate that was missing pays the deal, and is deleted with what uses it', async () => {
    expect(await paid('X8-1')).to.deep.equal([]);
    const { page, problems, close } = await browser.openPage('admin', '/fx-rates');
    await enter(page, 'CHF;USD;2026-02-01;1,08', 'convert 1 deal');
    expect([await paid('X8-1'), await paid('X8-2')]).to.deep.equal([[4320], [7200]]);
    await (await page.waitForSelector('button[aria-label^="CHF → USD in "]'))?.click();
    await sees(page, 'Used by Tiers');
    await sees(page, '1 deal of 1 person');
    expect((await texts(page, '[role=dialog]')).join()).to.include('If it is deleted');
    await pointer.press(page, 'button', 'Delete');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await calculated();
    expect([await paid('X8-1'), await paid('X8-2')]).to.deep.equal([[], [4800]]);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('a file of rates is saved without a pasted line', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'rates-'));
    const file = path.join(folder, 'rates.csv');
    writeFileSync(file, 'from,to,day,rate\nSEK,USD,2026-01-01,0.0955\n');
    const { page, problems, close } = await browser.openPage('admin', '/fx-rates');
    await pointer.press(page, 'button', 'Enter rates');
    await (await page.waitForSelector('input[type=file]'))?.uploadFile(file);
    await sees(page, '1 rate change');
    await pointer.press(page, 'button', 'Save');
    await sees(page, 'SEK → USD');
    expect(problems).to.deep.equal([]);
    await close();
    rmSync(folder, { recursive: true });
  });
});
