import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from './pay-service.js';

describe('a workspace without payouts', () => {
  const service = Service.duringSuite();

  /** Everything that says what is earned or paid, as the service sends it. */
  async function read(work: PayWorkspace): Promise<Record<string, string>> {
    const { api, ben, mia } = work;
    const { events } = await api.expect(200, 'GET', '/v1/commissions?dealId=D');
    const paths = [
      `/v1/statements?repId=${ben}&period=2026-01`,
      `/v1/statements?repId=${ben}&period=2026-02`,
      `/v1/statements?repId=${mia}&period=2026-01`,
      '/v1/statements?period=2026-01',
      `/v1/statements/${ben}/list`,
      '/v1/statements/export.csv?period=2026-01',
      '/v1/statements/export.csv?period=2026-01&layout=long',
      `/v1/statements/${ben}/export?period=2026-01&format=csv`,
      `/v1/commissions?repId=${ben}&period=2026-01`,
      '/v1/commissions?period=2026-01',
      '/v1/commissions?dealId=D',
      '/v1/commission-events?format=ndjson',
      `/v1/commissions/events/${events[0].eventId}`,
      '/v1/payables',
    ];
    const sent: Record<string, string> = {};
    for (const path of paths) {
      const { status, body } = await api.get(path);
      expect(status, path).to.equal(200);
      sent[path] = typeof body === 'string' ? body : JSON.stringify(body);
    }
    const rows = await service.sql(
      `select e::text as row from commission_events e where workspace_id = $1
      union all select content_hash::text from statements where workspace_id = $1 order by 1`,
      work.workspaceId,
    );
    return { ...sent, rows: JSON.stringify(rows) };
  }

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
    const before = await read(work);
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    await api.expect(201, 'POST', '/v1/payables/holds', { repId: ben, from: '2026-01-01', reason: 'x' });
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, {
      ...{ payCurrency: 'GBP', payCurrencyFrom: '2026-01-01' },
      recovery: { maxPercent: 50 },
    });
    await api.expect(200, 'PATCH', '/v1/workspaces', { recovery: { maxPercent: 10 }, payFx: { date: 'approved_on' } });
    await work.calculated();
    expect(await read(work)).to.deep.equal(before);
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
