import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sealAuditEntries } from '#src/audit/seal-audit-entries.js';
import { operations as declared } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { hashToken, newToken } from '#src/platform/secrets/token.js';
import { type ApiClient } from '#test/support/api-client.js';
import { rowContents } from '#test/support/row-contents.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { insertDiscrepancy } from './insert-discrepancy.js';

const operations: readonly AnyOperation[] = declared;

/** A body that is a text is a CSV file. */
type Probe = readonly [request: string, body?: unknown];

const override = { rules: [{ ruleId: '<ownRule>', tiers: [{ tierIndex: 0, rate: 0.1 }] }] };
const overridden = (planVersionId: string) => ({ overrides: [{ planVersionId, ...override }] });
const tier = { tierIndex: 0, minThreshold: 0, rate: 0.08 };
const rule = { name: 'New business', measure: 'amount', attainmentPeriod: 'monthly', tiers: [tier] };
const quotaOf = (change: object) => ({
  repIds: ['<ownRep>'],
  planRuleId: '<ownRule>',
  period: '2026-05',
  target: 5,
  ...change,
});
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const delegationOf = (change: object) => ({
  fromRepId: '<ownRep>',
  delegateId: '<ownRep>',
  from: '2026-03-01',
  to: '2026-03-02',
  scopes: ['approvals'],
  ...change,
});
const simulated = (change: object) => ({ planId: '<ownPlan>', period: '2026-03', ...change });

/**
 * For every operation, requests with ids of another workspace in every place of an id. Names in angle brackets are
 * ids of that workspace, or unknown ids in a second round; those with `own` are the caller's. Empty for operations
 * without ids. An operation without a row fails the test.
 */
