import { expect } from 'chai';
import { readPaidResponses } from '#test/support/paid-responses.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from './pay-service.js';

describe('a workspace without payouts', () => {
  const service = Service.duringSuite();

  it('is the same to the byte, whatever customers pay, what is held, and how people would be paid', async () => {
    const rules = [flatRule('New business', 0.08)];
    const work = await PayWorkspace.create(service, { rules, payouts: null });
    const { api, ben } = work;
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { managerId: work.mia, managerFrom: '2026-01-01' });
    const cascade = flatRule('Override', 0.2, { measure: '_earned', executionPhase: 'cascade' });
    await api.createPlan({ name: 'Managers', config: { rules: [cascade] } }, [work.mia]);
    await work.deal('D', 60_000, '2026-01-15');
    await work.deal('E', 10_000, '2026-02-15');
    await work.approve('2026-01');
    await api.generate(ben, '2026-02');
    const before = await readPaidResponses(service, work);
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    await api.expect(201, 'POST', '/v1/payables/holds', { repId: ben, from: '2026-01-01', reason: 'x' });
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, {
      ...{ payCurrency: 'GBP', payCurrencyFrom: '2026-01-01' },
      recovery: { maxPercent: 50 },
    });
    await api.expect(200, 'PATCH', '/v1/workspaces', { recovery: { maxPercent: 10 }, payFx: { date: 'approved_on' } });
    await work.calculated();
    expect(await readPaidResponses(service, work)).to.deep.equal(before);
    for (const [path, text] of Object.entries(before))
      if (path !== '/v1/payables') expect(text, path).to.not.match(/payable|payTotals|payouts/);
    await api.generate(ben, '2026-02');
    const { contentHash } = await hashes(work);
    expect(new Set(contentHash).size).to.equal(1);
  });

  /** The hashes of the versions of February, which are equal for equal content. */
  async function hashes(work: PayWorkspace): Promise<{ contentHash: string[] }> {
    const rows = await service.sql<{ hash: string }>(
      `select content_hash::text as hash from statements where workspace_id = $1 and rep_id = $2 and period = '2026-02'`,
      work.workspaceId,
      work.ben,
    );
    return { contentHash: rows.map(({ hash }) => hash) };
  }
});
