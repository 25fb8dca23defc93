import { expect } from 'chai';
import { updateWorkspace } from '#src/access/workspaces/commands/update-workspace.js';
import { saveFieldMapping } from '#src/deals/fields/commands/save-field-mapping.js';
import { getFieldMapping } from '#src/deals/fields/queries/get-field-mapping.js';
import { Failure } from '#src/kernel/failure.js';
import { upsertReps } from '#src/people/reps/commands/upsert-reps.js';
import { DealWorkspace } from '#test/deals/deal-workspace.js';

interface Mapping {
  readonly standard: Record<string, string>;
  readonly measures: Record<string, string>;
}

describe('the field mapping', () => {
  let workspace: DealWorkspace;
  let ann: string;

  beforeEach(async () => {
    workspace = await DealWorkspace.create();
    ann = await workspace.addRep('ann@x.com', 'Ann');
  });

  const respond = (body: unknown) => workspace.respond(saveFieldMapping, { body });
  const save = async (body: unknown) => (await respond(body)).body;
  const current = (): Promise<Mapping> => workspace.run(getFieldMapping, {}, workspace.caller('connection'));

  it('is empty initially and then the mapping that was saved last', async () => {
    expect(await current()).to.deep.equal({ standard: {}, measures: {} });
    const { status, body: saved } = await respond({
      standard: { dealAmount: 'acv' },
      measures: { seats: 'seat_count' },
    });
    expect(status).to.equal(201);
    expect(saved).to.deep.include({ standard: { dealAmount: 'acv' }, measures: { seats: 'seat_count' } });
    await save({ standard: { closeDate: 'closed' } });
    expect(await current()).to.deep.equal({ standard: { closeDate: 'closed' }, measures: {} });
  });

  it('reads stored deals with the new mapping and calculates every rep', async () => {
    await workspace.payTenPercent(ann);
    await workspace.put('d1', {
      fields: { acv: '1500.00', closed: '2026-01-31', agent: 'Ann', phase: 'Won', cur: 'usd' },
    });
    await workspace.put('d2', { name: 'Named', fields: { agent: 'Zoe' } });
    expect(await workspace.dealRequests()).to.deep.equal([]);
    const { jobId } = await save({
      standard: { dealAmount: 'acv', closeDate: 'closed', ownerId: 'agent', dealStage: 'phase', currency: 'cur' },
    });
    const { deals } = await workspace.list();
    expect(deals.find((deal) => deal.deal_id === 'd1')).to.include({
      amount: 1500,
      closeDate: '2026-01-31',
      repId: ann,
      stage: 'Won',
      isWon: true,
      currency: 'USD',
    });
    expect(deals.find((deal) => deal.deal_id === 'd2')).to.include({ name: 'Named', ownerId: 'Zoe', repId: null });
    expect(await workspace.dealRequests()).to.deep.equal([
      { rep_id: ann, from: '1900-01-01', to: '2199-12-31', trigger: 'mapping_change', deal_id: null, job_id: jobId },
    ]);
    await workspace.calculateAll();
    expect(await workspace.db.sql('select amount::float from commission_events')).to.deep.equal([{ amount: 150 }]);
    expect(await workspace.db.sql('select kind, status, deals from jobs')).to.deep.equal([
      { kind: 'mapping', status: 'completed', deals: 2 },
    ]);
    expect(await workspace.db.sql('select from deal_versions')).to.have.length(2);
  });

  for (const [change, apply] of [
    ['a new mapping', () => save({ standard: { dealAmount: 'acv' } })],
    ['another time zone', () => workspace.run(updateWorkspace, { body: { timezone: 'Asia/Tokyo' } })],
  ] as const)
    it(`leaves deals with their reps after ${change}, also if other people have the member ids now`, async () => {
      const people = (...reps: object[]) => workspace.run(upsertReps, { body: { reps } });
      const owners = async () => (await workspace.list()).deals.map(({ deal_id: id, repId }) => [id, repId]).sort();
      for (const memberId of ['m1', 'm2']) {
        await people({ email: 'ann@x.com', name: 'Ann', crmMemberId: memberId });
        await workspace.put(`d-${memberId}`, { ownerId: memberId, closeDate: '2026-01-31T20:00:00Z' });
      }
      await workspace.put('d-m9', { ownerId: 'm9' });
      const kept = [
        ['d-m1', ann],
        ['d-m2', ann],
        ['d-m9', null],
      ];
      await people({ email: 'ann@x.com', name: 'Ann', crmMemberId: 'm3' });
      await people({ email: 'zoe@x.com', name: 'Zoe', crmMemberId: 'm1' });
      expect(await owners()).to.deep.equal(kept);
      await apply();
      expect(await owners()).to.deep.equal(kept);
    });

  it('rejects two standard values with one slug, and unknown standard values', async () => {
    for (const body of [
      { standard: { dealAmount: 'x', dealName: 'x' } },
      { standard: { amount: 'x' } },
      { standard: { dealAmount: ' ' } },
      { standard: { dealAmount: 5 } },
      { standard: { dealAmount: 'x'.repeat(501) } },
      {},
      { standard: {}, extra: 1 },
      { standard: {}, measures: { a: 1 } },
      { standard: { dealAmount: 'a\u0000' } },
    ]) {
      const error = await save(body).catch((failure: unknown) => failure);
      expect(error, JSON.stringify(body)).to.be.instanceOf(Failure).with.property('code', 'VALIDATION_FAILED');
    }
    expect(await current()).to.deep.equal({ standard: {}, measures: {} });
  });

  it('completes its job at once in a workspace without reps', async () => {
    const empty = await DealWorkspace.create();
    await empty.respond(saveFieldMapping, { body: { standard: {} } });
    expect(await empty.db.sql('select status from jobs')).to.deep.equal([{ status: 'completed' }]);
  });
});
