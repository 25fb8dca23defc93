import { expect } from 'chai';
import { Browser, sees } from '#test/support/browser.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { AdminWalk } from './admin-walk.js';

const earlier = { trueUp: 5 } as const;

/** Marginal tiers in dollars: 5 % of the first half of the quota of 100,000, and 10 % of the second. */
function commissionOf(sold: number): number {
  return (Math.min(sold, 50_000) * 5 + Math.max(0, sold - 50_000) * 10) / 100;
}

/** A deal changes after its month was approved. */
describe('a late change in the web app, from the deal to the true-up', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  const period = '2026-01';
  let walk: AdminWalk;
  let problems: string[];
  let repId: string;

  before(async () => {
    const { api } = browser.workspace;
    [repId = ''] = await saveSimpleTerms(api, ['Ada', 'Ben']);
    const deal = (amount: number, ownerId: string) => ({ name: 'Harbour', amount, closeDate: '2026-01-15', ownerId });
    await api.putDeal('d1', deal(40_000, 'Ada'));
    await api.putDeal('d2', deal(30_000, 'Ada'));
    await api.putDeal('d3', deal(20_000, 'Ben'));
    await browser.workspace.calculated();
    await api.generate(repId, period);
    await api.approve(repId, period);
    const opened = await browser.openPage('admin', '/deals/d2');
    problems = opened.problems;
    walk = new AdminWalk(browser, opened.page);
  });

  const statement = () => browser.workspace.api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${period}`);

  it('changes the amount of a deal, which leaves the approved statement as it was', async () => {
    expect((await statement()).summary.netPayout).to.equal(commissionOf(70_000));
    await walk.begin('lateChange', '/deals/d2');
    await walk.clicks.press('Edit');
    await walk.clicks.write('Amount', '60000');
    await walk.confirm();
    await browser.workspace.checked();
    expect((await statement()).summary.netPayout).to.equal(commissionOf(70_000));
  });

  it('pays the difference in the approved month', async () => {
    const difference = commissionOf(100_000) - commissionOf(70_000);
    const visible = `$${difference.toLocaleString('en-US', { minimumFractionDigits: 2 })}`;
    await walk.begin('trueUp', '/discrepancies');
    await sees(walk.page, `+${visible}`);
    await walk.clicks.press('Ada, January 2026');
    await walk.clicks.press('Pay in the same period');
    await walk.clicks.write('Reason', 'The customer signed the larger contract.');
    await walk.clicks.press('Pay');
    await walk.clicks.press(`Pay ${visible}`);
    await walk.dialogCloses();
    const paid = await statement();
    expect(paid).to.include({ status: 'approved' });
    expect(paid.summary.netPayout).to.equal(commissionOf(100_000));
    const { discrepancies } = await browser.workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
    expect(discrepancies).to.deep.equal([]);
  });

  it('takes no more clicks than an earlier release, in which a deal could not be edited', () => {
    const { now, then } = walk.compare(earlier);
    console.log(`      lateChange: ${walk.clicks.of('lateChange')}, earlier not possible`);
    expect(now).to.be.at.most(then);
    expect(problems).to.deep.equal([]);
  });
});
