import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts } from '#test/support/browser.js';
import { AdminWalk } from './admin-walk.js';

const sellers = ['Anna Groß', 'Björn Jäger', 'Clara Öttinger', 'Dirk Müller'] as const;
const emails = ['anna', 'bjoern', 'clara', 'dirk'].map((name) => `${name}@ridge.test`);
const months = [4, 5, 6] as const;
/** The targets of the second quarter, and the points of service, by seller. */
const targets = [30_000, 45_000, 60_000, 75_000] as const;
const points = [80, 95, 70, 100] as const;
const ranks = [1000, 600, 300, 0] as const;

/** Clicks and typed fields that the same tasks took an admin in an earlier release. */
const earlier = { people: 19, deals: 10, margin: 15, plan: 15, quotas: 3, score: 12, activation: 8 } as const;

/** Amounts and margins in cents; each deal closes on a separate day. */
const deals = Array.from({ length: 24 }, (_, index) => ({
  id: `A-${100 + index}`,
  seller: index % 4,
  month: months[index % 3] as number,
  day: 1 + index,
  amount: 512_345 + ((index * 7919) % 900) * 1111,
  // Every third one is whole: 1.234 is no decimal number in a file with 5.123,45.
  margin: index % 3 === 0 ? (1200 + index * 34) * 100 : 98_765 + index * 4321,
}));
type Deal = (typeof deals)[number];

function german(cents: number): string {
  const whole = String(Math.trunc(cents / 100)).replace(/\B(?=(\d{3})+$)/g, '.');
  return cents % 100 === 0 ? whole : `${whole},${String(cents % 100).padStart(2, '0')}`;
}
const germanDay = ({ day, month }: Deal) => `${String(day).padStart(2, '0')}.${String(month).padStart(2, '0')}.2026`;
const toFile = (rows: readonly (readonly string[])[]) => rows.map((row) => `${row.join(';')}\r\n`).join('');

const peopleFile = `\u{feff}${toFile([
  ['Name', 'E-Mail', 'Abteilung', 'Eintrittsdatum'],
  ...sellers.map((name, index) => [name, emails[index] as string, 'Vertrieb', '15.02.2025']),
])}`;
const dealsFile = toFile([
  ['Auftrag', 'Kunde', 'Auftragswert', 'Marge', 'Phase', 'Abschluss', 'Verkäufer'],
  ...deals.map((deal) => [
    deal.id,
    `Kunde ${deal.id}`,
    german(deal.amount),
    german(deal.margin),
    'Closed Won',
    germanDay(deal),
    emails[deal.seller] as string,
  ]),
]);

/** Cents of a seller in a month: 10 % of margins; 9, 12 and 15 % of amounts by the target of the quarter; rank; points. */
function expectedCents(seller: number, month: number): number {
  const target = (targets[seller] as number) * 100;
  let before = 0;
  let sum = 0;
  for (const deal of deals
    .filter((each) => each.seller === seller)
    .sort((a, b) => a.month - b.month || a.day - b.day)) {
    const after = before + deal.amount;
    const part = (from: number, to: number) => Math.max(0, Math.min(after, to) - Math.max(before, from));
    const parts = part(0, target) * 9 + part(target, target * 1.25) * 12 + part(target * 1.25, Infinity) * 15;
    if (deal.month === month) sum += Math.round(parts / 100) + Math.round(deal.margin / 10);
    before = after;
  }
  return sum + rankCents(seller, month) + (month === 6 ? (points[seller] as number) * 1000 : 0);
}

function rankCents(seller: number, month: number): number {
  const sold = sellers.map((_, index) =>
    deals.filter((deal) => deal.seller === index && deal.month === month).reduce((sum, { amount }) => sum + amount, 0),
  );
  return (ranks[sold.filter((amount) => amount > (sold[seller] as number)).length] as number) * 100;
}

