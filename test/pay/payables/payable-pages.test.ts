import { expect } from 'chai';
import { sql } from 'kysely';
import { updateWorkspace } from '#src/access/workspaces/commands/update-workspace.js';
import { chunk } from '#src/kernel/chunk.js';
import { createHold } from '#src/pay/payables/commands/create-hold.js';
import { loadPayablePage } from '#src/pay/payables/payable-sums.js';
import { loadPayPeriods } from '#src/pay/payables/payout-settings.js';
import { listPayables } from '#src/pay/payables/queries/list-payables.js';
import { type Transaction } from '#src/platform/database/unit-of-work.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { rowsRead } from '#test/support/rows-read.js';
import { flatRule } from '#test/support/terms.js';

const people = 126;
const dealsOfPerson = 8;
/** One person in seven has no deals. */
const earning = people - people / 7;

describe('the pages of what everyone is paid', () => {
  let workspace: OfflineWorkspace;
  const repIds: string[] = [];

  before(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-03-20T12:00:00Z' });
    const { insert } = workspace;
    const asPaid = flatRule('New business', 0.1, { payout: { schedule: [{ on: 'paid', percent: 100 }] } });
    const plans = [await insert.plan('AE', { rules: [flatRule('Sales', 0.1)] })];
    plans.push(await insert.plan('Paid', { rules: [asPaid] }));
    for (let index = 0; index < people; index += 1) {
      // Names in another order than ids.
      const repId = await insert.rep(`Person ${(index * 37) % people}`);
      await insert.assignment(repId, plans[index % 2] as string);
      await insert.deals(repId, index % 7 === 6 ? 0 : dealsOfPerson, { amount: 10 + index, days: 70 });
      repIds.push(repId);
    }
    await workspace.recalculate();
    await workspace.run(updateWorkspace, { body: { payouts: { enabled: true, from: '2026-01-01' } } });
    const hold = { repId: repIds[2], from: '2026-01-01', reason: 'Audit' };
    await workspace.run(createHold, { body: hold });
  });

  const read = (query: Readonly<Record<string, string>>) => workspace.run(listPayables, { query });

  /** All amounts, from pages of one size. */
  async function readAll(limit: number, query: Readonly<Record<string, string>>) {
    const pages = [];
    do pages.push(await read({ ...query, limit: `${limit}`, offset: `${pages.length * limit}` }));
    while (pages.length * limit < pages[0].count);
    return pages;
  }

  it('have the amounts of people who are read in parts, and the same sums on each of them', async () => {
    const names = await workspace.db.sql<{ rep_id: string }>('select rep_id from reps order by lower(name), rep_id');
    for (const status of [{}, { status: 'waiting' }, { status: 'held' }]) {
      const parts = [];
      for (const some of chunk(names, people / 3))
        parts.push(await read({ ...status, ids: some.map(({ rep_id: id }) => id).join(), limit: '1000' }));
      const expected = parts.flatMap(({ payables }) => payables);
      const pages = await readAll(97, status);
      expect(pages.flatMap(({ payables }) => payables)).to.deep.equal(expected);
      for (const { totals, paidOut, count } of pages) {
        expect(count).to.equal(expected.length);
        expect(paidOut).to.deep.equal([]);
        expect(totals).to.have.length(1);
        for (const field of ['earned', 'waiting', 'held', 'payable', 'approved', 'paid', 'balance']) {
          const sums = parts.map((part) => part.totals[0]?.[field] ?? 0);
          expect(totals[0][field], field).to.be.closeTo(
            sums.reduce((sum, amount) => sum + amount, 0),
            0.001,
          );
        }
      }
    }
  });

  it('calculate only their people, until anything changes', async () => {
    await sql`analyze`.execute(workspace.db.owner);
    const work = async (offset: number) =>
      workspace.db.unitOfWork.run(
        workspace.admin,
        { lock: 'none', access: 'read', isolation: 'repeatable read' },
        async (tx: Transaction) => {
          const payPeriods = await loadPayPeriods(tx);
          if (payPeriods === null) throw new Error('no payouts');
          const wanted = { repIds, dealId: undefined, status: undefined, limit: 4, offset };
          const before = await rowsRead(tx, 'commission_events');
          const { entries } = await loadPayablePage(tx, payPeriods, wanted, '2026-03-20');
          const rows = (await rowsRead(tx, 'commission_events')) - before;
          return { people: new Set(entries.map(({ repId }) => repId)), rows };
        },
      );
    const all = await work(0);
    expect(all.rows).to.be.at.least(earning * dealsOfPerson);
    const page = await work(dealsOfPerson - 2);
    expect(page.people.size).to.equal(2);
    expect(page.rows).to.be.within(2 * dealsOfPerson, 4 * dealsOfPerson);
    const [repId = ''] = repIds;
    const before = await read({ limit: '1' });
    await workspace.insert.adjustment(repId, 5, '2026-02-10');
    const after = await read({ limit: '1' });
    expect(after.count).to.equal(before.count + 1);
    expect(after.totals[0].earned).to.be.closeTo(before.totals[0].earned + 5, 0.001);
  });
});
