import { expect } from 'chai';
import { sql } from 'kysely';
import { listClosedDeals } from '#src/earnings/commission-views.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { rowsRead } from '#test/support/rows-read.js';
import { flatRule } from '#test/support/terms.js';

const deals = 400;
/** The number of deals on a page. */
const onPage = 100;

describe('the closed deals of a dashboard', () => {
  it('read the events of their deals, however many others the rep has', async () => {
    const workspace = await OfflineWorkspace.create({ now: '2026-03-20T12:00:00Z' });
    const { db, admin, insert } = workspace;
    const ada = await insert.rep('Ada');
    await insert.assignment(ada, await insert.plan('AE', { rules: [flatRule('Sales', 0.1)] }));
    await insert.deals(ada, deals, { amount: 10, spacing: 1, days: 80 });
    await workspace.recalculate();
    await sql`analyze`.execute(db.owner);
    await db.unitOfWork.read(admin, async (tx) => {
      const listed = await listClosedDeals(tx, ada, { from: '2026-01-01', to: '2026-03-31' }, 'USD', 0);
      expect(listed.map(({ commission }) => Number(commission))).to.deep.equal(Array(onPage).fill(1));
      expect(await rowsRead(tx, 'commission_events')).to.be.within(onPage, 2 * deals);
    });
  });
});
