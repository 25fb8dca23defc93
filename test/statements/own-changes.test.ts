import { expect } from 'chai';
import { operations } from '#src/operations.js';
import { type AnyOperation, isPublic } from '#src/platform/operations/operation.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatTier } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

/**
 * Every operation that changes something, by what it does for the pay of the person behind the caller. `rejected`: the
 * person cannot decide it. `listed`: the approver of the statement sees it. `free`: it moves no pay of its own.
 */
const rules: Readonly<Record<'rejected' | 'listed' | 'free', string>> = {
  rejected: `
    setDealCredits deleteDealCredits importDealCredits setDealLines deleteDealLines importDealLines
    setRateTable importRateTableRows deleteRefund waiveRefund addAdjustment updateAdjustment
    deleteAdjustment approveStatement approveStatements reassignStep approveAdjustment rejectAdjustment trueUpStatement checkStatement resolveDiscrepancy updateDispute
    createHold updateHold createDraw updateDraw deleteDraw forgiveDraw importDraws addPayrollId setPersonValues`,
  listed: `
    saveFieldMapping setCrmSettings importDeals putDeal deleteDeal deleteDeals matchDealOwners takeBackImport endDealCorrections
    deleteRateTable createCreditRule updateCreditRule deleteCreditRule putInvoice deleteInvoice importInvoices putRefund importRefunds
    deletePlan updatePlan setPlanStatus setPlanOverride deletePlanOverride createAssignments importAssignments
    updateAssignment deleteAssignment createAbsence importAbsences updateAbsence deleteAbsence setFiscalYears setFxRates
    deleteFxRates importFxRates createRamp updateRamp deleteRamp setScores setQuotas importQuotas deleteQuota upsertReps
    importReps updateRep changeReps updateWorkspace`,
  free: `
    connectCrma connectCrmb connectCrmc disconnectCrma disconnectCrmb disconnectCrmc setCrmcSync rotateCrmcSecret
    updateIntegration checkWriteBack confirmSession logOut autoMatchFields acceptException deleteAcceptedException recalculateCommissions importHolidays
    putContract deleteContract importContracts putImpairment deleteImpairment importOpeningLots
    syncCommissions simulateCommissions cleanupCommissions resetCommissions createScheduledImport updateScheduledImport
    deleteScheduledImport testScheduledImport runScheduledImport confirmScheduledImport dismissCorrectionConflicts createPlan
    previewPlanChange runPlanTests lookUpRate previewRateTable previewPlanOverride previewAssignments previewQuotas generateStatements generateStatement
    addComment deleteComment acceptPlan declinePlan setPlanAcceptance remindAcceptances consentStatement putDelegation deleteDelegation openDispute recordPayrollHandover createPayoutBatch updatePayoutBatch syncReps bulkInviteReps
    inviteRep setAssignmentFilters setPersonFields setSavedViews previewWorkspace rotateWorkspaceKey createConnectionToken
    deleteConnectionToken createIntegrationKey revokeIntegrationKey setMailServer deleteMailServer sendTestMail
    saveIdentityProvider deleteIdentityProvider setMailPreferences recordVisit createWebhookEndpoint updateWebhookEndpoint
    deleteWebhookEndpoint rotateWebhookSecret replayWebhookDelivery testWebhookEndpoint decideAgentRequest disconnectAgent
    previewChangeRequest decideChangeRequest putEntity
    setRepEntities importRepEntities putEstimates importEstimates prepareAccountingMonth cancelAccountingPreparation
    closeAccountingMonth reopenAccountingMonth recordPostedJournals createEvidence exportPerson proposePolicy approvePolicy withdrawPolicy
    proposeWriteOff importWriteOffs approveWriteOff withdrawWriteOff`,
};
const namesOf = (list: string) => list.split(/\s+/).filter((name) => name !== '');

const period = '2026-01';
const deal = { amount: 1000, closeDate: '2026-01-15' };
const refund = { day: '2026-01-20', cause: 'refund', amount: 400 };

interface Desk {
  /** The session of the admin Amy, who sells. */
  readonly amy: ApiClient;
  readonly repId: string;
  readonly planVersionId: string;
  readonly ruleId: string;
  readonly planId: string;
}

