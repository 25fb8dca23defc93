import { expect } from 'chai';
import { operations as declared } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { insertDiscrepancy } from './insert-discrepancy.js';

const operations: readonly AnyOperation[] = declared;

/**
 * For every operation that a manager may call: a request for a rep outside of the team, which is rejected, or null
 * for operations without a rep, whose responses must not contain the other reps.
 */
const requests: Readonly<Record<string, readonly [method: string, path: string, body?: unknown] | null>> = {
  listReps: null,
  listRepChoices: null,
  getRep: ['GET', '/v1/reps/<eve>'],
  getDealCredits: ['GET', '/v1/deals/deal-of-eve/credits'],
  getDealLines: ['GET', '/v1/deals/deal-of-eve/lines'],
  getDeal: ['GET', '/v1/deals/deal-of-eve'],
  listDealHistory: ['GET', '/v1/deals/deal-of-eve/history'],
  listDeals: ['GET', '/v1/deals?repId=<eve>'],
  getCommissions: ['GET', '/v1/commissions?repId=<eve>'],
  getCommissionsDashboard: ['GET', '/v1/commissions/dashboard?repId=<eve>'],
  listCommissionPeriods: ['GET', '/v1/commissions/periods?repId=<eve>'],
  listCommissionExceptions: null,
  listCommissionEvents: ['GET', '/v1/commission-events?repId=<eve>'],
  listDealChanges: null,
  explainCommission: ['GET', '/v1/commissions/events/<event>'],
  getForecast: ['GET', '/v1/forecast?repId=<eve>'],
  getPayCalendar: ['GET', '/v1/pay-calendar?repId=<eve>'],
  getUpdates: ['GET', '/v1/updates?repId=<eve>&since=2026-01-01T00:00:00Z'],
  simulateCommissions: [
    'POST',
    '/v1/commissions/simulate',
    { planId: '<plan>', period: '2026-Q1', repIds: ['<ben>', '<eve>'] },
  ],
  listAssignments: ['GET', '/v1/assignments?repId=<eve>'],
  listQuotas: ['GET', '/v1/quotas?repId=<eve>'],
  getStatements: ['GET', '/v1/statements?repId=<eve>&period=2026-01'],
  getStatementStatus: ['GET', '/v1/statements/<eve>/status?period=2026-01'],
  listRepStatements: ['GET', '/v1/statements/<eve>/list'],
  exportStatement: ['GET', '/v1/statements/<eve>/export?period=2026-01'],
  generateStatements: ['POST', '/v1/statements/generate', { period: '2026-01', repIds: ['<ben>', '<eve>'] }],
  generateStatement: ['POST', '/v1/statements/<eve>/generate', { period: '2026-01' }],
  approveStatements: [
    'POST',
    '/v1/statements/approve',
    { period: '2026-01', statements: [{ repId: '<eve>', version: 1 }] },
  ],
  listApprovalJobs: null,
  getApprovalJob: ['GET', '/v1/statements/approve/jobs/<approval>'],
  listGenerationJobs: null,
  getGenerationJob: ['GET', '/v1/statements/generate/jobs/<generation>'],
  approveStatement: ['POST', '/v1/statements/<eve>/approve', { period: '2026-01', status: 'approved' }],
  consentStatement: ['POST', '/v1/statements/<eve>/consent', { period: '2026-01', version: 1 }],
  listApprovals: null,
  listDelegations: null,
  getPlanDocument: ['GET', '/v1/plans/<version>/document?repId=<eve>'],
  exportPlanDocument: ['GET', '/v1/plans/<version>/document.pdf?repId=<eve>'],
  acceptPlan: null,
  declinePlan: null,
  listAcceptances: ['GET', '/v1/acceptances?repId=<eve>'],
  exportAcceptances: null,
  listAdjustmentProposals: ['GET', '/v1/adjustments?repId=<eve>'],
  approveAdjustment: null,
  rejectAdjustment: null,
  putDelegation: [
    'PUT',
    '/v1/delegations/<eve>',
    { fromRepId: '<eve>', delegateId: '<ben>', from: '2026-01-01', to: '2026-01-02', scopes: ['approvals'] },
  ],
  deleteDelegation: null,
  trueUpStatement: ['POST', '/v1/statements/<eve>/true-up', { period: '2026-01' }],
  listComments: ['GET', '/v1/statements/<eve>/comments?period=2026-01'],
  addComment: ['POST', '/v1/statements/<eve>/comments', { period: '2026-01', body: 'x' }],
  deleteComment: ['DELETE', '/v1/statements/<eve>/comments/<comment>'],
  getExportJob: ['GET', '/v1/statements/export/jobs/<export>'],
  getExportFile: ['GET', '/v1/statements/export/jobs/<export>/file'],
  listExportJobs: null,
  getPayrollSums: null,
  exportStatementsCsv: null,
  exportStatementsPdf: null,
  exportStatementsXlsx: null,
  exportStatementsZip: null,
  exportPerson: ['POST', '/v1/me/export', { repId: '<eve>' }],
  lookUpRate: ['POST', '/v1/rate-tables/Products/lookup', { dealId: 'deal-of-eve', repId: '<eve>' }],
  getRateCoverage: null,
  listPlans: ['GET', '/v1/plans?repId=<eve>'],
  getPlan: ['GET', '/v1/plans/<plan>'],
  getPlanHistory: ['GET', '/v1/plans/<plan>/history'],
  listPlanOverrides: ['GET', '/v1/plans/<version>/overrides'],
  getWorkspace: null,
  checkStatement: ['POST', '/v1/statements/<eve>/checks', { period: '2026-01', version: 1 }],
  listDisputes: ['GET', '/v1/disputes?repId=<eve>'],
  openDispute: ['POST', '/v1/disputes', { repId: '<eve>', period: '2026-01', type: 'other', description: 'x' }],
  getDispute: ['GET', '/v1/disputes/<dispute>'],
  updateDispute: ['PATCH', '/v1/disputes/<dispute>', { status: 'in_review' }],
  listDiscrepancies: ['GET', '/v1/discrepancies?repId=<eve>'],
  listDiscrepancyLines: ['GET', '/v1/discrepancies/<discrepancy>/lines'],
  resolveDiscrepancy: ['POST', '/v1/discrepancies/<discrepancy>/resolve', { action: 'dismiss', reason: 'x' }],
  listPayables: ['GET', '/v1/payables?repId=<eve>'],
  listDraws: ['GET', '/v1/draws?repId=<eve>'],
  listBalances: ['GET', '/v1/balances?repId=<eve>'],
  recordPayrollHandover: null,
  listPayrollHandovers: null,
  listHandoverJobs: null,
  getHandoverJob: ['GET', '/v1/payroll-handovers/jobs/<handover>'],
};

