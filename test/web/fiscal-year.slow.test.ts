import { expect } from 'chai';
import { Browser, sees, texts } from '#test/support/browser.js';

/** A quarter of the calendar, as pages and files write it. */
const calendarQuarter = /\bQ[1-4] 20\d\d|\b20\d\d-Q[1-4]/;
const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];

describe('a workspace with a fiscal year from February', function () {
  this.timeout(240_000);
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

  for (const [page, path, expected] of [
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
      } = await browser.openPage('admin', typeof path === 'string' ? path : path());
      for (const text of expected) await sees(opened, text);
      expect((await texts(opened, 'main')).join(' ')).to.not.match(calendarQuarter);
      expect(problems).to.deep.equal([]);
      await close();
    });
});
