import { expect } from 'chai';
import { Browser, sees, texts } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { pointer, submitDialog } from './input-methods.js';

/** Ann of North, managed by Mia, earns 100, Bob of North 200 and Cid of South 400; each has an unpaid deal, too. */
describe('filters of people on the pages of a month end', () => {
  const browser = Browser.duringSuite({ isEmpty: true });

  const period = '2026-01';

  before(async () => {
    const { workspace, service } = browser;
    const { api } = workspace;
    await api.saveReps({ email: 'mia@acme.test', name: 'Mia', role: 'manager' });
    const reps = await api.saveReps(
      { email: 'ann@acme.test', name: 'Ann', team: 'North', title: 'AE', managerEmail: 'mia@acme.test' },
      { email: 'bob@acme.test', name: 'Bob', team: 'North' },
      { email: 'cid@acme.test', name: 'Cid', team: 'South' },
    );
    const conditions = [{ field: 'kind', fieldType: 'text', operator: 'equals', value: 'new' }];
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New', 0.1, { conditions })] } }, reps);
    for (const [owner, amount] of [
      ['ann', 1000],
      ['bob', 2000],
      ['cid', 4000],
    ] as const) {
      const deal = { ownerId: `${owner}@acme.test`, amount, stage: 'Won', closeDate: '2026-01-10' };
      await api.put(`/v1/deals/${owner}-new`, { ...deal, fields: { kind: 'new' } });
      await api.put(`/v1/deals/${owner}-old`, { ...deal, fields: { kind: 'old' } });
    }
    await service.waitForCalculations(workspace.workspaceId);
  });

  const strip = async (page: Parameters<typeof texts>[0], label: string) =>
    (await texts(page, `[aria-label="${label}"]`)).join(' ');

  it('the team page has the sums of those who match, and keeps the filter in its address', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/team?period=${period}`);
    expect(await strip(page, 'Sums of the team')).to.include('$700.00');
    await pointer.choose(page, 'Filter by team', 'North');
    await sees(page, 'Earned by 2 people');
    expect(await strip(page, 'Sums of the people in the list')).to.include('$300.00');
    expect(new URL(page.url()).searchParams.get('team')).to.equal('North');
    await pointer.choose(page, 'Filter by manager', 'Mia');
    await sees(page, 'Earned by 1 person');
    await pointer.press(page, 'button', 'Clear the filters');
    await sees(page, 'Cid');
    expect(await strip(page, 'Sums of the team')).to.include('$700.00');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('the exceptions are counted and summed for those who match', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/exceptions?period=${period}`);
    await sees(page, '3 deals, USD 7,000.00');
    await pointer.choose(page, 'Filter by team', 'North');
    await sees(page, '2 deals, USD 3,000.00');
    await page.locator('input[aria-label="Name, manager, team or role"]').fill('bob');
    await sees(page, '1 deal, USD 2,000.00');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('generates and approves the statements of those who match only, and says so', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/approvals?period=${period}&team=North`);
    await pointer.press(page, 'button', 'Generate for 2 people');
    await sees(page, '2 statements generated.');
    expect(await strip(page, 'Sums of the period'))
      .to.include('of 2 people')
      .and.include('$300.00');
    await page.locator('thead input[type=checkbox]').click();
    await pointer.press(page, 'button', 'Approve 2');
    await sees(page, 'Approve 2 statements');
    await submitDialog(page);
    await sees(page, '2 statements approved');
    const { statements } = await browser.workspace.api.expect(200, 'GET', `/v1/statements?period=${period}`);
    const states = statements.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`);
    expect(states).to.have.members(['Ann approved', 'Bob approved', 'Cid none']);
    await pointer.press(page, 'button', 'Save this view');
    await pointer.write(page, 'Name of the view', 'Close of North');
    await pointer.press(page, 'button', 'Save the view');
    await page.waitForSelector('::-p-aria([name="Remove the view Close of North"])');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('payroll has the sums of those who match, and says that the file has everyone', async () => {
    const { page, problems, close } = await browser.openPage('admin', `/payroll?period=${period}&title=AE`);
    expect(await strip(page, 'Sums of the period')).to.include('$100.00');
    await sees(page, 'The file and the hand-over below contain everyone');
    await pointer.press(page, 'button', 'Clear the filters');
    await sees(page, '$300.00');
    expect(problems).to.deep.equal([]);
    await close();
  });
});
