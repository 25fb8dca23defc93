import { expect } from 'chai';
import { recordReportedDeals } from '#src/deals/record-reported-deals.js';
import { type Fields } from '#src/engine/field-value.js';
import { flatRule } from '#test/support/terms.js';
import { DealWorkspace } from './deal-workspace.js';

/** Every value of a deal that a plan of the workspace reads. */
const deal: Fields = {
  amount: 1000,
  stage: 'Won',
  close_date: '2026-01-15',
  name: 'Acme',
  currency: 'USD',
  owner_id: 'ben',
  Region__c: 'EMEA',
  segment: 'SMB',
  Margin__c: 40,
  discount: 5,
  seats: 3,
};
const is = (field: string, value: string) => ({ field, fieldType: 'text', operator: 'equals', value });

describe('a change of a deal that no plan reads', () => {
  let workspace: DealWorkspace;

  before(async () => {
    workspace = await DealWorkspace.create({ fieldMapping: { standard: {}, measures: { region: 'Region__c' } } });
    const ben = await workspace.addRep('ben@x.io', 'ben');
    await workspace.addRep('kim@x.io', 'kim');
    await workspace.payTenPercent(ben);
    const either = { operator: 'or', rules: [is('segment', 'SMB'), is('region', 'EMEA')] };
    const more = { payoutBase: 'margin', tierBy: 'value', tierValueField: 'discount', conditions: [either] };
    const seats = { name: 'Seats', quotaCredit: [{ field: 'seats', weight: 1 }] };
    await workspace.addPlan('Margin', [flatRule('Margin', 0.08, more)], {
      fieldMapping: { margin: 'Margin__c' },
    });
    await workspace.addPlan('Seats', [flatRule('Seats', 0.08, seats)]);
    await report(deal, 0);
  });

  let second = 0;
  const at = (seconds: number) => new Date(Date.UTC(2026, 1, 1, 0, 0, seconds));

  /** A report of the CRM with a later modification time than the ones before, or with the given time. */
  async function report(fields: Fields, given?: number) {
    if (given === undefined) second += 1;
    const modified = given ?? second;
    const { workspaceId, db } = workspace;
    const { outcomes, affected } = await db.unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, (tx) =>
      recordReportedDeals(tx, {
        provider: 'crmb',
        deals: [{ id: 'D1', fields, modifiedAt: at(modified), deleted: false }],
        fetchedAt: null,
        keepStale: true,
      }),
    );
    return { outcome: outcomes.get('D1'), reps: affected.get('D1')?.size ?? 0 };
  }

  const stored = async () =>
    (
      await workspace.db.sql<{ fields: Fields; at: Date }>(
        "select fields, source_updated_at as at from deals where deal_id = 'D1'",
      )
    )[0];

  it('of a CRM is stored with its modification time and affects no rep', async () => {
    const edited = { ...deal, hs_lastmodifieddate: '2026-02-01T00:00:05Z', notes: 'called' };
    expect(await report(edited)).to.deep.equal({ outcome: 'changed', reps: 0 });
    expect(await stored()).to.deep.equal({ fields: edited, at: at(second) });
    expect(await report({ ...deal, amount: 5 }, second - 1)).to.deep.equal({ outcome: 'stale', reps: 0 });
    expect(await report(deal)).to.deep.equal({ outcome: 'changed', reps: 0 });
    expect((await stored())?.at).to.deep.equal(at(second));
  });

  const read: Readonly<Record<string, Fields>> = {
    'the amount': { amount: 2000 },
    'the stage': { stage: 'Lost' },
    'the close date': { close_date: '2026-02-15' },
    'the name': { name: 'Acme Ltd' },
    'the currency': { currency: 'EUR' },
    'a measure of the workspace': { Region__c: 'APAC' },
    'a field of a condition in a group': { segment: 'Enterprise' },
    'a field of the mapping of a plan': { Margin__c: 41 },
    'the currency of a field': { Margin__c_currency: 'EUR' },
    'the field of tiers by value': { discount: 6 },
    'a field of the credit': { seats: 4 },
  };
  for (const [what, change] of Object.entries(read))
    it(`is not a change of ${what}, which affects the rep in both directions`, async () => {
      expect(await report({ ...deal, ...change })).to.deep.equal({ outcome: 'changed', reps: 1 });
      expect(await report(deal)).to.deep.equal({ outcome: 'changed', reps: 1 });
    });

  it('is not a change of the owner, which affects both reps', async () => {
    expect((await report({ ...deal, owner_id: 'kim' })).reps).to.equal(2);
    expect((await report(deal)).reps).to.equal(2);
  });

  it('is not the removal of a field that a plan reads', async () => {
    const { segment: _, ...rest } = deal;
    expect((await report(rest)).reps).to.equal(1);
    expect((await report(deal)).reps).to.equal(1);
  });

  it('is a read change as soon as a plan names the field', async () => {
    expect((await report({ ...deal, industry: 'Steel' })).reps).to.equal(0);
    const { planId } = await workspace.addPlan('Industry', [
      flatRule('Steel', 0.08, { conditions: [is('industry', 'Steel')] }),
    ]);
    expect(planId).to.be.a('string');
    expect((await report(deal)).reps).to.equal(1);
  });

  it('by a request or a file requests no calculation', async () => {
    const body = { amount: 500, closeDate: '2026-01-20', ownerId: 'ben', fields: { memo: 'a' } };
    await workspace.put('D2', body);
    const requested = async (change: () => Promise<unknown>) => {
      await workspace.db.sql('delete from calculation_requests');
      await change();
      return (await workspace.dealRequests()).length;
    };
    expect(await requested(() => workspace.put('D2', { ...body, fields: { memo: 'b' } }))).to.equal(0);
    expect(await requested(() => workspace.importFile({ text: 'id,memo\nD2,c\n' }))).to.equal(0);
    expect(await requested(() => workspace.importFile({ text: 'id,memo,segment\nD2,d,SMB\n' }))).to.equal(1);
    expect(
      await requested(() => workspace.put('D2', { ...body, amount: 501, fields: { memo: 'd', segment: 'SMB' } })),
    ).to.equal(1);
    const [row] = await workspace.db.sql<{ fields: Fields }>("select fields from deals where deal_id = 'D2'");
    expect(row?.fields).to.include({ memo: 'd' });
  });

  it('is a read change if the deal was deleted', async () => {
    await workspace.remove('D2');
    await workspace.db.sql('delete from calculation_requests');
    await workspace.put('D2', { amount: 500, closeDate: '2026-01-20', ownerId: 'ben' });
    expect(await workspace.dealRequests()).to.have.length(1);
  });
});
