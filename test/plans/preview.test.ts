import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { openTransaction, untilBlocked } from '#test/support/open-transaction.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

const won = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' };
const configOf = (rate: number, name = 'Commission') => ({
  dealConditions: [won],
  rules: [{ name, measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate }] }],
});

/** Ann has deals of 1,000 in January, which is approved, and of 2,000 and 500 in February; Ben of 4,000 in February. */
describe('the preview of a plan change', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let ann: string;
  let ben: string;
  let planId: string;
  let path: string;

  before(async () => {
    ({ workspaceId, api } = await service.workspace());
    [ann, ben] = await api.saveReps('Ann', 'Ben');
    const deals = [
      ['a1', 'ann', 1000, '2026-01-15'],
      ['a2', 'ann', 2000, '2026-02-10'],
      ['a3', 'ann', 500, '2026-02-11'],
      ['b1', 'ben', 4000, '2026-02-20'],
    ].map(([dealId, ownerId, amount, closeDate]) => ({
      dealId,
      ownerId,
      amount,
      closeDate,
      name: `Deal ${dealId}`,
      stage: 'Won',
    }));
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    const plan = await api.createPlan({ name: 'Sales', config: configOf(0.1) });
    ({ planId } = plan);
    path = `/v1/plans/${planId}/preview`;
    await api.assign([ann, ben], planId);
    const own = { rules: [{ ruleId: plan.rules[0].id, tiers: [{ tierIndex: 0, rate: 0.5 }] }] };
    await api.expect(200, 'PUT', `/v1/plans/${plan.planVersionId}/overrides/${ben}`, own);
    await service.waitForCalculations(workspaceId);
    const january = { period: '2026-01' };
    const { version } = await api.expect(200, 'POST', `/v1/statements/${ann}/generate`, january);
    await api.expect(200, 'POST', '/v1/statements/approve', { ...january, statements: [{ repId: ann, version }] });
  });

  it('shows the movement by rep and deal, largest change first, and what the approved month would owe', async () => {
    const preview = await api.expect(200, 'POST', path, { config: configOf(0.2), period: '2026-Q1' });
    expect(preview).to.include({ status: 'completed', currency: 'USD', before: 2250, after: 2500, delta: 250 });
    expect(preview.byRep).to.deep.equal([
      { repId: ann, name: 'Ann', currency: 'USD', before: 250, after: 500, delta: 250 },
      { repId: ben, name: 'Ben', currency: 'USD', before: 2000, after: 2000, delta: 0 },
    ]);
    const common = { repId: ann, ruleName: 'Commission', currency: 'USD' };
    expect(preview.byDeal).to.deep.equal([
      { dealId: 'a2', name: 'Deal a2', ...common, before: 200, after: 400, delta: 200 },
      { dealId: 'a3', name: 'Deal a3', ...common, before: 50, after: 100, delta: 50 },
    ]);
    expect(preview.locked).to.deep.equal([{ repId: ann, name: 'Ann', period: '2026-01', currency: 'USD', delta: 100 }]);
    expect(preview.overridesDropped).to.deep.equal([]);
    expect(preview.timeline).to.have.length(1);
    expect(preview.timeline[0]).to.include({ version: 2, from: null, to: null });
    expect(preview.warnings.map(({ code }: { code: string }) => code)).to.include('restates_open_periods');
  });

  it('pages the deals of a stored preview, which is the same job', async () => {
    const { jobId, byDeal, count } = await api.expect(200, 'POST', path, {
      config: configOf(0.2),
      period: '2026-Q1',
      limit: 1,
    });
    expect([byDeal.length, count]).to.deep.equal([1, 2]);
    const next = await api.expect(200, 'GET', `${path}/jobs/${jobId}?limit=1&offset=1`);
    expect(next).to.include({ jobId, count: 2, limit: 1, offset: 1, delta: 250 });
    expect(next.byDeal.map(({ dealId }: { dealId: string }) => dealId)).to.deep.equal(['a3']);
    await expectError('404 job_not_found', api.get(`${path}/jobs/${planId}`));
  });

  it('names the reason of what is no longer paid, and the overrides that the change drops', async () => {
    const renamed = await api.expect(200, 'POST', path, { config: configOf(0.1, 'Other'), period: '2026-02' });
    expect(renamed.overridesDropped).to.have.length(1);
    expect(renamed.overridesDropped[0]).to.include({ repName: 'Ben', reason: 'rule_removed' });
    const lost = renamed.byDeal.find(
      ({ dealId, ruleName }: Record<string, string>) => dealId === 'b1' && ruleName === 'Commission',
    );
    expect(lost).to.include({ before: 2000, after: 0, delta: -2000, reason: 'rule_removed' });
    const never = { ...configOf(0.1), dealConditions: [{ ...won, value: 'Signed' }] };
    const unpaid = await api.expect(200, 'POST', path, { config: never, period: '2026-02', repIds: [ben] });
    expect(unpaid).to.include({ before: 2000, after: 0, delta: -2000 });
    expect(unpaid.byDeal).to.have.length(1);
    expect(unpaid.byDeal[0].reason).to.equal('deal_condition_failed');
  });

  it('applies the change from its start on, and stops nothing that a stopped plan has paid', async () => {
    const later = await api.expect(200, 'POST', path, {
      config: configOf(0.2),
      effectiveStart: '2026-02-11',
      period: '2026-Q1',
    });
    expect(later).to.include({ before: 2250, after: 2300, delta: 50 });
    expect(later.locked).to.deep.equal([]);
    const archived = await api.expect(200, 'POST', path, { status: 'archived', from: '2026-02-01', to: '2026-02-28' });
    expect(archived).to.include({ before: 2250, after: 2250, delta: 0 });
    expect(archived.timeline).to.deep.equal([]);
  });

  it('shows both currencies if the change is one of currency', async () => {
    const preview = await api.expect(200, 'POST', path, { currency: 'EUR', period: '2026-Q1' });
    expect(preview).to.include({ currency: 'EUR', before: 0, after: 2250, delta: 2250 });
    expect(preview.otherCurrencies).to.deep.equal([{ currency: 'USD', before: 2250, after: 0, delta: -2250 }]);
  });

  it('rejects what the change would reject, and periods that are missing or given twice', async () => {
    const codeOf = async (body: object, ref = planId) => {
      const answer = await api.post(`/v1/plans/${ref}/preview`, body);
      return `${answer.status} ${answer.body.code}`;
    };
    expect(await codeOf({ period: '2026-Q1' })).to.equal('400 VALIDATION_FAILED');
    expect(await codeOf({ config: configOf(0.2) })).to.equal('400 VALIDATION_FAILED');
    expect(await codeOf({ config: configOf(0.2), period: '2026', from: '2026-01-01' })).to.equal(
      '400 VALIDATION_FAILED',
    );
    expect(await codeOf({ config: { rules: [] }, period: '2026' })).to.equal('400 VALIDATION_FAILED');
    expect(await codeOf({ config: configOf(0.2), period: '2026', repIds: [planId] })).to.equal('404 rep_not_found');
    expect(await codeOf({ config: configOf(0.2), period: '2026' }, ann)).to.equal('404 plan_not_found');
  });

  it('returns 404 plan_not_found for a plan that is deleted at the same time', async () => {
    const { planId: deleted } = await api.createPlan({ name: 'Deleted', config: configOf(0.1) });
    const { ownerUrl } = service.database;
    const deletion = await openTransaction(ownerUrl, 'delete from plans where plan_id = $1', deleted);
    const previewed = api.post(`/v1/plans/${deleted}/preview`, { config: configOf(0.2), period: '2026' });
    await untilBlocked(ownerUrl);
    await deletion.commit();
    await expectError('404 plan_not_found', previewed);
  });

  /** A preview whose workers died after this number of attempts, and what became of it. */
  async function afterDeaths(attempts: number) {
    const { jobId } = await api.expect(200, 'POST', path, { config: configOf(0.3), period: '2026-02' });
    await service.sql(
      `with removed as (delete from job_items where job_id = $1)
       update stored_jobs set status = 'running', result = null, finished_at = null, attempts = $2 where job_id = $1`,
      jobId,
      attempts,
    );
    return until(async () => {
      const preview = await api.expect(200, 'GET', `${path}/jobs/${jobId}`);
      return preview.status !== 'running' && preview;
    });
  }

  it('is a job that another worker takes over from one that died', async () => {
    expect(await afterDeaths(2)).to.include({ status: 'completed', delta: 500 });
  });

  it('fails after the third worker that died', async () => {
    const failed = await afterDeaths(3);
    expect(failed).to.include({ status: 'failed', error: 'The preview could not be calculated.' });
    expect(failed).not.to.have.property('delta');
  });
});
