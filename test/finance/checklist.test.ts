import { expect } from 'chai';
import { insertDiscrepancy } from '#test/api/insert-discrepancy.js';
import { Service } from '#test/support/service.js';
import { Closings } from './closings.js';

describe('the checklist of a month', () => {
  const service = Service.duringSuite();

  it('has the amounts of discrepancies, disputes and of those who owe, also apart for people who have left (F21)', async () => {
    const closings = await Closings.open(service);
    const { books, work } = closings;
    const { api, ben } = work;
    await work.deal('D1', 90_000, '2026-01-15');
    await work.approve('2026-01');
    await books.pay('2026-01', '2026-02-15');
    const clawback = { period: '2026-04', amount: -7200, reason: 'Cancelled' };
    await api.expect(200, 'POST', `/v1/statements/${ben}/adjust`, clawback);
    const dispute = { repId: ben, period: '2026-03', type: 'other', description: 'Less than agreed' };
    await api.expect(201, 'POST', '/v1/disputes', { ...dispute, expectedAmount: 250.5 });
    await api.expect(201, 'POST', '/v1/disputes', { ...dispute, period: '2026-02' });
    await insertDiscrepancy(service, work.workspaceId, ben, '2026-01');
    const [{ delta }] = (await api.expect(200, 'GET', '/v1/discrepancies')).discrepancies;

    const { current } = await books.get('');
    const warnings = async () => {
      const found: { code: string }[] = (await books.get(`/months/${current}`)).checklist.warnings;
      return found.filter(({ code }) => code !== 'statements_not_approved');
    };
    const known = [
      { code: 'open_discrepancies', count: 1, amounts: [{ currency: 'USD', amount: delta }] },
      { code: 'open_disputes', count: 2, amounts: [{ currency: 'USD', amount: 250.5 }] },
      { code: 'receivables', count: 1, amounts: [{ currency: 'USD', amount: 7200 }] },
    ];
    expect(await warnings()).to.deep.equal(known);
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { active: false });
    const leaver = { code: 'receivables_of_leavers', count: 1, amounts: [{ currency: 'USD', amount: 7200 }] };
    expect(await warnings()).to.deep.equal([...known, leaver]);
  });
});
