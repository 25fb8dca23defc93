import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { Browser, sees, texts } from '#test/support/browser.js';
import { violationsInBothSchemes } from './accessibility.js';
import { pointer } from './input-methods.js';

/** A quarter of the calendar, as pages and files write it. */
const calendarQuarter = /\bQ[1-4] 20\d\d|\b20\d\d-Q[1-4]/;
const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];

describe('a workspace with a fiscal year from February', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  let ben: string;

  /** Q6: the quota is imported for FY2026-Q1 only, and a deal of FY2026-Q2 has none. */
  before(async () => {
    const { api } = browser.workspace;
    [ben] = (await api.saveReps({ email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben' })) as [string];
    await api.expect(200, 'PUT', '/v1/fiscal-years', [{ year: 2026, start: '2026-02-01', pattern: 'months' }]);
    const rules = [{ name: 'New business', measure: 'amount', calendar: 'fiscal', tiers }];
    await api.createPlan({ name: 'AE', config: { rules } }, [ben]);
    const file = 'email,plan,period,target\nben@acme.test,AE,FY2026-Q1,100000\n';
    const imported = await api.expect(200, 'POST', '/v1/quotas/import', file, { 'Content-Type': 'text/csv' });
    expect(imported).to.include({ accepted: 1 });
    await api.putDeal('a', { amount: 60_000, closeDate: '2026-02-10', ownerId: 'ben' });
    await api.putDeal('b', { amount: 60_000, closeDate: '2026-04-30', ownerId: 'ben' });
    await api.putDeal('c', { amount: 10_000, closeDate: '2026-05-02', ownerId: 'ben' });
    await browser.service.waitForCalculations(browser.workspace.workspaceId);
    await api.expect(200, 'POST', '/v1/statements/generate', { period: 'FY2026-Q1' });
    await api.approve(ben, 'FY2026-Q1');
  });

  for (const [page, address, expected] of [
    ['the grid of quotas', '/quotas?year=2026', ['Q1 FY2026', 'Q4 FY2026']],
    ['approvals', '/approvals?period=FY2026-Q1', ['Q1 FY2026', '$12,000.00']],
    ['a statement', () => `/statements/${ben}?period=FY2026-Q1`, ['Q1 FY2026', '$12,000.00', '120 %']],
    ['the person', () => `/members/${ben}?year=2026`, ['Q1 FY2026', '100,000']],
    ['the team', '/team?period=FY2026-Q1', ['Q1 FY2026']],
    ['the progress of quotas', '/quota-progress?period=FY2026-Q1', ['Q1 FY2026', '120 %']],
    ['the overview', '/overview?period=FY2026-P01', ['P01 FY2026']],
    ['my pay', '/me?period=FY2026-Q1', ['Q1 FY2026']],
    ['what did not pay', '/exceptions?period=FY2026-Q2', ['Q2 FY2026']],
    ['payroll', '/payroll?period=FY2026-Q1', ['Q1 FY2026', '$12,000.00']],
  ] as const)
    it(`${page} shows fiscal quarters, and none of the calendar`, async () => {
      const {
        page: opened,
        problems,
        close,
      } = await browser.openPage('admin', typeof address === 'string' ? address : address());
      for (const text of expected) await sees(opened, text);
      expect((await texts(opened, 'main')).join(' ')).to.not.match(calendarQuarter);
      expect(problems).to.deep.equal([]);
      await close();
    });

  it('the number of the first year is typed without losing the focus', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/fiscal-calendar');
    await (await page.waitForSelector('main input[type=number]'))?.click({ count: 3 });
    await page.keyboard.type('2031');
    await sees(page, 'Remove FY2031');
    await pointer.press(page, 'button', 'Discard');
    await sees(page, 'Remove FY2026');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('holidays are added by a calendar file beside the fiscal years', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'holidays-'));
    const file = path.join(folder, 'holidays.ics');
    const days = ['20261225', '20261226'].flatMap((day) => [
      ...['BEGIN:VEVENT', `DTSTART;VALUE=DATE:${day}`, 'SUMMARY:Christmas', 'END:VEVENT'],
    ]);
    writeFileSync(file, ['BEGIN:VCALENDAR', ...days, 'END:VCALENDAR', ''].join('\r\n'));
    for (const width of [1280, 390]) {
      const { page, problems, close } = await browser.openPage('admin', '/fiscal-calendar', { width });
      await (await page.waitForSelector('input[type=file]'))?.uploadFile(file);
      await sees(page, width === 1280 ? '2 holidays added or changed' : '0 holidays added or changed');
      expect(await texts(page, '[aria-label="Holidays"] li')).to.have.lengthOf(2);
      expect(await violationsInBothSchemes(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await close();
    }
    rmSync(folder, { recursive: true });
  });

  it('a block with e-mails is pasted into the grid, and a question follows what is not clear', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/quotas?year=2026');
    await page.waitForSelector('[data-cell]');
    const paste = (...rows: string[][]) =>
      page.evaluate(`{
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', ${JSON.stringify(rows.map((cells) => cells.join('\t')).join('\n'))});
        const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        document.querySelector('[data-cell]').dispatchEvent(event);
      }`);
    const visible = (quarter: string) => page.$eval(`[data-cell$="FY2026-${quarter}"]`, ({ value }) => value);
    await paste(['E-Mail', 'FY2026-Q2', 'Q3 FY2026'], ['BEN@acme.test', '120,000', '130,000']);
    await sees(page, 'Save 2 quotas');
    expect([await visible('Q2'), await visible('Q3')]).to.deep.equal(['120,000', '130,000']);
    await paste(['E-Mail', 'Q3 FY2026', 'Q4 2026'], ['benjamin@acme.test', '140,000', '150,000']);
    await sees(page, 'Whose are these rows?');
    await sees(page, 'the list has no such period: Q4 2026');
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await pointer.choose(page, 'benjamin@acme.test', 'Ben');
    await pointer.press(page, 'button', 'Paste the cells of 1 person');
    expect([await visible('Q2'), await visible('Q3')]).to.deep.equal(['120,000', '140,000']);
    await page.type('[data-cell$="FY2026-Q4"]', 'many');
    await sees(page, 'Not a number: “many”');
    expect((await texts(page, 'button')).filter((text) => /^Save \d/.test(text))).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