describe('the German files of an admin in the web app', function () {
  // Each step needs those before it.
  this.bail(true);
  const browser = Browser.duringSuite({ isEmpty: true });
  const folder = mkdtempSync(path.join(tmpdir(), 'german-'));
  const ids: string[] = [];
  let page: Page;
  let problems: string[];
  let walk: AdminWalk;

  before(async () => {
    await browser.workspace.api.expect(200, 'PATCH', '/v1/workspaces', { currency: 'EUR', timezone: 'Europe/Berlin' });
    ({ page, problems } = await browser.openPage('admin', '/imports'));
    walk = new AdminWalk(browser, page);
    writeFileSync(path.join(folder, 'personal.csv'), peopleFile);
    // As a spreadsheet saves it: Windows-1252, without a mark.
    writeFileSync(path.join(folder, 'auftraege.csv'), Buffer.from(dealsFile, 'latin1'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('reads people and deals with semicolons, German headers, days and amounts', async () => {
    await walk.begin('people', '/imports/people');
    await walk.clicks.giveFile(path.join(folder, 'personal.csv'));
    await walk.clicks.press('Import 4 people');
    await sees(page, '4 people imported');
    const { reps } = await browser.workspace.api.expect(200, 'GET', '/v1/reps');
    const find = (email: string | undefined) => reps.find((rep: { email: string }) => rep.email === email);
    expect(find(emails[1])).to.include({ name: 'Björn Jäger', team: 'Vertrieb', hireDate: '2025-02-15' });
    ids.push(...emails.map((email) => find(email).id));

    await walk.begin('deals', '/imports/deals');
    await walk.clicks.giveFile(path.join(folder, 'auftraege.csv'));
    await page.waitForSelector('[aria-label="Where Kunde goes"]');
    for (const [column, target] of [
      ['Auftrag', 'Deal ID'],
      ['Kunde', 'Deal name'],
      ['Auftragswert', 'Amount'],
      ['Phase', 'Stage'],
      ['Abschluss', 'Close date'],
      ['Verkäufer', 'Owner, by e-mail'],
    ] as const)
      if ((await chosen(column)) !== target) await walk.clicks.choose(`Where ${column} goes`, target);
    expect((await texts(page, 'main')).join()).to.include('As shown: 1.234,50');
    await walk.clicks.press('Import 24 deals');
    await sees(page, '24 deals imported');
    const { totals } = await browser.workspace.api.expect(200, 'GET', '/v1/deals?limit=1&totals=true');
    const sum = deals.reduce((total, { amount }) => total + amount, 0);
    expect(totals).to.deep.equal([{ currency: 'EUR', amount: sum / 100, deals: 24 }]);
  });

  it('measures the margin of the file, which every format of its numbers makes a number', async () => {
    await walk.startPlan('margin', 'Blank plan', 'Margin');
    await walk.clicks.choose('Measure', 'Marge');
    await walk.clicks.write('Rate of tier 1', '10');
    await walk.saveDraft();
    await walk.activate('Margin', ids);
    const earned = await walk.earned('2026-Q2');
    for (const [seller, name] of sellers.entries()) {
      const own = deals.filter((deal) => deal.seller === seller);
      const cents = own.reduce((sum, { margin }) => sum + Math.round(margin / 10), 0);
      expect(earned.get(name), name).to.equal(cents / 100);
    }
  });

  it('lays pasted targets beside the addresses that name them', async () => {
    await walk.startPlan('plan', 'Account executive, marginal tiers', 'AE');
    await walk.clicks.write('Rate of tier 1', '9');
    await walk.saveDraft();
    // The example of the template has the rate of the template.
    await walk.clicks.pressPart('Expect what it gets');
    await walk.clicks.pressPart('Save version');
    await page.waitForSelector('[aria-label="holds"]');
    await walk.activate('AE', ids);
    const plans = await browser.workspace.api.expect(200, 'GET', '/v1/plans');
    const { name: rule } = plans.find(({ name }: { name: string }) => name === 'AE').rules[0];
    await walk.begin('quotas', `/quotas?year=2026&rule=${encodeURIComponent(`AE: ${rule}`)}`);
    await page.waitForSelector('table input');
    const block = [['E-Mail', 'Q2 2026'], ...[2, 0, 3, 1].map((seller) => [emails[seller], String(targets[seller])])];
    const text = JSON.stringify(block.map((row) => row.join('\t')).join('\n'));
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ${text});
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('table input').dispatchEvent(paste);
    })()`);
    await walk.clicks.press('Save 4 quotas');
    await walk.confirm();
    const quotas = await browser.workspace.api.expect(200, 'GET', '/v1/quotas?period=2026-Q2');
    const targetOf = new Map(quotas.map(({ repId, target }: { repId: string; target: number }) => [repId, target]));
    expect(ids.map((id) => targetOf.get(id))).to.deep.equal(targets);
  });

  it('pays margins, tiers, ranks and points to the cent of own arithmetic, and shows the sum', async () => {
    await walk.startTopThree();
    await walk.activate('Top three', ids);
    await walk.startPoints();
    await walk.activate('Service', ids);
    await walk.begin('scores', '/scores?year=2026');
    await walk.clicks.choose('Rule', 'Service: Commission');
    for (const [seller, name] of sellers.entries()) await walk.clicks.write(`${name}, Q2`, String(points[seller]));
    await walk.clicks.press('Save 4 scores');
    await walk.confirm();
    for (const month of months) {
      const period = `2026-0${month}`;
      const earned = await walk.earned(period);
      for (const [seller, name] of sellers.entries())
        expect(earned.get(name), `${name}, ${period}`).to.equal(expectedCents(seller, month) / 100);
      const total = sellers.reduce((sum, _, seller) => sum + expectedCents(seller, month), 0) / 100;
      await browser.visit(page, `/team?period=${period}`);
      await sees(page, `€${total.toLocaleString('en-US', { minimumFractionDigits: 2 })}`);
    }
    expect(problems).to.deep.equal([]);
  });

  it('takes at most the clicks of an earlier release in each task', () => {
    walk.compare(earlier);
    for (const [task, most] of Object.entries(earlier)) expect(walk.clicks.of(task), task).to.be.within(1, most);
  });

  const chosen = (column: string) =>
    page.$eval(
      `[aria-label="Where ${column} goes"]`,
      // biome-ignore lint/suspicious/noExplicitAny: this function runs in the browser, whose types the tests do not have
      (select: any) => select.selectedOptions[0]?.text,
    );
});