const probes: Readonly<Record<string, readonly Probe[]>> = {
  sendCode: [],
  verifyCode: [],
  openStartLink: [],
  setUpWorkspace: [],
  beginOidcLogin: [['GET /auth/oidc/login?workspaceId=<workspace>']],
  finishOidcLogin: [],
  listIntegrations: [],
  disconnectCrma: [],
  disconnectCrmb: [],
  disconnectCrmc: [],
  beginCrmaConnect: [],
  beginCrmbConnect: [],
  beginCrmcConnect: [],
  connectCrma: [],
  connectCrmb: [],
  connectCrmc: [],
  // The signature decides to which workspace a delivery belongs. test/webhooks tests two workspaces.
  receiveCrma: [],
  receiveCrmb: [],
  receiveCrmc: [],
  setCrmcSync: [],
  rotateCrmcSecret: [],
  getCrmSettings: [['GET /v1/integrations/<slug>/settings']],
  setCrmSettings: [['PUT /v1/integrations/<slug>/settings', {}]],
  getWriteBack: [['GET /v1/integrations/<slug>/write-back']],
  checkWriteBack: [['POST /v1/integrations/<slug>/write-back/check']],
  updateIntegration: [['PATCH /v1/integrations/<slug>', { pollSeconds: 600 }]],
  listCrmSyncs: [['GET /v1/integrations/<slug>/syncs']],
  getAuthStatus: [],
  getProfile: [],
  // The body names no resource; a code of another workspace is tested in step-up.test.ts.
  confirmSession: [],
  logOut: [],
  receiveBillingEvent: [],
  whoAmI: [],
  getRevision: [],
  listFields: [],
  listFieldAttributes: [],
  listFieldOptions: [['GET /v1/fields/attributes/<slug>/options']],
  autoMatchFields: [],
  saveFieldMapping: [],
  getFieldMapping: [],
  getCommissions: [
    ['GET /v1/commissions?repId=<rep>'],
    ['GET /v1/commissions?dealId=<deal>'],
    ['GET /v1/commissions?dealId=<deal>&repId=<ownRep>'],
  ],
  getCommissionsDashboard: [
    ['GET /v1/commissions/dashboard?repId=<rep>'],
    ['GET /v1/commissions/dashboard?dealId=<deal>'],
  ],
  listCommissionPeriods: [['GET /v1/commissions/periods?repId=<rep>']],
  listCommissionExceptions: [],
  acceptException: [
    ['POST /v1/commissions/exceptions/accepted', { reason: 'field_missing', dealId: '<deal>', note: 'x' }],
    [
      'POST /v1/commissions/exceptions/accepted',
      { reason: 'field_missing', planId: '<plan>', ruleName: 'New', note: 'x' },
    ],
  ],
  deleteAcceptedException: [['DELETE /v1/commissions/exceptions/accepted/<acceptance>']],
  explainCommission: [['GET /v1/commissions/events/<adjustment>']],
  listCommissionEvents: [['GET /v1/commission-events?repId=<rep>']],
  listDealChanges: [],
  recalculateCommissions: [
    ['POST /v1/commissions/recalculate', { repId: '<rep>' }],
    ['POST /v1/commissions/recalculate', { planId: '<plan>' }],
    ['POST /v1/commissions/recalculate', { planId: '<version>' }],
    ['POST /v1/commissions/recalculate', { dealId: '<deal>' }],
  ],
  listFailedCalculations: [],
  listRecalculationJobs: [],
  getRecalculationJob: [['GET /v1/commissions/recalculate/jobs/<job>']],
  syncCommissions: [],
  getForecast: [['GET /v1/forecast?repId=<rep>'], ['GET /v1/forecast?repId=<rep>&goal=100']],
  getPayCalendar: [['GET /v1/pay-calendar?repId=<rep>']],
  getUpdates: [['GET /v1/updates?repId=<rep>&since=2026-01-01T00:00:00Z']],
  recordVisit: [],
  simulateCommissions: [
    ['POST /v1/commissions/simulate', { planId: '<plan>', period: '2026-03' }],
    ['POST /v1/commissions/simulate', { planVersionId: '<version>', period: '2026-03' }],
    ['POST /v1/commissions/simulate', simulated({ repId: '<rep>' })],
    ['POST /v1/commissions/simulate', simulated({ repIds: ['<ownRep>', '<rep>'] })],
    [
      'POST /v1/commissions/simulate',
      simulated({ repId: '<ownRep>', deals: [{ dealId: 'new', amount: 5, closeDate: '2026-03-01', repId: '<rep>' }] }),
    ],
    [
      'POST /v1/commissions/simulate',
      simulated({ repId: '<ownRep>', deals: [{ dealId: '<deal>', amount: 5, closeDate: '2026-03-01' }] }),
    ],
    [
      'POST /v1/commissions/simulate',
      {
        period: '2026-03',
        repId: '<ownRep>',
        config: { rules: [{ ...rule, tiers: [tier, { ...tier, repId: '<rep>' }] }] },
      },
    ],
  ],
  cleanupCommissions: [],
  resetCommissions: [],
  listDeals: [['GET /v1/deals?repId=<rep>']],
  listDealOwners: [],
  listImports: [],
  getImport: [['GET /v1/imports/<import>']],
  takeBackImport: [['POST /v1/imports/<import>/take-back', {}]],
  listDealCorrections: [['GET /v1/deal-corrections?dealId=<deal>']],
  dismissCorrectionConflicts: [
    ['POST /v1/deal-corrections/dismiss', { conflicts: [{ dealId: '<deal>', name: 'amount', reported: 1 }] }],
  ],
  endDealCorrections: [['POST /v1/deal-corrections/end', { corrections: [{ dealId: '<deal>', name: 'amount' }] }]],
  listScheduledImports: [],
  createScheduledImport: [],
  updateScheduledImport: [['PATCH /v1/scheduled-imports/<rep>', { paused: true }]],
  deleteScheduledImport: [['DELETE /v1/scheduled-imports/<rep>']],
  testScheduledImport: [['POST /v1/scheduled-imports/<rep>/test', {}]],
  runScheduledImport: [['POST /v1/scheduled-imports/<rep>/run', {}]],
  confirmScheduledImport: [['POST /v1/scheduled-imports/<rep>/confirm', { fileId: '<rep>' }]],
  listScheduledImportFiles: [['GET /v1/scheduled-imports/<rep>/files']],
  matchDealOwners: [['PUT /v1/deal-owners', { matches: [{ owner: 'x', repId: '<rep>' }] }]],
  importDeals: [
    ['POST /v1/deals/import', { deals: [{ dealId: 'x', repId: '<rep>' }] }],
    [
      'POST /v1/deals/import',
      { deals: [{ dealId: 'y-<deal>', ownerId: '<member>', closeDate: '2026-03-01', amount: 1 }] },
    ],
    [
      'POST /v1/deals/import',
      { deals: [{ dealId: 'z-<deal>', ownerEmail: '<email>', closeDate: '2026-03-01', amount: 1 }] },
    ],
  ],
  putDeal: [
    ['PUT /v1/deals/new', { repId: '<rep>' }],
    ['PUT /v1/deals/<deal>', {}],
    ['PUT /v1/deals/<deal>', { ownerId: '<member>' }],
    ['PUT /v1/deals/<deal>', { ownerEmail: '<email>' }],
  ],
  listScores: [['GET /v1/scores?field=points'], ['GET /v1/scores?field=points&repId=<rep>']],
  setScores: [['PUT /v1/scores', { field: 'points', scores: [{ repId: '<rep>', period: '2026-Q1', score: 1 }] }]],
  deleteDeals: [['POST /v1/deals/delete', { dealIds: ['only-<deal>', '<deal>'] }]],
  getDealCredits: [['GET /v1/deals/only-<deal>/credits']],
  getDeal: [['GET /v1/deals/only-<deal>']],
  listDealHistory: [['GET /v1/deals/only-<deal>/history']],
  setDealCredits: [
    ['PUT /v1/deals/only-<deal>/credits', { credits: [{ repId: null, percent: 100 }] }],
    ['PUT /v1/deals/<deal>/credits', { credits: [{ repId: '<rep>', percent: 100 }] }],
    ['PUT /v1/deals/<deal>/credits', { credits: [{ email: '<email>', percent: 100 }] }],
  ],
  deleteDealCredits: [['DELETE /v1/deals/only-<deal>/credits']],
  importDealCredits: [],
  getDealLines: [['GET /v1/deals/only-<deal>/lines']],
  setDealLines: [['PUT /v1/deals/only-<deal>/lines', { lines: [{ lineId: '1', amount: 1 }] }]],
  importDealLines: [['POST /v1/deals/lines/import', 'dealId,lineId,amount\nonly-<deal>,1,1\n']],
  deleteDealLines: [['DELETE /v1/deals/only-<deal>/lines']],
  listCreditRules: [],
  createCreditRule: [],
  updateCreditRule: [['PATCH /v1/credit-rules/<creditrule>', { name: 'Other' }]],
  deleteCreditRule: [['DELETE /v1/credit-rules/<creditrule>']],
  deleteDeal: [
    ['DELETE /v1/deals/only-<deal>'],
    ['DELETE /v1/deals/<deal>'],
    ['DELETE /v1/deals/<deal>?hard=true'],
    ['DELETE /v1/deals/<deal>?hard=true'],
  ],
  listPlans: [],
  createPlan: [
    [
      'POST /v1/plans',
      { name: 'Rejected', config: { rules: [{ ...rule, tiers: [tier, { ...tier, repId: '<rep>' }] }] } },
    ],
  ],
  listPlanTemplates: [],
  getPlanTemplate: [['GET /v1/plans/templates/<plan>']],
  getPlan: [['GET /v1/plans/<plan>'], ['GET /v1/plans/<version>']],
  deletePlan: [['DELETE /v1/plans/<plan>'], ['DELETE /v1/plans/<version>']],
  getPlanHistory: [['GET /v1/plans/<plan>/history'], ['GET /v1/plans/<version>/history']],
  updatePlan: [
    ['PATCH /v1/plans/<plan>', { currency: 'EUR' }],
    ['PATCH /v1/plans/<version>', { effectiveStart: '2026-01-01' }],
    ['PATCH /v1/plans/<ownPlan>', { config: { rules: [{ ...rule, tiers: [tier, { ...tier, repId: '<rep>' }] }] } }],
  ],
  previewPlanChange: [
    ['POST /v1/plans/<plan>/preview', { status: 'archived', period: '2026' }],
    ['POST /v1/plans/<version>/preview', { status: 'archived', period: '2026' }],
    ['POST /v1/plans/<ownPlan>/preview', { status: 'archived', period: '2026', repIds: ['<rep>'] }],
  ],
  getPlanPreview: [['GET /v1/plans/<plan>/preview/jobs/<job>'], ['GET /v1/plans/<ownPlan>/preview/jobs/<job>']],
  runPlanTests: [
    ['POST /v1/plans/<plan>/tests/run', {}],
    ['POST /v1/plans/<version>/tests/run', {}],
  ],
  setPlanStatus: [
    ['PATCH /v1/plans/<plan>/status', { status: 'deleted' }],
    ['PATCH /v1/plans/<version>/status', { status: 'deleted' }],
  ],
  listPlanOverrides: [['GET /v1/plans/<version>/overrides'], ['GET /v1/plans/<plan>/overrides']],
  setPlanOverride: [
    ['PUT /v1/plans/<version>/overrides/<ownRep>', override],
    ['PUT /v1/plans/<ownVersion>/overrides/<rep>', override],
    ['PUT /v1/plans/<version>/overrides/<rep>', override],
    [
      'PUT /v1/plans/<ownVersion>/overrides/<ownRep>',
      { rules: [{ ruleId: '<rule>', tiers: [{ tierIndex: 0, rate: 0.1 }] }] },
    ],
  ],
  previewPlanOverride: [
    ['POST /v1/plans/<plan>/overrides/<ownRep>/preview', overridden('<version>')],
    ['POST /v1/plans/<ownPlan>/overrides/<rep>/preview', overridden('<ownVersion>')],
    ['POST /v1/plans/<ownPlan>/overrides/<ownRep>/preview', overridden('<version>')],
  ],
  deletePlanOverride: [
    ['DELETE /v1/plans/<version>/overrides/<ownRep>'],
    ['DELETE /v1/plans/<ownVersion>/overrides/<rep>'],
    ['DELETE /v1/plans/<version>/overrides/<rep>'],
  ],
  listAssignments: [
    ['GET /v1/assignments?repId=<rep>'],
    ['GET /v1/assignments?planId=<plan>'],
    ['GET /v1/assignments?planId=<version>'],
  ],
  createAssignments: [
    ['POST /v1/assignments', { repIds: ['<rep>'], planId: '<ownPlan>' }],
    ['POST /v1/assignments', { repIds: ['<ownRep>'], planId: '<plan>' }],
    ['POST /v1/assignments', { repIds: ['<ownRep>', '<rep>'], planId: '<ownPlan>' }],
  ],
  previewAssignments: [
    ['POST /v1/assignments/preview', { repIds: ['<rep>'], planId: '<ownPlan>' }],
    ['POST /v1/assignments/preview', { repIds: ['<ownRep>'], planId: '<plan>' }],
  ],
  importAssignments: [],
  updateAssignment: [['PATCH /v1/assignments/<assignment>', { effectiveEnd: '2026-01-01' }]],
  deleteAssignment: [['DELETE /v1/assignments/<assignment>']],
  listAbsences: [['GET /v1/absences?repId=<rep>']],
  createAbsence: [['POST /v1/absences', { repId: '<rep>', from: '2026-01-01', to: '2026-01-31' }]],
  importAbsences: [],
  listHolidays: [],
  importHolidays: [],
  updateAbsence: [['PATCH /v1/absences/<absence>', { to: '2026-12-31' }]],
  deleteAbsence: [['DELETE /v1/absences/<absence>']],
  listFiscalYears: [],
  setFiscalYears: [],
  listFxRates: [],
  setFxRates: [],
  deleteFxRates: [],
  importFxRates: [],
  listRateTables: [],
  getRateTable: [['GET /v1/rate-tables/<table>']],
  setRateTable: [
    [
      'PUT /v1/rate-tables/<table>?dryRun=true',
      { keys: [], columns: [{ name: 'base' }], rows: [{ values: { base: 0.1 } }] },
    ],
  ],
  previewRateTable: [
    [
      'POST /v1/rate-tables/<table>/preview',
      { keys: [], columns: [{ name: 'base' }], rows: [{ values: { base: 0.1 } }] },
    ],
  ],
  importRateTableRows: [['POST /v1/rate-tables/<table>/import', 'base\n0.1\n']],
  deleteRateTable: [['DELETE /v1/rate-tables/<table>']],
  listRateTableRevisions: [['GET /v1/rate-tables/<table>/revisions']],
  lookUpRate: [['POST /v1/rate-tables/<table>/lookup', { values: {} }]],
  getRateCoverage: [['GET /v1/rate-tables/<table>/coverage']],
  listRamps: [],
  createRamp: [],
  updateRamp: [['PATCH /v1/ramps/<ramp>', { name: 'Other' }]],
  deleteRamp: [['DELETE /v1/ramps/<ramp>']],
  listQuotas: [['GET /v1/quotas?repId=<rep>'], ['GET /v1/quotas?planId=<plan>'], ['GET /v1/quotas?planId=<version>']],
  previewQuotas: [
    ['POST /v1/quotas/preview', { planRuleId: '<rule>', targets: [] }],
    [
      'POST /v1/quotas/preview',
      { planRuleId: '<ownRule>', targets: [{ repId: '<rep>', period: '2026-03', target: 1 }] },
    ],
    ['POST /v1/quotas/preview', { planRuleId: '<ownRule>', removed: ['<quota>'] }],
  ],
  setQuotas: [
    ['POST /v1/quotas', quotaOf({ repIds: ['<rep>'] })],
    ['POST /v1/quotas', quotaOf({ planRuleId: '<rule>' })],
    ['POST /v1/quotas', quotaOf({ planId: '<plan>' })],
    ['POST /v1/quotas', quotaOf({ planRuleId: undefined, measure: 'New business', planId: '<plan>' })],
  ],
  importQuotas: [],
  deleteQuota: [['DELETE /v1/quotas/<quota>']],
  getStatements: [['GET /v1/statements?repId=<rep>&period=2026-03']],
  getPayrollSums: [],
  exportStatementsCsv: [],
  exportStatementsPdf: [],
  exportStatementsXlsx: [],
  exportStatementsZip: [],
  createEvidence: [],
  exportPerson: [['POST /v1/me/export', { repId: '<rep>' }]],
  listExportJobs: [],
  getExportJob: [['GET /v1/statements/export/jobs/<export>']],
  getExportFile: [['GET /v1/statements/export/jobs/<export>/file']],
  exportStatement: [
    ['GET /v1/statements/<rep>/export?period=2026-03'],
    ['GET /v1/statements/<rep>/export?period=2026-03&format=pdf'],
    ['GET /v1/statements/<rep>/export?period=2026-03&format=xlsx'],
  ],
  listRepStatements: [['GET /v1/statements/<rep>/list']],
  getStatementStatus: [['GET /v1/statements/<rep>/status?period=2026-03']],
  generateStatements: [['POST /v1/statements/generate', { period: '2026-03', repIds: ['<rep>'] }]],
  generateStatement: [['POST /v1/statements/<rep>/generate', { period: '2026-03' }]],
  approveStatements: [
    ['POST /v1/statements/approve', { period: '2026-03', statements: [{ repId: '<rep>', version: 1 }] }],
  ],
  listApprovalJobs: [],
  getApprovalJob: [['GET /v1/statements/approve/jobs/<approval>']],
  listGenerationJobs: [],
  getGenerationJob: [['GET /v1/statements/generate/jobs/<generation>']],
  approveStatement: [['POST /v1/statements/<rep>/approve', { period: '2026-03', status: 'approved' }]],
  consentStatement: [['POST /v1/statements/<rep>/consent', { period: '2026-03', version: 1 }]],
  reassignStep: [
    ['POST /v1/statements/<rep>/reassign', { period: '2026-03', step: 'x', repIds: ['<ownRep>'], reason: 'x' }],
    ['POST /v1/statements/<ownRep>/reassign', { period: '2026-03', step: 'x', repIds: ['<rep>'], reason: 'x' }],
  ],
  listApprovals: [],
  setPlanAcceptance: [['PUT /v1/plans/<version>/acceptance', { acceptance: 'required' }]],
  getPlanDocument: [
    ['GET /v1/plans/<version>/document?repId=<ownRep>'],
    ['GET /v1/plans/<ownVersion>/document?repId=<rep>'],
  ],
  exportPlanDocument: [
    ['GET /v1/plans/<version>/document.pdf?repId=<ownRep>'],
    ['GET /v1/plans/<ownVersion>/document.pdf?repId=<rep>'],
  ],
  acceptPlan: [['POST /v1/plans/<version>/acceptances', { signedName: 'x', sha256: 'a'.repeat(64) }]],
  declinePlan: [['POST /v1/plans/<version>/decline', { reason: 'x' }]],
  remindAcceptances: [['POST /v1/plans/<plan>/acceptances/remind']],
  listAcceptances: [['GET /v1/acceptances?planRef=<plan>']],
  exportAcceptances: [['GET /v1/acceptances/export.csv?planRef=<plan>']],
  listAdjustmentProposals: [['GET /v1/adjustments?repId=<rep>']],
  approveAdjustment: [['POST /v1/adjustments/<proposal>/approve', {}]],
  rejectAdjustment: [['POST /v1/adjustments/<proposal>/reject', { reason: 'x' }]],
  listDelegations: [],
  putDelegation: [
    ['PUT /v1/delegations/<delegation>', delegationOf({ fromRepId: '<rep>' })],
    ['PUT /v1/delegations/<delegation>', delegationOf({ delegateId: '<rep>' })],
  ],
  deleteDelegation: [['DELETE /v1/delegations/<delegation>']],
  addAdjustment: [
    ['POST /v1/statements/<rep>/adjust', { period: '2026-03', amount: 5, reason: 'x' }],
    ['POST /v1/statements/<ownRep>/adjust', { period: '2026-03', amount: 5, reason: 'x', dealId: '<deal>' }],
  ],
  updateAdjustment: [
    ['PATCH /v1/statements/<rep>/adjust/<adjustment>', { amount: 6 }],
    ['PATCH /v1/statements/<ownRep>/adjust/<adjustment>', { amount: 6 }],
  ],
  deleteAdjustment: [
    ['DELETE /v1/statements/<rep>/adjust/<adjustment>'],
    ['DELETE /v1/statements/<ownRep>/adjust/<adjustment>'],
  ],
  trueUpStatement: [['POST /v1/statements/<rep>/true-up', { period: '2026-03' }]],
  listComments: [['GET /v1/statements/<rep>/comments?period=2026-03']],
  addComment: [
    ['POST /v1/statements/<rep>/comments', { period: '2026-03', body: 'x' }],
    ['POST /v1/statements/<ownRep>/comments', { period: '2026-03', body: 'x', dealId: '<deal>' }],
  ],
  deleteComment: [
    ['DELETE /v1/statements/<rep>/comments/<comment>'],
    ['DELETE /v1/statements/<ownRep>/comments/<comment>'],
  ],
  checkStatement: [['POST /v1/statements/<rep>/checks', { period: '2026-03', version: 1 }]],
  listDisputes: [['GET /v1/disputes?repId=<rep>']],
  openDispute: [
    ['POST /v1/disputes', { repId: '<rep>', period: '2026-03', type: 'other', description: 'x' }],
    ['POST /v1/disputes', { repId: '<ownRep>', period: '2026-03', dealId: '<deal>', type: 'other', description: 'x' }],
    [
      'POST /v1/disputes',
      { repId: '<ownRep>', period: '2026-03', eventId: '<adjustment>', type: 'other', description: 'x' },
    ],
  ],
  getDispute: [['GET /v1/disputes/<dispute>']],
  updateDispute: [['PATCH /v1/disputes/<dispute>', { status: 'in_review' }]],
  listDiscrepancies: [['GET /v1/discrepancies?repId=<rep>']],
  listDiscrepancyLines: [['GET /v1/discrepancies/<discrepancy>/lines']],
  resolveDiscrepancy: [['POST /v1/discrepancies/<discrepancy>/resolve', { action: 'dismiss', reason: 'x' }]],
  recordPayrollHandover: [],
  listPayrollHandovers: [],
  listHandoverJobs: [],
  getHandoverJob: [['GET /v1/payroll-handovers/jobs/<handover>']],
  listInvoices: [['GET /v1/deals/<deal>/invoices']],
  getInvoice: [['GET /v1/deals/<deal>/invoices/INV']],
  putInvoice: [['PUT /v1/deals/<deal>/invoices/INV', { amount: 1, issuedOn: '2026-01-01' }]],
  deleteInvoice: [['DELETE /v1/deals/<deal>/invoices/INV']],
  importInvoices: [],
  listRefunds: [['GET /v1/deals/<deal>/refunds']],
  getRefund: [['GET /v1/deals/<deal>/refunds/REF']],
  putRefund: [['PUT /v1/deals/<deal>/refunds/REF', { day: '2026-03-01', cause: 'refund' }]],
  importRefunds: [],
  deleteRefund: [['DELETE /v1/deals/<deal>/refunds/REF']],
  waiveRefund: [['POST /v1/deals/<deal>/refunds/REF/waive', { percent: 50, reason: 'x' }]],
  listPayables: [['GET /v1/payables?repId=<rep>'], ['GET /v1/payables?dealId=<deal>']],
  listHolds: [['GET /v1/payables/holds?repId=<rep>'], ['GET /v1/payables/holds?dealId=<deal>']],
  createHold: [['POST /v1/payables/holds', { repId: '<rep>', from: '2026-01-01', reason: 'x' }]],
  updateHold: [['PATCH /v1/payables/holds/<hold>', { to: '2026-12-31' }]],
  listDraws: [['GET /v1/draws?repId=<rep>']],
  createDraw: [
    ['POST /v1/draws', { repId: '<rep>', kind: 'advance', recoverable: true, amount: 100, from: '2026-01-01' }],
  ],
  updateDraw: [['PATCH /v1/draws/<draw>', { to: '2026-12-31' }]],
  deleteDraw: [['DELETE /v1/draws/<draw>']],
  importDraws: [],
  forgiveDraw: [['POST /v1/draws/<draw>/forgive', { amount: 1, reason: 'x' }]],
  listBalances: [['GET /v1/balances?repId=<rep>']],
  listPayoutBatches: [],
  createPayoutBatch: [],
  getPayoutBatch: [['GET /v1/payout-batches/<batch>']],
  updatePayoutBatch: [['PATCH /v1/payout-batches/<batch>', { status: 'cancelled' }]],
  getPayoutFile: [['GET /v1/payout-batches/<batch>/file']],
  getAccounting: [],
  putEntity: [['PUT /v1/accounting/entities/<rep>', { name: 'x', payrollTax: [], accounts: {} }]],
  getRepEntities: [['GET /v1/reps/<rep>/entities']],
  setRepEntities: [['PUT /v1/reps/<rep>/entities', { entities: [] }]],
  getContractCosts: [['GET /v1/accounting/contract-costs?month=2026-03&repId=<rep>']],
  listAccountingPolicies: [],
  getContract: [['GET /v1/deals/<deal>/contract']],
  putContract: [['PUT /v1/deals/<deal>/contract', { months: 12 }]],
  deleteContract: [['DELETE /v1/deals/<deal>/contract']],
  importContracts: [],
  importOpeningLots: [],
  listOpeningLots: [],
  importRepEntities: [],
  importWriteOffs: [],
  importEstimates: [],
  getRenewalTest: [['GET /v1/accounting/renewal-test?month=2026-03']],
  putImpairment: [['PUT /v1/accounting/impairments/<deal>/2026-03', { remainingConsideration: 1, remainingCost: 1 }]],
  listImpairments: [],
  deleteImpairment: [['DELETE /v1/accounting/impairments/<deal>/2026-03']],
  proposePolicy: [['POST /v1/accounting/policies/<deal>/versions', {}]],
  approvePolicy: [['POST /v1/accounting/policies/<deal>/versions/1/approve']],
  withdrawPolicy: [['DELETE /v1/accounting/policies/<deal>/versions/1']],
  listEstimates: [],
  putEstimates: [['PUT /v1/accounting/estimates/2026-01', { estimates: [] }]],
  listAccountingWriteOffs: [],
  proposeWriteOff: [
    ['POST /v1/accounting/write-offs', { repId: '<rep>', currency: 'USD', amount: 1, day: '2026-01-31', reason: 'x' }],
  ],
  approveWriteOff: [['POST /v1/accounting/write-offs/<deal>/approve']],
  withdrawWriteOff: [['DELETE /v1/accounting/write-offs/<deal>']],
  listAccountingMonths: [],
  getAccountingMonth: [['GET /v1/accounting/months/2026-01']],
  getPreparationJob: [['GET /v1/accounting/months/2026-01/prepare/jobs/<preparation>']],
  prepareAccountingMonth: [['POST /v1/accounting/months/2026-01/prepare']],
  cancelAccountingPreparation: [['DELETE /v1/accounting/months/2026-01/prepare']],
  closeAccountingMonth: [['POST /v1/accounting/months/2026-01/close', { hash: '<deal>' }]],
  reopenAccountingMonth: [['POST /v1/accounting/months/2026-01/reopen', { reason: '<deal>' }]],
  exportJournals: [['GET /v1/accounting/journals/2026-03/export?draft=true']],
  recordPostedJournals: [['POST /v1/accounting/journals/2026-03/posted', { reference: '<deal>' }]],
  getLiability: [['GET /v1/accounting/liability?month=2026-01&repId=<rep>']],
  exportLiability: [['GET /v1/accounting/liability/export.csv?month=2026-01&repId=<rep>']],
  listJournalLines: [['GET /v1/accounting/journals?month=2026-01&repId=<rep>']],
  listReps: [['GET /v1/reps?email=<email>'], ['GET /v1/reps?ids=<rep>']],
  listRepChoices: [['GET /v1/rep-choices']],
  importReps: [],
  upsertReps: [['PUT /v1/reps', { reps: [{ email: 'ada@x.io', name: 'Ada', managerEmail: '<email>' }] }]],
  getRep: [['GET /v1/reps/<rep>']],
  listPersonFields: [],
  listAssignmentFilters: [],
  setAssignmentFilters: [
    ['PUT /v1/assignment-filters', { filters: [{ planId: '<plan>', filter: { team: 'North' } }] }],
  ],
  listSavedViews: [],
  setSavedViews: [],
  setPersonFields: [],
  getPersonValues: [['GET /v1/reps/<rep>/fields/title']],
  setPersonValues: [['PUT /v1/reps/<rep>/fields/title', { values: [{ value: 'AE' }] }]],
  updateRep: [
    ['PATCH /v1/reps/<rep>', { role: 'admin' }],
    ['PATCH /v1/reps/<rep>', { active: false }],
    ['PATCH /v1/reps/<ownRep>', { managerId: '<rep>' }],
  ],
  addPayrollId: [['POST /v1/reps/<rep>/payroll-id', { payrollId: 'X' }]],
  syncReps: [],
  changeReps: [['POST /v1/reps/change', { repIds: ['<rep>'], change: { team: 'x' } }]],
  bulkInviteReps: [['POST /v1/reps/bulk-invite', { repIds: ['<rep>'] }]],
  inviteRep: [['POST /v1/reps/<rep>/invite']],
  listConnectionTokens: [],
  createConnectionToken: [],
  deleteConnectionToken: [['DELETE /v1/workspaces/connection-tokens/<token>']],
  listIntegrationKeys: [],
  createIntegrationKey: [],
  revokeIntegrationKey: [['DELETE /v1/workspaces/integration-keys/<key>']],
  // The installation belongs to no workspace; test/access/installation has the rights of its operator.
  getInstallation: [],
  setMailServer: [],
  deleteMailServer: [],
  sendTestMail: [],
  saveIdentityProvider: [],
  deleteIdentityProvider: [['DELETE /v1/installation/identity-providers/<rep>']],
  listAuditEntries: [['GET /v1/audit?actor=rep:<rep>']],
  getMailPreferences: [],
  setMailPreferences: [],
  listWebhookEndpoints: [],
  createWebhookEndpoint: [],
  updateWebhookEndpoint: [['PATCH /v1/webhook-endpoints/<endpoint>', { enabled: false }]],
  deleteWebhookEndpoint: [['DELETE /v1/webhook-endpoints/<endpoint>']],
  rotateWebhookSecret: [['POST /v1/webhook-endpoints/<endpoint>/rotate-secret', {}]],
  listWebhookDeliveries: [['GET /v1/webhook-endpoints/<endpoint>/deliveries']],
  replayWebhookDelivery: [
    ['POST /v1/webhook-endpoints/<endpoint>/deliveries/<delivery>/replay', {}],
    ['POST /v1/webhook-endpoints/<ownEndpoint>/deliveries/<delivery>/replay', {}],
  ],
  testWebhookEndpoint: [['POST /v1/webhook-endpoints/<endpoint>/test', {}]],
  listAgents: [],
  // A request names no workspace: the person who decides about it gets the agent.
  getAgentRequest: [['GET /v1/agents/request?request=<agent>']],
  decideAgentRequest: [],
  disconnectAgent: [['DELETE /v1/agents/<agent>']],
  listChangeRequests: [],
  previewChangeRequest: [['POST /v1/change-requests/<change>/preview', {}]],
  decideChangeRequest: [['POST /v1/change-requests/<change>/decide', { decision: 'reject' }]],
  getWorkspace: [],
  updateWorkspace: [],
  previewWorkspace: [],
  getWorkspaceKey: [],
  rotateWorkspaceKey: [],
  exportAuditLog: [],
  listAuditLogs: [['GET /v1/workspaces/audit-logs?dealId=<deal>'], ['GET /v1/workspaces/audit-logs?actor=rep:<rep>']],
};