/** Operations without data of people other than the caller. */
const impersonal: ReadonlySet<string> = new Set([
  'getAuthStatus',
  'getProfile',
  'logOut',
  'whoAmI',
  'listFiscalYears',
  'listHolidays',
  'getRevision',
  'listIntegrations',
  'listFields',
  'listFieldAttributes',
  'listFieldOptions',
  'getFieldMapping',
  'autoMatchFields',
  'listPlanTemplates',
  'listRateTables',
  'getRateTable',
  'listRateTableRevisions',
  'getPlanTemplate',
  'runPlanTests',
  'recordVisit',
  'getMailPreferences',
  'setMailPreferences',
  'listSavedViews',
  'setSavedViews',
  'listPersonFields',
  'listAgents',
  'getAgentRequest',
  'decideAgentRequest',
  'disconnectAgent',
  'confirmSession',
  'listChangeRequests',
  'previewChangeRequest',
  'decideChangeRequest',
]);

/** These do not say that there is such a thing. */
const hidden: Readonly<Record<string, string>> = {
  getExportJob: 'job_not_found',
  getExportFile: 'job_not_found',
  getApprovalJob: 'job_not_found',
  getGenerationJob: 'job_not_found',
  getHandoverJob: 'job_not_found',
  getDealCredits: 'deal_not_found',
  getDealLines: 'deal_not_found',
  getDeal: 'deal_not_found',
  listDealHistory: 'deal_not_found',
};

/** Their path has a plan id, so they return the plan without the others instead of an error. */
const narrowed: ReadonlySet<string> = new Set(['getPlan', 'getPlanHistory', 'listPlanOverrides']);

