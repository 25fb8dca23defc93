import { expect } from 'chai';
import { sql } from 'kysely';
import { recordReportedDeals } from '#src/deals/record-reported-deals.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

describe('deals that a CRM reports', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  let api: ApiClient;

  before(async () => {
    ({ workspaceId, api } = await service.workspace());
  });

  const stamp = new Date('2026-05-04T10:00:00Z');
  const at = (second: number) => new Date(stamp.getTime() + second * 1000);

  async function report(id: string, amount: number, fetchedAt: Date | null): Promise<string | undefined> {
    const { outcomes } = await service.running.service.unitOfWork.run(
      { workspaceId },
      { lock: 'shared', access: 'write' },
      (tx) =>
        recordReportedDeals(tx, {
          provider: 'crmc',
          deals: [{ id, fields: { amount }, modifiedAt: stamp, deleted: false }],
          fetchedAt,
          keepStale: true,
        }),
    );
    return outcomes.get(id);
  }

  async function amountOf(id: string): Promise<number> {
    const [row] = await service.sql<{ amount: string }>(
      'select amount from deals where workspace_id = $1 and deal_id = $2',
      workspaceId,
      id,
    );
    return Number(row?.amount);
  }

  // CRM timestamps have whole seconds, and a sync writes its page while a delivery of the same deal is processed.
  it('with equal timestamps keep the state that was requested last, although it is written first', async () => {
    expect(await report('late', 100, at(1))).to.equal('created');
    expect(await report('late', 300, at(3))).to.equal('changed');
    expect(await report('late', 200, at(2))).to.equal('stale');
    expect(await amountOf('late')).to.equal(300);
    expect(await report('late', 400, at(4))).to.equal('changed');
    expect(await amountOf('late')).to.equal(400);
  });

  it('with more text than a deal may have keep the fields that fit, in their order', async () => {
    const texts = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`text${index}`, 'x'.repeat(8000)]));
    await service.running.service.unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, (tx) =>
      recordReportedDeals(tx, {
        provider: 'crmc',
        deals: [{ id: 'long', fields: { ...texts, amount: 7 }, modifiedAt: stamp, deleted: false }],
        fetchedAt: null,
        keepStale: true,
      }),
    );
    expect(await amountOf('long')).to.equal(7);
    const [row] = await service.sql<{ slugs: string[] }>(
      `select array(select jsonb_object_keys(fields) order by 1) as slugs from deals where workspace_id = $1 and deal_id = 'long'`,
      workspaceId,
    );
    expect(row?.slugs).to.deep.equal(['amount', ...Array.from({ length: 8 }, (_, index) => `text${index}`)]);
  });

  it('with a deletion in a later year are deleted, and later reports are not older than it', async () => {
    await report('ahead', 100, at(1));
    const deleted = { id: 'ahead', fields: {}, modifiedAt: new Date('2199-01-01T00:00:00Z'), deleted: true };
    const { outcomes } = await service.running.service.unitOfWork.run(
      { workspaceId },
      { lock: 'shared', access: 'write' },
      (tx) => recordReportedDeals(tx, { provider: 'crmc', deals: [deleted], fetchedAt: null, keepStale: true }),
    );
    expect(outcomes.get('ahead')).to.equal('deleted');
    expect(await report('ahead', 200, null)).to.equal('changed');
    expect(await amountOf('ahead')).to.equal(200);
  });

  describe('without a modification time', () => {
    const fetched = (id: string, amount: number, deleted = false) =>
      service.running.service.unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, async (tx) => {
        const deals = [{ id, fields: deleted ? {} : { amount }, modifiedAt: null, deleted }];
        const [{ now }] = (await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx.db)).rows as [
          { now: Date },
        ];
        const report = { provider: 'crma', deals, fetchedAt: now, keepStale: false };
        return (await recordReportedDeals(tx, report)).outcomes.get(id);
      });
    const isDeleted = async (id: string) => {
      const rows = await service.sql<{ deleted: boolean }>(
        'select deleted_at is not null as deleted from deals where workspace_id = $1 and deal_id = $2',
        ...[workspaceId, id],
      );
      return rows[0]?.deleted;
    };
    const remove = (id: string) => api.expect(200, 'DELETE', `/v1/deals/${id}`);

    it('return after a deletion in the service only when their content has changed in the CRM', async () => {
      await fetched('kept', 100);
      await remove('kept');
      expect(await fetched('kept', 100)).to.equal('unchanged');
      expect(await isDeleted('kept')).to.equal(true);
      expect(await fetched('kept', 200)).to.equal('changed');
      expect(await amountOf('kept')).to.equal(200);
    });

    it('return after a deletion in the CRM, also with the same content', async () => {
      await fetched('restored', 100);
      expect(await fetched('restored', 100, true)).to.equal('deleted');
      expect(await fetched('restored', 100)).to.equal('changed');
    });

    it('return after a deletion in the service and a later one in the CRM, also with the same content', async () => {
      await fetched('twice', 100);
      await remove('twice');
      expect(await fetched('twice', 100, true)).to.equal('unchanged');
      expect(await fetched('twice', 100)).to.equal('changed');
    });

    it('return when a person stores the deleted deal again', async () => {
      await api.putDeal('stored', { amount: 100, closeDate: '2026-05-04' });
      await remove('stored');
      await api.putDeal('stored', { amount: 100, closeDate: '2026-05-04' });
      expect(await isDeleted('stored')).to.equal(false);
    });
  });

  it('from deliveries without a request are stored in the order of arrival', async () => {
    expect(await report('pushed', 100, null)).to.equal('created');
    expect(await report('pushed', 200, null)).to.equal('changed');
    expect(await report('pushed', 300, at(1))).to.equal('changed');
    expect(await amountOf('pushed')).to.equal(300);
  });
});