/** The ids of one workspace by the names in the probes. */
type Names = ReadonlyMap<string, string>;

const oauthClients = Object.fromEntries(
  ['CRMA', 'CRMB', 'CRMC'].flatMap((crm) => [
    [`${crm}_CLIENT_ID`, 'client'],
    [`${crm}_CLIENT_SECRET`, 'secret'],
  ]),
);

describe('two workspaces', () => {
  const service = Service.duringSuite({
    settings: {
      RATE_LIMIT_PER_MINUTE: '10000',
      FAILED_SIGN_INS_PER_MINUTE: '10000',
      PUBLIC_URL: 'http://127.0.0.1:9',
      ...oauthClients,
    },
  });
  let mine: ApiClient;
  let other: { workspaceId: string; names: Names };
  let own: Names;
  let nothing: Names;
  let workspaceId: string;
  let untouched: Awaited<ReturnType<typeof contentOf>>;

  async function build(letter: string): Promise<{ workspaceId: string; api: ApiClient; names: Names }> {
    const { workspaceId: made, api } = await service.workspace({ name: `Workspace ${letter}` });
    const people = [
      { email: 'ada@x.io', name: 'Ada', role: 'rep', crmMemberId: `member-of-${letter}`, managerEmail: 'max@x.io' },
      { email: 'max@x.io', name: 'Max', role: 'manager' },
      { email: `only@${letter}.io`, name: `Only in ${letter}`, role: 'admin' },
    ];
    const [ada] = (await api.saveReps(...people)) as [string];
    const plan = await api.createPlan({ name: `Plan of ${letter}`, config: { rules: [rule] } });
    const [assignment] = await api.assign([ada], plan.planId);
    const target = { repIds: [ada], planRuleId: plan.rules[0].id, period: '2026-03', target: 1000 };
    const [quota] = await api.expect(201, 'POST', '/v1/quotas', target);
    const override = { rules: [{ ruleId: plan.rules[0].id, tiers: [{ tierIndex: 0, rate: 0.09 }] }] };
    await api.expect(200, 'PUT', `/v1/plans/${plan.planVersionId}/overrides/${ada}`, override);
    for (const id of ['deal-1', `deal-of-${letter}`, `only-deal-of-${letter}`]) {
      await api.expect(201, 'PUT', `/v1/deals/${id}`, {
        amount: 1000,
        closeDate: '2026-03-10',
        ownerId: `member-of-${letter}`,
        fields: { [`slug_of_${letter}`]: `value of ${letter}` },
      });
    }
    await api.expect(200, 'POST', '/v1/deals/import', { deals: [{ dealId: `imported-by-${letter}`, amount: 5 }] });
    const [{ importId }] = (await api.expect(200, 'GET', '/v1/imports')).imports;
    const { jobId } = await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    await service.waitForCalculations(made);
    await api.expect(200, 'PATCH', '/v1/workspaces', { accounting: { enabled: true, from: '2026-03' } });
    const comment = { period: '2026-03', body: `Comment of ${letter}` };
    const { commentId } = await api.expect(201, 'POST', `/v1/statements/${ada}/comments`, comment);
    const { eventId } = await api.adjust(ada, '2026-03', 25, `Reason of ${letter}`);
    const dispute = { repId: ada, period: '2026-03', type: 'other', description: `Dispute of ${letter}` };
    const { disputeId } = await api.expect(201, 'POST', '/v1/disputes', dispute);
    await api.generate(ada, '2025-12');
    const discrepancyId = await insertDiscrepancy(service, made, ada, '2025-12');
    const exported = await api.get(`/v1/statements/${ada}/export?period=2026-03&format=xlsx`);
    expect(exported.status).to.equal(200);
    const confirmed = { period: '2026-05', statements: [{ repId: ada, version: 1 }], async: true };
    const { job: generation } = await api.expect(202, 'POST', '/v1/statements/generate', {
      period: '2026-02',
      async: true,
    });
    const { job: approval } = await api.expect(202, 'POST', '/v1/statements/approve', confirmed);
    const handedOver = { period: '2026-02', layout: 'generic', async: true };
    const { jobId: handover } = await api.expect(202, 'POST', '/v1/payroll-handovers', handedOver);
    const [{ jobId: exportId }] = (await api.expect(200, 'GET', '/v1/statements/export/jobs')).jobs;
    const [preparation] = await service.sql<{ job_id: string }>(
      `insert into stored_jobs (workspace_id, job_id, kind, period, subject, caller, status, total, lifetime, finished_at)
       values ($1, gen_random_uuid(), 'preparation', '2026-01', '{}', '{}', 'completed', 1, '7 days', now())
       returning job_id`,
      made,
    );
    const leave = { repId: ada, from: '2026-08-01', to: '2026-08-15' };
    const { absenceId } = await api.expect(201, 'POST', '/v1/absences', leave);
    const steps = [{ months: 1, quotaPercent: 50 }];
    const { rampId } = await api.expect(201, 'POST', '/v1/ramps', { name: `Ramp of ${letter}`, steps });
    const { rule: creditRule } = await api.expect(201, 'POST', '/v1/credit-rules', {
      name: `Rule of ${letter}`,
      kind: 'overlay',
      personField: 'se',
      percent: 10,
    });
    const accepted = { reason: 'field_missing', dealId: `deal-of-${letter}`, note: `Note of ${letter}` };
    const { acceptanceId } = await api.expect(201, 'POST', '/v1/commissions/exceptions/accepted', accepted);
    const invoice = { amount: 100, issuedOn: '2026-03-01' };
    await api.expect(200, 'PUT', `/v1/deals/deal-of-${letter}/invoices/INV`, invoice);
    const refund = { day: '2026-03-01', cause: 'refund' };
    await api.expect(200, 'PUT', `/v1/deals/deal-of-${letter}/refunds/REF`, refund);
    const held = { repId: ada, from: '2026-03-01', reason: `Hold of ${letter}` };
    const { holdId } = await api.expect(201, 'POST', '/v1/payables/holds', held);
    const drawId = randomUUID();
    await service.sql(
      `insert into draws (workspace_id, draw_id, rep_id, kind, recoverable, amount, currency, from_day, recovery_start,
        recovery_percent, created_by)
      values ($1, $2, $3, 'advance', true, 100, 'USD', '2026-01-01', 'next_period', 100, 'x')`,
      made,
      drawId,
      ada,
    );
    const proposal = randomUUID();
    await service.sql(
      `insert into adjustment_proposals (workspace_id, adjustment_id, rep_id, period, kind, amount, currency, reason, deciders, proposer_ids, actor)
      values ($1, $2, $3, '2026-09', 'adjustment', 5, 'USD', 'x', '{"role":"admin"}', '{}', 'x')`,
      made,
      proposal,
      ada,
    );
    const delegation = randomUUID();
    const [chief, deputy] = await api.saveReps(
      { name: `Chief of ${letter}`, email: `chief@${letter}.io`, role: 'manager' },
      { name: `Deputy of ${letter}`, email: `deputy@${letter}.io`, role: 'manager' },
    );
    await api.expect(200, 'PUT', `/v1/delegations/${delegation}`, {
      ...{ fromRepId: chief, delegateId: deputy, scopes: ['approvals'] },
      ...{ from: dayIn(0), to: dayIn(30) },
    });
    const batch = randomUUID();
    await service.sql(
      `insert into payout_batches (workspace_id, batch_id, period, layout, filename, sha256, content, row_count, totals, actor)
      values ($1, $2, '2026-03', 'generic', 'f.csv', 'x', '', 0, '[]', 'x')`,
      made,
      batch,
    );
    const token = randomUUID();
    await service.sql(
      `insert into tokens (workspace_id, token_id, kind, token_hash) values ($1, $2, 'conn', $3)`,
      made,
      token,
      hashToken(newToken('conn')),
    );
    await api.expect(200, 'PUT', `/v1/rate-tables/table-of-${letter}`, {
      keys: [],
      columns: [{ name: 'base' }],
      rows: [{ values: { base: 0.1 } }],
    });
    const key = await api.expect(201, 'POST', '/v1/workspaces/integration-keys', { name: 'BI', scopes: ['read'] });
    await service.sql(
      `insert into crm_connections (workspace_id, provider, connected_at) values ($1, 'crma', now()), ($1, 'crmc', now())`,
      made,
    );
    const endpoint = await api.expect(201, 'POST', '/v1/webhook-endpoints', {
      url: `https://${letter}.example.com/`,
      eventTypes: ['crm.connection_broken'],
    });
    const delivery = randomUUID();
    await service.sql(
      `insert into webhook_deliveries (workspace_id, delivery_id, endpoint_id, sequence_id, event_type, data, status)
      values ($1, $2, $3, $1, 'crm.connection_broken', '{}', 'delivered')`,
      made,
      delivery,
      endpoint.id,
    );
    const agent = randomUUID();
    await service.sql(
      `insert into agent_connections (workspace_id, connection_id, rep_id, client_id, client_name, audience, scopes)
      values ($1, $2, $3, 'c', 'Agent', 'https://x', array['read'])`,
      made,
      agent,
      ada,
    );
    const change = randomUUID();
    await service.sql(
      `insert into change_requests (workspace_id, request_id, rep_id, caller, tool, title, input, basis, status, expires_at)
      values ($1, $2, $3, '{"actor":"x"}', 'delete_plan', 'Delete', '{}', '{}', 'pending', now() + interval '1 day')`,
      made,
      change,
      ada,
    );
    const names = {
      rep: ada,
      agent,
      change,
      plan: plan.planId,
      version: plan.planVersionId,
      rule: plan.rules[0].id,
      assignment: assignment.assignmentId,
      absence: absenceId,
      hold: holdId,
      draw: drawId,
      delegation,
      proposal,
      batch,
      ramp: rampId,
      acceptance: acceptanceId,
      import: importId,
      creditrule: creditRule.creditRuleId,
      quota: quota.quotaId,
      job: jobId,
      export: exportId,
      approval: approval.jobId,
      generation: generation.jobId,
      handover,
      preparation: preparation?.job_id as string,
      comment: commentId,
      adjustment: eventId,
      dispute: disputeId,
      discrepancy: discrepancyId,
      token,
      key: key.id,
      endpoint: endpoint.id,
      delivery,
      workspace: made,
    };
    const texts = {
      deal: `deal-of-${letter}`,
      member: `member-of-${letter}`,
      email: `only@${letter}.io`,
      slug: `slug_of_${letter}`,
      table: `table-of-${letter}`,
    };
    return { workspaceId: made, api, names: new Map(Object.entries({ ...names, ...texts })) };
  }

  before(async () => {
    const a = await build('a');
    const b = await build('b');
    ({ api: mine, workspaceId } = a);
    own = new Map([...a.names].map(([name, id]) => [`own${name[0]?.toUpperCase()}${name.slice(1)}`, id]));
    other = b;
    nothing = new Map(
      [...b.names].map(([name, id]) => [name, /^[0-9a-f-]{36}$/.test(id) ? randomUUID() : id.replace(/b/g, 'q')]),
    );
    await service.waitForChecks(b.workspaceId);
    // The job of a calculation ends after it, in a separate transaction.
    const running = `
      select from jobs where workspace_id = $1 and status = 'running'
      union all select from stored_jobs where workspace_id = $1 and finished_at is null`;
    await until(async () => (await service.sql(running, b.workspaceId)).length === 0, { what: 'the end of the jobs' });
    await sealAuditEntries(service.running.service.unitOfWork);
    untouched = await contentOf(b.workspaceId);
  });

  /** Every row of the workspace in every table, without row-level security, but for counters and leases of its own work. */
  async function contentOf(id: string): Promise<{ name: string; rows: string | null }[]> {
    const tables = await service.sql<{ name: string }>(`
      select distinct table_name as name from information_schema.columns c join pg_tables t on t.tablename = c.table_name and t.schemaname = 'public'
      where c.table_schema = 'public' and c.column_name = 'workspace_id' and c.table_name not in ('rate_windows', 'work_leases')
      order by 1`);
    const content = tables.map(
      ({ name }) =>
        `select '${name}' as name, string_agg(${rowContents(name)}, chr(10) order by t::text) as rows from ${name} t where workspace_id = $1`,
    );
    return service.sql(content.join(' union all '), id);
  }

  /** The response without the requested ids and without values that differ between requests. */
  async function runProbe([request, body]: Probe, names: Names): Promise<string> {
    const filled = (text: string) =>
      text.replace(
        /<([a-zA-Z]+)>/g,
        (_, name: string) => names.get(name) ?? own.get(name) ?? expect.fail(`nothing is called ${name}`),
      );
    const [method, path] = filled(request).split(' ') as [string, string];
    const isFile = typeof body === 'string';
    const text = body === undefined ? undefined : filled(isFile ? body : JSON.stringify(body));
    const type = isFile ? 'text/csv' : 'application/json';
    const answer = await mine.send(method, path, text, text === undefined ? {} : { 'Content-Type': type });
    let reported = JSON.stringify(answer.body);
    for (const [name, id] of names) reported = reported.replaceAll(id, `<${name}>`);
    return `${answer.status} ${reported.replace(/"(jobId|startedAt|snapshotAt|deleted_at|generatedAt|createdAt|updatedAt|eventId|commentId|nextCursor)":"[^"]*"/g, '"$1":"*"')}`;
  }

  async function expectOtherUntouched(): Promise<void> {
    await service.waitForCalculations(workspaceId);
    const contents = await contentOf(other.workspaceId);
    const changed = contents.filter(({ rows }, index) => rows !== untouched[index]?.rows);
    expect(changed.map(({ name }) => name)).to.deep.equal([]);
  }

  it('every operation has a row of probes', () => {
    expect(operations.map(({ id }) => id).filter((id) => probes[id] === undefined)).to.deep.equal([]);
  });

  it('an operation with an id in its path has a probe', () => {
    const withIds = operations.filter(({ id, path }) => path.includes(':') && probes[id]?.length === 0);
    expect(withIds.map(({ id }) => id)).to.deep.equal([]);
  });

  for (const { id, method, path, access } of operations) {
    for (const probe of probes[id] ?? []) {
      const [request, body] = probe;
      it(`${request}${body === undefined ? '' : ` ${JSON.stringify(body).slice(0, 120)}`}: treats ids of another workspace as unknown`, async () => {
        const foreign = await runProbe(probe, other.names);
        const unknown = await runProbe(probe, nothing);
        expect(foreign).to.equal(unknown);
        expect(foreign).not.to.match(/^5/);
      });
    }
    // The log contains the ids that the caller's own calls named, and so do the owners of the caller's own deals; keys
    // have no mails and connect no agents; a pay calendar and updates are those of one person.
    const isOther = [
      'exportAuditLog',
      'listAuditEntries',
      'listDealOwners',
      'getMailPreferences',
      'listSavedViews',
      'getAgentRequest',
      'getPayCalendar',
      'getUpdates',
    ].includes(id);
    if (method !== 'get' || path.includes(':') || (access as string) === 'public' || isOther) continue;
    it(`GET ${path} returns nothing of another workspace`, async () => {
      const { status, body } = await mine.get(path);
      expect(status, JSON.stringify(body).slice(0, 300)).to.equal(200);
      for (const [name, foreign] of other.names) expect(JSON.stringify(body), name).not.to.include(foreign);
    });
  }

  it('no row of the other workspace has changed', expectOtherUntouched);

  it('equal deal ids and e-mails are different deals and people', async () => {
    const deal = await mine.expect(200, 'PUT', '/v1/deals/deal-1', {
      amount: 5,
      closeDate: '2026-04-01',
      ownerEmail: 'ada@x.io',
      name: 'Mine',
    });
    expect(deal.repId).to.equal(own.get('ownRep'));
    await mine.expect(200, 'POST', '/v1/deals/import', {
      deals: [{ dealId: 'deal-1', amount: 6, closeDate: '2026-04-02', ownerEmail: 'ada@x.io' }],
    });
    const changed = await mine.saveReps({ email: 'ada@x.io', name: 'Another Ada', active: false });
    expect(changed).to.deep.equal([own.get('ownRep')]);
    await mine.expect(200, 'DELETE', '/v1/deals/deal-1?hard=true');
    await expectOtherUntouched();
  });

  it('operations on a whole workspace affect only that one', async () => {
    await mine.expect(201, 'POST', '/v1/fields/save', { standard: { dealAmount: 'acv' } });
    await mine.expect(200, 'PATCH', '/v1/workspaces', { name: 'Renamed', currency: 'EUR', timezone: 'Europe/Berlin' });
    await mine.expect(200, 'POST', '/v1/commissions/recalculate', {});
    await mine.expect(200, 'POST', '/v1/commissions/cleanup');
    await mine.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: false });
    await mine.expect(200, 'POST', '/auth/workspace/disconnect-crma');
    await expectOtherUntouched();
  });

  it('a reset and a new key affect only their workspace', async () => {
    await mine.expect(200, 'POST', '/v1/commissions/reset', { scope: 'all' });
    await mine.expect(200, 'POST', '/v1/workspaces/keys/rotate', {});
    await expectOtherUntouched();
  });
});
