import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

const period = '2026-03';

describe('what is new for a person', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let api: ApiClient;
  let ann: string;
  let bob: string;

  /** Ann earns 10 % of what she wins. */
  beforeEach(async () => {
    workspace = await service.workspace({ currency: 'USD' });
    ({ api } = workspace);
    [ann, bob] = await api.saveReps('Ann', 'Bob');
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [flatRule('Ten', 0.1)] } }, [ann, bob]);
    await put('Old', 1000);
    await put('Lost', 3000);
  });

  async function put(dealId: string, amount: number, ownerId = 'ann', stage = 'Won'): Promise<void> {
    await api.putDeal(dealId, { name: dealId, amount, ownerId, stage, closeDate: `${period}-10` });
    await workspace.calculated();
  }

  /** The time of the database, at which no transaction of the test runs. */
  async function instant(): Promise<string> {
    const [row] = await workspace.sql<{ now: Date }>('select clock_timestamp() as now, $1::uuid as workspace');
    return (row as { now: Date }).now.toISOString();
  }

  const updates = async (since: string, client = api, repId = ann) =>
    client.expect(200, 'GET', `/v1/updates?repId=${repId}&since=${encodeURIComponent(since)}`);

  it('has new, changed and lost amounts with their difference and cause, an adjustment, and no one else’s', async () => {
    const since = await instant();
    await put('New', 500);
    await put('Old', 1200);
    await put('Lost', 3000, 'ann', 'Closed Lost');
    await put('Of Bob', 9000, 'bob');
    await put('Brief', 700);
    await put('Brief', 700, 'ann', 'Closed Lost');
    await api.adjust(ann, period, -25, 'Advance');
    const { count, totals, changes, statements, payments } = await updates(since, await workspace.as(ann));
    expect(count).to.equal(4);
    expect(totals).to.deep.equal([{ currency: 'USD', change: 50 + 20 - 300 - 25 }]);
    const byName = changes.map(({ dealName, reason, before, now, change, cause }: Record<string, unknown>) => [
      dealName ?? reason,
      before,
      now,
      change,
      cause,
    ]);
    expect(byName).to.deep.equal([
      ['Advance', 0, -25, -25, 'adjustment_added'],
      ['Lost', 300, 0, -300, 'deal_change'],
      ['Old', 100, 120, 20, 'deal_change'],
      ['New', 0, 50, 50, 'deal_change'],
    ]);
    expect(changes[1]).to.include({ causeText: 'A deal changed' });
    expect({ statements, payments }).to.deep.equal({ statements: [], payments: [] });
    expect((await updates(await instant())).count).to.equal(0);
  });

  it('has statements that were generated or approved, and payments', async () => {
    await api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: `${period}-01` } });
    const since = await instant();
    await api.generate(ann, period);
    expect((await updates(since)).statements[0]).to.include({ period, status: 'draft' });
    const generated = await instant();
    await api.approve(ann, period);
    expect((await updates(generated)).statements[0]).to.include({ period, status: 'approved' });
    expect((await updates(generated)).payments).to.deep.equal([]);
    const approved = await instant();
    const { batchId } = await api.expect(201, 'POST', '/v1/payout-batches', { period });
    await api.expect(200, 'PATCH', `/v1/payout-batches/${batchId}`, { status: 'paid', paidOn: '2026-04-02' });
    expect(await updates(approved)).to.deep.include({
      count: 1,
      statements: [],
      payments: [{ period, currency: 'USD', amount: 400, paidOn: '2026-04-02' }],
    });
  });

  it('is read by the person and by who may see them', async () => {
    const since = await instant();
    const asBob = await workspace.as(bob);
    await expectError('403 forbidden', asBob.get(`/v1/updates?repId=${ann}&since=${since}`));
    await expectError('404 rep_not_found', api.get(`/v1/updates?repId=unknown&since=${since}`));
    await expectError('400 VALIDATION_FAILED', api.get(`/v1/updates?repId=${ann}`));
  });

  it('begins where the last visit ended: on every device, after a pause of half an hour', async () => {
    const visit = async () => (await (await workspace.as(ann)).expect(200, 'PUT', '/v1/visit')).since;
    const rows = () => workspace.sql<{ visited_at: Date }>('select * from visits where workspace_id = $1');
    const entries = () => workspace.sql('select entry_id from audit_entries where workspace_id = $1 order by entry_id');
    expect(await visit()).to.equal(null);
    const before = await entries();
    expect(await visit()).to.equal(null);
    expect(await entries(), 'the audit log').to.deep.equal(before);
    await workspace.sql(`update visits set visited_at = visited_at - interval '31 minutes' where workspace_id = $1`);
    const [earlier] = await rows();
    const since = await visit();
    expect(since).to.equal(earlier?.visited_at.toISOString());
    expect(await visit()).to.equal(since);
    expect(await (await workspace.as(bob)).expect(200, 'PUT', '/v1/visit')).to.deep.equal({ since: null });
    expect(await rows()).to.have.lengthOf(2);
    await expectError('409 no_person', api.put('/v1/visit'));
  });
});
