import { expect } from 'chai';
import { Browser, sees, texts, typeDay, waitUntilLoaded } from '#test/support/browser.js';
import { violationsInBothSchemes } from './accessibility.js';
import { pointer } from './input-methods.js';

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];

describe('the working time of a person in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  let ben: string;

  /** Ben has a prorated quota of 90,000 for 2026-Q1, and two deals that reach five sixths of it. */
  before(async () => {
    const { api } = browser.workspace;
    [ben] = (await api.saveReps({ email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben' })) as [string];
    const rules = [{ name: 'New business', measure: 'amount', quotaProration: 'calendar_days', tiers }];
    await api.createPlan({ name: 'AE', config: { rules } }, [ben]);
    await api.setQuota([ben], 'New business', '2026-Q1', 90_000);
    await api.putDeal('a', { amount: 45_000, closeDate: '2026-01-20', ownerId: 'ben' });
    await api.putDeal('b', { amount: 30_000, closeDate: '2026-03-25', ownerId: 'ben' });
    await browser.service.waitForCalculations(browser.workspace.workspaceId);
  });

  it('a leave shows its effect before it is saved and deleted, and the target that it leaves', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/members/${ben}?year=2026`);
    await pointer.press(page, 'button', 'Add absence');
    await enterDay('First day', '02102026');
    await enterDay('Last day', '03112026');
    await sees(page, '+$1,200.00');
    await sees(page, 'Ben, Q1 2026: $2,400.00 to $3,600.00');
    await pointer.press(page, 'button', 'Save');
    await sees(page, '90,000 × 60 of 90 days');
    await waitUntilLoaded(page);
    const main = (await texts(page, 'main')).join(' ');
    expect(main)
      .to.include('60,000')
      .and.match(/10 Feb to 11 Mar, 30.days: absence, count 0.%/);
    await pointer.press(page, 'button', '10 Feb 2026 to 11 Mar 2026');
    await pointer.press(page, 'button', 'Delete …');
    await sees(page, '−$1,200.00');
    await pointer.press(page, 'button', 'Cancel');
    expect(problems).to.deep.equal([]);
    await close();

    /** Types into the parts of a field for days, in the order of the browser's language. */
    async function enterDay(label: string, digits: string): Promise<void> {
      await page.focus(`::-p-aria([name="${label}"])`);
      await page.keyboard.type(digits);
    }
  });

  it('days of employment show their effect before they are saved', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/members/${ben}?year=2026`);
    await page.focus('::-p-aria([name="First day of employment"])');
    await page.keyboard.type('02152026');
    await sees(page, '+$1,800.00');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('a ramp is created, chosen for an assignment and named in the target', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/ramps');
    await pointer.press(page, 'button', 'New ramp');
    await pointer.write(page, 'Name', 'Half first');
    await pointer.press(page, 'button', 'Save');
    await sees(page, 'Half first was saved.');
    await browser.visit(page, `/members/${ben}?year=2026`);
    await pointer.press(page, 'button', 'AE');
    await pointer.choose(page, 'Ramp', 'Half first');
    await page.focus('::-p-aria([name="First day of the ramp"])');
    await page.keyboard.type('01012026');
    await sees(page, '+$1,800.00');
    await pointer.press(page, 'button', 'Save');
    await sees(page, 'The assignments were changed.');
    await waitUntilLoaded(page);
    expect((await texts(page, 'main')).join(' ')).to.match(/1 Jan to 31 Jan, 31.days: ramp, count 50.%/);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('the grid of quotas shows the target that counts with its reason, and fixes a target', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/quotas?year=2026');
    await sees(page, 'counts as');
    const reason = (await page.$eval('td[title]', (cell) => cell.getAttribute('title'))) ?? '';
    expect(reason).to.include('90,000 ×').and.include('10 Feb to 11 Mar');
    await page.focus('::-p-aria([name="Ben, Q1"][role="textbox"])');
    await sees(page, reason.split('\n')[0] ?? '');
    await pointer.press(page, 'button', 'Fix at 90,000');
    await sees(page, 'of commission');
    await pointer.press(page, 'button', 'Save');
    await sees(page, 'fixed');
    await sees(page, 'Fixed: working time does not change it.');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('Q4: a leave in an approved period says that it opens a discrepancy, which the list explains', async () => {
    const { api } = browser.workspace;
    const [cleo] = (await api.saveReps({ email: 'cleo@acme.test', name: 'Cleo', crmMemberId: 'cleo' })) as [string];
    const [{ planId }] = await api.expect(200, 'GET', '/v1/plans');
    await api.assign([cleo], planId);
    await api.setQuota([cleo], 'New business', '2026-Q1', 90_000);
    await api.putDeal('q4', { amount: 62_000, closeDate: '2026-01-28', ownerId: 'cleo' });
    await browser.service.waitForCalculations(browser.workspace.workspaceId);
    await api.generate(cleo, '2026-01');
    await api.approve(cleo, '2026-01');
    const { page, problems, close } = await browser.openPage('admin', `/members/${cleo}?year=2026`);
    await pointer.press(page, 'button', 'Add absence');
    await page.focus('::-p-aria([name="First day"])');
    await page.keyboard.type('02102026');
    await page.focus('::-p-aria([name="Last day"])');
    await page.keyboard.type('03112026');
    await sees(page, '+$2,480.00');
    await sees(page, 'which opens discrepancies there.');
    await pointer.press(page, 'button', 'Save');
    await sees(page, '90,000 × 60 of 90 days');
    await browser.service.waitForChecks(browser.workspace.workspaceId);
    await browser.visit(page, '/discrepancies');
    for (const text of ['Cleo', '2,480.00']) await sees(page, text);
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('a person leaves: one dialog ends employment, plan, draw and sign-in, and moves the open deals', async () => {
    const { api } = browser.workspace;
    const [eva] = await api.saveReps({ email: 'eva@acme.test', name: 'Eva' });
    await api.putDeal('open', { amount: 7000, stage: 'Proposal', closeDate: '2026-05-01', ownerId: 'ben' });
    const { page, problems, close } = await browser.openPage('admin', `/members/${ben}?year=2026`);
    await pointer.press(page, 'button', 'Leaves on …');
    await page.waitForSelector('[role=dialog] [type=date]');
    const isDisabled = () => page.$eval('[role=dialog] button[type=submit]', (button) => button.matches(':disabled'));
    expect(await isDisabled()).to.equal(true);
    await typeDay(page, '02282026');
    await sees(page, 'AE ends on 28 Feb 2026. Deals that close later pay nothing.');
    await sees(page, 'End of AE');
    const dialog = `document.querySelector('[role=dialog]').textContent`;
    await page.waitForFunction(`/−\\$[\\d,.]+ of commission/.test(${dialog})`);
    expect(await violationsInBothSchemes(page)).to.deep.equal([]);
    await pointer.choose(page, '3 open deals from now on', 'go to Eva');
    await sees(page, 'Another person for the deals');
    await page.click('[role=dialog] input[type=checkbox]');
    await pointer.press(page, 'button', 'Save');
    await sees(page, 'Ben leaves on 28 Feb 2026.');
    await sees(page, 'until 28 Feb 2026');
    const [assignment] = await api.expect(200, 'GET', `/v1/assignments?repId=${ben}`);
    expect(assignment.effectiveEnd).to.equal('2026-02-28');
    expect(await api.expect(200, 'GET', `/v1/reps/${ben}`)).to.include({ endDate: '2026-02-28', active: false });
    expect(await api.expect(200, 'GET', '/v1/deals/open')).to.include({ repId: eva });
    expect(problems).to.deep.equal([]);
    await close();
  });
});