describe('managers who read only the people below them', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  let admin: ApiClient;
  let manager: ApiClient;
  const ids = new Map<string, string>();

  before(async () => {
    ({ workspaceId, api: admin } = await service.workspace());
    const [mia, lea, ben, eve] = await admin.saveReps(
      { name: 'Mia', role: 'manager' },
      { name: 'Lea', role: 'manager', managerEmail: 'mia@x.io' },
      { name: 'Ben', managerEmail: 'lea@x.io' },
      'Eve',
    );
    for (const [name, id] of Object.entries({ mia, lea, ben, eve })) ids.set(name, id);
    const tier = { tierIndex: 0, minThreshold: 0, rate: 0.1 };
    const tiers = [tier, { ...tier, rate: 0.2, repId: ids.get('eve') }];
    const config = { rules: [{ name: 'New', measure: 'amount', tiers }] };
    const plan = await admin.createPlan({ name: 'AE', config });
    ids.set('plan', plan.planId).set('version', plan.planVersionId);
    await admin.expect(200, 'PUT', '/v1/rate-tables/Products', {
      keys: [{ name: 'name', field: 'name', match: 'exact' }],
      columns: [{ name: 'base' }],
      rows: [{ keys: { name: 'Other' }, values: { base: 0.1 } }],
    });
    const repIds = ['ben', 'eve'].map((name) => ids.get(name));
    await admin.assign(repIds, plan.planId);
    await admin.setQuota(repIds, 'New', '2026-Q1', 1000);
    for (const name of ['ben', 'eve'])
      await admin.expect(201, 'PUT', `/v1/deals/deal-of-${name}`, {
        name: `Deal of ${name}`,
        amount: 1000,
        closeDate: '2026-01-10',
        repId: ids.get(name),
      });
    await service.waitForCalculations(workspaceId);
    const { events } = await admin.expect(200, 'GET', '/v1/commissions?dealId=deal-of-eve');
    ids.set('event', events[0].eventId);
    const comment = { period: '2026-01', body: 'x' };
    const { commentId } = await admin.expect(201, 'POST', `/v1/statements/${eve}/comments`, comment);
    ids.set('comment', commentId);
    const dispute = { repId: eve, period: '2026-02', type: 'other', description: 'x' };
    const { disputeId } = await admin.expect(201, 'POST', '/v1/disputes', dispute);
    ids.set('dispute', disputeId);
    await admin.generate(ids.get('eve'), '2026-03');
    ids.set('discrepancy', await insertDiscrepancy(service, workspaceId, eve, '2026-03'));
    expect((await admin.get('/v1/statements/export.xlsx?period=2026-01')).status).to.equal(200);
    ids.set('export', (await admin.expect(200, 'GET', '/v1/statements/export/jobs')).jobs[0].jobId);
    const approval = { period: '2026-04', statements: [{ repId: eve, version: 1 }], async: true };
    const generation = { period: '2026-01', repIds: [ids.get('eve')], async: true };
    ids.set('generation', (await admin.expect(202, 'POST', '/v1/statements/generate', generation)).job.jobId);
    const handover = { period: '2026-01', layout: 'generic', async: true };
    ids.set('handover', (await admin.expect(202, 'POST', '/v1/payroll-handovers', handover)).jobId);
    ids.set('approval', (await admin.expect(202, 'POST', '/v1/statements/approve', approval)).job.jobId);
    manager = await service.as(workspaceId, ids.get('mia') as string);
  });

  const restrict = (managerScope: string) => admin.expect(200, 'PATCH', '/v1/workspaces', { managerScope });
  const filled = (text: string) => text.replace(/<([a-z]+)>/g, (_, name: string) => ids.get(name) ?? expect.fail(name));
  const sendAsBoss = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
    manager.send(method, filled(path), body === undefined ? undefined : JSON.parse(filled(JSON.stringify(body))));

  it('read everyone while managerScope is workspace', async () => {
    await restrict('workspace');
    expect((await admin.expect(200, 'GET', '/v1/workspaces')).managerScope).to.equal('workspace');
    expect((await manager.get('/v1/reps')).body.reps).to.have.length(4);
    expect((await sendAsBoss('GET', '/v1/commissions?repId=<eve>&period=2026-01')).status).to.equal(200);
  });

  describe('under managerScope reports', () => {
    before(() => restrict('reports'));
    after(() => restrict('workspace'));

    it('have a row for every operation that they may call', () => {
      const open = operations.filter(({ access }) => ['connection', 'rep', 'manager'].includes(access as string));
      const missing = open.filter(({ id }) => requests[id] === undefined && !impersonal.has(id));
      expect(missing.map(({ id }) => id)).to.deep.equal([]);
    });

    for (const [id, request] of Object.entries(requests)) {
      if (request === null || narrowed.has(id)) continue;
      it(`${id}: a rep outside of the team is rejected`, async () => {
        const answer = await sendAsBoss(...request);
        expect(answer.body.code, JSON.stringify(answer.body).slice(0, 300)).to.equal(hidden[id] ?? 'forbidden');
      });
    }

    for (const path of [
      '/v1/reps',
      '/v1/deals',
      '/v1/commissions?period=2026-01',
      '/v1/commissions/periods',
      '/v1/commissions/exceptions?period=2026-01',
      '/v1/assignments',
      '/v1/quotas',
      '/v1/statements?period=2026-01&include=all',
      '/v1/statements/payroll?period=2026-01',
      '/v1/statements/export.csv?period=2026-01&include=all',
      '/v1/statements/export/jobs',
      '/v1/payroll-handovers',
      '/v1/disputes',
      '/v1/discrepancies',
      '/v1/approvals?waitingFor=anyone',
      '/v1/acceptances',
      '/v1/adjustments',
      '/v1/plans',
      '/v1/plans/<plan>',
      '/v1/plans/<plan>/history',
      '/v1/plans/<version>/overrides',
      '/v1/rate-tables/Products/coverage',
      '/v1/workspaces',
    ])
      it(`GET ${path} shows nothing of the others`, async () => {
        const { status, body } = await sendAsBoss('GET', path);
        const text = JSON.stringify(body);
        expect(status, text).to.equal(200);
        for (const other of [ids.get('eve') as string, 'eve@x.io', 'Eve', 'deal-of-eve'])
          expect(text, other).not.to.include(other);
      });

    it('read the deals, amounts and totals of everyone below them, at any depth', async () => {
      expect((await manager.get('/v1/deals')).body).to.include({ count: 1 });
      const overview = (await manager.get('/v1/commissions?period=2026-01')).body;
      expect(overview.totals.total).to.equal(100);
      expect(overview.reps.map(({ name }: { name: string }) => name)).to.deep.equal(['Ben']);
      const team = (await manager.get('/v1/statements?period=2026-01')).body;
      expect(team.totals.netPayout).to.equal(100);
      expect((await sendAsBoss('GET', '/v1/commissions?dealId=deal-of-ben')).status).to.equal(200);
      await expectError('403 forbidden', sendAsBoss('GET', '/v1/commissions?dealId=deal-of-eve'));
      const simulated = await sendAsBoss('POST', '/v1/commissions/simulate', { planId: '<plan>', period: '2026-Q1' });
      expect(simulated.body.reps.map(({ repId }: { repId: string }) => repId)).to.deep.equal([ids.get('ben')]);
    });

    it('generate statements of the people below them when the request names no rep', async () => {
      const { body } = await sendAsBoss('POST', '/v1/statements/generate', { period: '2026-02' });
      const generated = body.statements.map(({ repId }: { repId: string }) => repId).sort();
      expect(generated).to.deep.equal(['ben', 'lea', 'mia'].map((name) => ids.get(name)).sort());
    });

    it('get team documents of the people below them', async () => {
      for (const kind of ['pdf', 'xlsx']) {
        const answer = await manager.get(`/v1/statements/export.${kind}?period=2026-01`);
        if (answer.status === 503) continue;
        expect(answer.status).to.equal(200);
        expect(answer.headers.get('x-row-count')).to.equal('1');
        expect(answer.headers.get('x-net-total')).to.equal('100.00');
      }
    });

    it('are restricted the same way over MCP', async () => {
      const named = await manager.mcp('tools/call', { name: 'get_commissions', arguments: { repId: ids.get('eve') } });
      expect(JSON.stringify(named.body)).to.include('forbidden');
      const resource = await manager.mcp('resources/read', { uri: 'commission://statements/2026-01' });
      expect(JSON.stringify(resource.body)).to.include('Ben').and.not.include('Eve');
    });

    it('lose access to a rep as soon as that rep reports to someone else', async () => {
      await admin.expect(200, 'PATCH', `/v1/reps/${ids.get('ben')}`, { managerId: null });
      expect((await sendAsBoss('GET', '/v1/reps/<ben>')).status).to.equal(403);
      expect((await manager.get('/v1/deals')).body.count).to.equal(0);
      await admin.expect(200, 'PATCH', `/v1/reps/${ids.get('ben')}`, { managerId: ids.get('lea') });
      expect((await sendAsBoss('GET', '/v1/reps/<ben>')).status).to.equal(200);
      expect((await manager.get('/v1/deals')).body.count).to.equal(1);
    });
  });
});