/** Calls of Amy that move her own pay, one after the other, with what becomes of each. */
const calls: readonly (readonly [
  operation: string,
  rule: 'rejected' | 'listed',
  send: (desk: Desk) => Promise<ApiResponse>,
])[] = [
  ['putDeal', 'listed', ({ amy, repId }) => amy.put('/v1/deals/own', { ...deal, amount: 2000, repId })],
  ['putRefund', 'listed', ({ amy }) => amy.put('/v1/deals/sold/refunds/new', { ...refund, amount: 1 })],
  ['putRefund', 'rejected', ({ amy }) => amy.put('/v1/deals/sold/refunds/R', { ...refund, amount: 1 })],
  ['putRefund', 'rejected', ({ amy }) => amy.put('/v1/deals/sold/refunds/R', { ...refund, day: '2026-06-20' })],
  ['deleteRefund', 'rejected', ({ amy }) => amy.delete('/v1/deals/sold/refunds/R')],
  ['waiveRefund', 'rejected', ({ amy }) => amy.post('/v1/deals/sold/refunds/R/waive', { percent: 50, reason: 'Kind' })],
  [
    'importRefunds',
    'rejected',
    ({ amy }) => upload(amy, '/v1/refunds/import', 'dealId,refundId,day,cause,amount\nsold,R,2026-01-20,refund,1\n'),
  ],
  [
    'importRefunds',
    'listed',
    ({ amy }) => upload(amy, '/v1/refunds/import', 'dealId,refundId,day,cause,amount\nsold,N,2026-01-20,refund,1\n'),
  ],
  ['setDealLines', 'rejected', ({ amy }) => amy.put('/v1/deals/sold/lines', { lines: [{ lineId: '1', amount: 1 }] })],
  [
    'importDealLines',
    'rejected',
    ({ amy }) => upload(amy, '/v1/deals/lines/import', 'dealId,lineId,amount\nsold,1,1\n'),
  ],
  [
    'setRateTable',
    'rejected',
    ({ amy }) => amy.put('/v1/rate-tables/Amy', { keys: [], columns: [{ name: 'base' }], rows: [row(0.2)] }),
  ],
  [
    'setPersonValues',
    'rejected',
    ({ amy, repId }) => amy.put(`/v1/reps/${repId}/fields/title`, { values: [{ value: 'Senior' }] }),
  ],
  ['importRateTableRows', 'rejected', ({ amy }) => upload(amy, '/v1/rate-tables/Amy/import', 'base\n0.2\n')],
  [
    'setDealCredits',
    'rejected',
    ({ amy, repId }) => amy.put('/v1/deals/other/credits', { credits: [{ repId, percent: 100 }] }),
  ],
  [
    'createCreditRule',
    'listed',
    ({ amy }) =>
      amy.post('/v1/credit-rules', {
        name: 'SE',
        kind: 'overlay',
        role: 'SE',
        personField: 'sales_engineer',
        percent: 100,
        effectiveStart: '2026-01-01',
      }),
  ],
  ['deleteDeal', 'listed', ({ amy }) => amy.delete('/v1/deals/own')],
  [
    'importDeals',
    'listed',
    ({ amy, repId }) => amy.post('/v1/deals/import', { deals: [{ ...deal, dealId: 'in', repId }] }),
  ],
  ['deleteDeals', 'listed', ({ amy }) => amy.post('/v1/deals/delete', { dealIds: ['in'] })],
  [
    'setPlanOverride',
    'listed',
    ({ amy, planVersionId, ruleId, repId }) =>
      amy.put(`/v1/plans/${planVersionId}/overrides/${repId}`, {
        rules: [{ ruleId, tiers: [{ tierIndex: 0, rate: 0.5 }] }],
      }),
  ],
  [
    'deletePlanOverride',
    'listed',
    ({ amy, planVersionId, repId }) => amy.delete(`/v1/plans/${planVersionId}/overrides/${repId}`),
  ],
  [
    'setQuotas',
    'listed',
    ({ amy, repId }) => amy.post('/v1/quotas', { repIds: [repId], measure: 'New business', period, target: 5000 }),
  ],
  [
    'createAbsence',
    'listed',
    ({ amy, repId }) => amy.post('/v1/absences', { repId, from: '2026-01-05', to: '2026-01-09' }),
  ],
  ['updateRep', 'rejected', ({ amy, repId }) => amy.patch(`/v1/reps/${repId}`, { recovery: { maxPercent: 0 } })],
  ['updateWorkspace', 'listed', ({ amy }) => amy.patch('/v1/workspaces', { recovery: { maxPercent: 0 } })],
  [
    'createHold',
    'rejected',
    ({ amy, repId }) => amy.post('/v1/payables/holds', { repId, from: '2026-01-01', to: null, reason: 'Mine' }),
  ],
  [
    'createDraw',
    'rejected',
    ({ amy, repId }) =>
      amy.post('/v1/draws', { repId, kind: 'guarantee', recoverable: false, amount: 1000, from: '2026-01-01' }),
  ],
  [
    'putInvoice',
    'listed',
    ({ amy }) =>
      amy.put('/v1/deals/sold/invoices/I', {
        amount: 1000,
        issuedOn: '2026-01-20',
        payments: [{ paymentId: 'P', amount: 1000, paidOn: '2026-01-21' }],
      }),
  ],
];

