import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

interface Listed {
  readonly dealId: string;
  readonly acceptance?: { readonly acceptanceId: string; readonly note: string; readonly scope: string };
}

const path = '/v1/commissions/exceptions';

describe('deals that are expected to pay nothing', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let planId: string;

  const list = (accepted: boolean): Promise<{ deals: number; exceptions: { count: number; deals: Listed[] }[] }> =>
    api.expect(200, 'GET', `${path}?period=2026-01&accepted=${accepted}`);
  const listed = async (accepted = false) =>
    (await list(accepted)).exceptions.flatMap(({ deals }) => deals.map(({ dealId }) => dealId)).sort();
  const accept = (terms: object): Promise<{ acceptanceId: string }> =>
    api.expect(201, 'POST', `${path}/accepted`, { note: 'Services pay nothing', ...terms });

  beforeEach(async () => {
    const workspace = await service.workspace();
    ({ api } = workspace);
    const [ann] = await api.saveReps('Ann');
    const conditions = [{ field: 'kind', fieldType: 'text', operator: 'equals', value: 'new' }];
    const rules = [flatRule('New', 0.1, { conditions })];
    ({ planId } = await api.createPlan({ name: 'Plan', config: { rules } }, [ann as string]));
    const deal = (dealId: string, ownerId: string, more: object = {}) =>
      api.put(`/v1/deals/${dealId}`, { amount: 1000, stage: 'Won', closeDate: '2026-01-10', ownerId, ...more });
    for (const dealId of ['services-1', 'services-2']) await deal(dealId, 'ann', { fields: { kind: 'services' } });
    await deal('orphan-1', 'unknown');
    await deal('orphan-2', 'unknown');
    await service.waitForCalculations(workspace.workspaceId);
  });

  it('are no longer listed and counted, by deal, until that is taken back', async () => {
    expect(await listed()).to.deep.equal(['orphan-1', 'orphan-2', 'services-1', 'services-2']);
    const { acceptanceId } = await accept({ reason: 'rule_condition_failed', dealId: 'services-1' });
    await accept({ reason: 'owner_unresolved', dealId: 'orphan-1' });
    expect(await listed()).to.deep.equal(['orphan-2', 'services-2']);
    expect((await list(false)).deals).to.equal(2);
    const accepted = await list(true);
    expect(accepted.deals).to.equal(2);
    expect(await listed(true)).to.deep.equal(['orphan-1', 'services-1']);
    const deals = accepted.exceptions.flatMap((group) => group.deals);
    expect(deals.find(({ dealId }) => dealId === 'services-1')?.acceptance).to.include({
      acceptanceId,
      scope: 'deal',
      note: 'Services pay nothing',
    });
    await api.expect(200, 'DELETE', `${path}/accepted/${acceptanceId}`);
    expect(await listed()).to.deep.equal(['orphan-2', 'services-1', 'services-2']);
    await expectError('404 acceptance_not_found', api.delete(`${path}/accepted/${acceptanceId}`));
  });

  it('stay listed for another reason', async () => {
    await accept({ reason: 'quota_missing', dealId: 'services-1' });
    expect(await listed()).to.include('services-1');
  });

  it('are every deal of a rule, in later versions of the plan too', async () => {
    const first = await accept({ reason: 'rule_condition_failed', planId, ruleName: 'New' });
    expect(await listed()).to.deep.equal(['orphan-1', 'orphan-2']);
    const again = await accept({ reason: 'rule_condition_failed', planId, ruleName: 'New', note: 'Agreed' });
    expect(again).to.deep.equal(first);
    const notes = (await list(true)).exceptions.flatMap(({ deals }) => deals.map(({ acceptance }) => acceptance?.note));
    expect(notes).to.deep.equal(['Agreed', 'Agreed']);
  });

  it('need one subject that exists, and a reason in words', async () => {
    const reason = 'rule_condition_failed';
    const rejected = (terms: object) => api.post(`${path}/accepted`, { reason, note: 'x', ...terms });
    await expectError('400 VALIDATION_FAILED', rejected({}));
    await expectError('400 VALIDATION_FAILED', rejected({ dealId: 'services-1', planId, ruleName: 'New' }));
    await expectError('400 VALIDATION_FAILED', rejected({ planId }));
    await expectError('400 VALIDATION_FAILED', rejected({ dealId: 'services-1', note: ' ' }));
    await expectError('404 deal_not_found', rejected({ dealId: 'none' }));
    const planOfOthers = '00000000-0000-4000-8000-000000000000';
    await expectError('404 plan_not_found', rejected({ planId: planOfOthers, ruleName: 'New' }));
    expect(await listed(true)).to.deep.equal([]);
  });
});