const row = (base: number) => ({ values: { base } });
const upload = (client: ApiClient, path: string, text: string) =>
  client.send('POST', path, text, { 'content-type': 'text/csv' });

describe('changes that pay the person who makes them', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let desk: Desk;

  before(async () => {
    workspace = await service.workspace();
    const { api } = workspace;
    const [repId = '', other = ''] = await api.saveReps({ name: 'Amy', role: 'admin' }, { name: 'Ben' });
    const table = { keys: [], columns: [{ name: 'base' }], rows: [row(0.1)] };
    await api.expect(200, 'PUT', '/v1/rate-tables/Amy', table);
    const rules = [
      { name: 'New business', measure: 'amount', attainmentPeriod: 'monthly', tiers: flatTier(0.1) },
      { name: 'Gold', measure: 'gold', tiers: [{ tierIndex: 0, minThreshold: 0, table: 'Amy' }] },
    ];
    const plan = await api.createPlan({ name: 'AE', config: { rules } }, [repId, other]);
    await api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: '2026-01-01' } });
    await api.expect(201, 'PUT', '/v1/deals/sold', { ...deal, repId });
    await api.expect(201, 'PUT', '/v1/deals/other', { ...deal, repId: other, fields: { sales_engineer: 'amy@x.io' } });
    await workspace.calculated();
    await api.expect(200, 'PUT', '/v1/deals/sold/refunds/R', refund);
    await workspace.calculated();
    const { planId, planVersionId } = plan;
    desk = { amy: await workspace.as(repId), repId, planId, planVersionId, ruleId: plan.rules[0].id };
  });

  const listed = async (client: ApiClient, of = period): Promise<{ operation: string; dealIds: string[] }[]> =>
    (await client.expect(200, 'GET', `/v1/statements?repId=${desk.repId}&period=${of}`)).ownChanges ?? [];

  it('are decided for every operation that changes something', () => {
    const declared: readonly AnyOperation[] = operations;
    const writing = declared.filter((operation) => operation.method !== 'get' && !isPublic(operation));
    const decided = Object.values(rules).flatMap(namesOf);
    expect(writing.map(({ id }) => id)).to.have.members(decided);
    for (const [operation, rule] of calls)
      if (!namesOf(rules.rejected).includes(operation) && rule === 'listed')
        expect(namesOf(rules.listed), operation).to.include(operation);
  });

  it('lists none of a key that belongs to no person', async () =>
    expect(await listed(workspace.api)).to.deep.equal([]));

  for (const [operation, rule, send] of calls)
    it(`${operation} is ${rule}`, async () => {
      const before = await listed(workspace.api);
      const { status, body } = await send(desk);
      await workspace.calculated();
      const after = await listed(workspace.api);
      if (rule === 'rejected') {
        expect([status, body.code], body.message).to.deep.equal([403, 'forbidden']);
        expect(after).to.deep.equal(before);
        return;
      }
      expect(status, body?.message).to.be.lessThan(300);
      expect(after[0]).to.deep.include({ operation, actor: `rep:${desk.repId}` });
    });

  it('are shown to approvers in the list of the team, with the person who made them', async () => {
    const { statements } = await workspace.api.expect(200, 'GET', `/v1/statements?period=${period}`);
    const [own] = statements.filter(({ repId }: { repId: string }) => repId === desk.repId);
    expect(own.ownChanges.map(({ operation }: { operation: string }) => operation)).to.include('putDeal');
    const [ben] = await workspace.api.saveReps({ name: 'Ben' });
    const { statements: others } = await workspace.api.expect(200, 'GET', `/v1/statements?period=${period}`);
    expect(others.find(({ repId }: { repId: string }) => repId === ben).ownChanges).to.deep.equal([]);
  });

  it('are shown until the approver of an earlier period with these days has seen them', async () => {
    const { api } = workspace;
    const isListed = async (of: string) =>
      (await listed(api, of)).some(({ operation }) => operation === 'updateWorkspace');
    expect([await isListed(period), await isListed('2026-02')]).to.deep.equal([true, true]);
    await api.generate(desk.repId, period);
    await api.approve(desk.repId, period);
    expect([await isListed(period), await isListed('2026-02')]).to.deep.equal([true, false]);
    await desk.amy.expect(200, 'PATCH', '/v1/workspaces', { recovery: { maxPercent: 10 } });
    expect(await isListed('2026-02')).to.equal(true);
  });
});
