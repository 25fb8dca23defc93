import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type AccessLevel, keyScopes } from '#src/kernel/caller.js';
import { operations as declared } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { findScope } from '#src/platform/operations/operation-scope.js';
import { hashToken, newToken, type TokenKind } from '#src/platform/secrets/token.js';
import { type ApiResponse } from '#test/support/api-client.js';
import { query } from '#test/support/ledger-checks.js';
import { Service } from '#test/support/service.js';

const operations: readonly AnyOperation[] = declared;

/**
 * A small request for every operation that changes nothing: where no request is needed, it is invalid. An operation
 * without a row fails the test. `<self>` is the caller's own rep, or Ada for callers without a rep.
 */
const requests: Readonly<Record<string, { readonly path?: string; readonly body?: unknown; readonly csv?: true }>> = {
  sendCode: { body: {} },
  verifyCode: { body: {} },
  openStartLink: { body: {} },
  setUpWorkspace: { body: {} },
  beginOidcLogin: { path: '/auth/oidc/login?workspaceId=none' },
  finishOidcLogin: {},
  listIntegrations: {},
  beginCrmaConnect: { path: '/auth/crma/connect?redirect=no' },
  beginCrmbConnect: { path: '/auth/crmb/connect?redirect=no' },
  beginCrmcConnect: { path: '/auth/crmc/connect?redirect=no' },
  connectCrma: { body: {} },
  connectCrmb: { body: {} },
  connectCrmc: { body: {} },
  disconnectCrma: {},
  disconnectCrmb: {},
  disconnectCrmc: {},
  setCrmcSync: { body: { enabled: 'no' } },
  rotateCrmcSecret: {},
  getCrmSettings: { path: '/v1/integrations/crmd/settings' },
  setCrmSettings: { path: '/v1/integrations/crmd/settings', body: {} },
  getWriteBack: { path: '/v1/integrations/crmd/write-back' },
  checkWriteBack: { path: '/v1/integrations/crmd/write-back/check' },
  updateIntegration: { path: '/v1/integrations/crmd', body: { pollSeconds: 600 } },
  listCrmSyncs: { path: '/v1/integrations/crmd/syncs' },
  getAuthStatus: {},
  getProfile: {},
  confirmSession: { body: {} },
  logOut: { body: { all: true } },
  receiveBillingEvent: { body: {} },
  whoAmI: {},
  getRevision: {},
  listFields: {},
  listFieldAttributes: {},
  listFieldOptions: { path: '/v1/fields/attributes/nope/options' },
  autoMatchFields: {},
  saveFieldMapping: { body: {} },
  getFieldMapping: {},
  getCommissions: { path: '/v1/commissions?dealId=ada-1' },
  getCommissionsDashboard: { path: '/v1/commissions/dashboard?dealId=ada-1' },
  listCommissionPeriods: { path: '/v1/commissions/periods?repId=<self>' },
  acceptException: { body: {} },
  deleteAcceptedException: { path: '/v1/commissions/exceptions/accepted/<unknown>' },
  listCommissionExceptions: { path: '/v1/commissions/exceptions?period=never' },
  explainCommission: { path: '/v1/commissions/events/<unknown>' },
  listCommissionEvents: {},
  listDealChanges: {},
  recalculateCommissions: { body: { async: 'no' } },
  listFailedCalculations: {},
  listRecalculationJobs: {},
  getRecalculationJob: { path: '/v1/commissions/recalculate/jobs/<unknown>' },
  syncCommissions: { body: { reconcile: 'no' } },
  getForecast: { path: '/v1/forecast?repId=<self>&seed=x' },
  getPayCalendar: { path: '/v1/pay-calendar?repId=<self>&seed=x' },
  getUpdates: { path: '/v1/updates?repId=<self>&since=x' },
  recordVisit: { body: { since: 5 } },
  simulateCommissions: { body: { planId: '<unknown>', period: '2026-03', repId: '<self>' } },
  cleanupCommissions: {},
  resetCommissions: { body: { scope: 'nothing' } },
  listDeals: {},
  listDealOwners: {},
  listImports: {},
  getImport: { path: '/v1/imports/<unknown>' },
  takeBackImport: { path: '/v1/imports/<unknown>/take-back', body: {} },
  listScheduledImports: {},
  createScheduledImport: { body: { name: 5 } },
  updateScheduledImport: { path: '/v1/scheduled-imports/<unknown>', body: { paused: true } },
  deleteScheduledImport: { path: '/v1/scheduled-imports/<unknown>' },
  testScheduledImport: { path: '/v1/scheduled-imports/<unknown>/test' },
  runScheduledImport: { path: '/v1/scheduled-imports/<unknown>/run' },
  confirmScheduledImport: { path: '/v1/scheduled-imports/<unknown>/confirm', body: { fileId: '<unknown>' } },
  listScheduledImportFiles: { path: '/v1/scheduled-imports/<unknown>/files' },
  listDealCorrections: {},
  endDealCorrections: { body: { corrections: [] } },
  dismissCorrectionConflicts: { body: { conflicts: [] } },
  matchDealOwners: { body: { matches: [{ owner: 'x', repId: null }] } },
  importDeals: { body: { deals: [] } },
  putDeal: { path: '/v1/deals/nope', body: { repId: '<unknown>' } },
  deleteDeal: { path: '/v1/deals/nope' },
  deleteDeals: { body: { dealIds: [] } },
  listScores: { path: '/v1/scores?field=points' },
  setScores: { body: { field: 'points', scores: [] } },
  getDealCredits: { path: '/v1/deals/nope/credits' },
  getDealLines: { path: '/v1/deals/nope/lines' },
  setDealLines: { path: '/v1/deals/nope/lines', body: { lines: [{ lineId: '1', amount: 1 }] } },
  deleteDealLines: { path: '/v1/deals/nope/lines' },
  getDeal: { path: '/v1/deals/nope' },
  listDealHistory: { path: '/v1/deals/nope/history' },
  setDealCredits: { path: '/v1/deals/nope/credits', body: { credits: [{ repId: null, percent: 100 }] } },
  listCreditRules: {},
  createCreditRule: { body: {} },
  updateCreditRule: { path: '/v1/credit-rules/<unknown>', body: {} },
  deleteCreditRule: { path: '/v1/credit-rules/<unknown>' },
  deleteDealCredits: { path: '/v1/deals/nope/credits' },
  importDealCredits: { body: 'deal\n', csv: true },
  importDealLines: { body: 'dealId\n', csv: true },
  listPlans: {},
  createPlan: { body: {} },
  listPlanTemplates: {},
  getPlanTemplate: { path: '/v1/plans/templates/nope' },
  getPlan: { path: '/v1/plans/<unknown>' },
  deletePlan: { path: '/v1/plans/<unknown>' },
  getPlanHistory: { path: '/v1/plans/<unknown>/history' },
  updatePlan: { path: '/v1/plans/<unknown>', body: {} },
  previewPlanChange: { path: '/v1/plans/<unknown>/preview', body: {} },
  getPlanPreview: { path: '/v1/plans/<unknown>/preview/jobs/<unknown>' },
  runPlanTests: { path: '/v1/plans/<unknown>/tests/run', body: {} },
  setPlanStatus: { path: '/v1/plans/<unknown>/status', body: {} },
  listPlanOverrides: { path: '/v1/plans/<unknown>/overrides' },
  setPlanOverride: { path: '/v1/plans/<unknown>/overrides/<self>', body: {} },
  deletePlanOverride: { path: '/v1/plans/<unknown>/overrides/<self>' },
  previewPlanOverride: { path: '/v1/plans/<unknown>/overrides/<self>/preview', body: {} },
  listAssignments: {},
  createAssignments: { body: {} },
  previewAssignments: { body: {} },
  importAssignments: { body: 'email\n', csv: true },
  updateAssignment: { path: '/v1/assignments/<unknown>', body: {} },
  listAbsences: {},
  createAbsence: { body: {} },
  importAbsences: { body: 'email\n', csv: true },
  listHolidays: {},
  importHolidays: { body: 'day\n', csv: true },
  updateAbsence: { path: '/v1/absences/<unknown>', body: {} },
  deleteAbsence: { path: '/v1/absences/<unknown>' },
  listFiscalYears: {},
  setFiscalYears: { body: {} },
  listFxRates: {},
  setFxRates: { body: {} },
  deleteFxRates: { path: '/v1/fx-rates?from=EUR' },
  importFxRates: { body: 'from\n', csv: true },
  listRateTables: {},
  getRateTable: { path: '/v1/rate-tables/nope' },
  setRateTable: { path: '/v1/rate-tables/nope', body: {} },
  previewRateTable: { path: '/v1/rate-tables/nope/preview', body: {} },
  importRateTableRows: { path: '/v1/rate-tables/nope/import', body: 'base\n', csv: true },
  deleteRateTable: { path: '/v1/rate-tables/nope' },
  listRateTableRevisions: { path: '/v1/rate-tables/nope/revisions' },
  lookUpRate: { path: '/v1/rate-tables/nope/lookup', body: { values: {} } },
  getRateCoverage: { path: '/v1/rate-tables/nope/coverage' },
  listRamps: {},
  createRamp: { body: {} },
  updateRamp: { path: '/v1/ramps/<unknown>', body: {} },
  deleteRamp: { path: '/v1/ramps/<unknown>' },
  deleteAssignment: { path: '/v1/assignments/<unknown>' },
  listQuotas: {},
  setQuotas: { body: {} },
  previewQuotas: { body: {} },
  importQuotas: { body: 'email\n', csv: true },
  deleteQuota: { path: '/v1/quotas/<unknown>' },
  getStatements: { path: '/v1/statements?repId=<self>' },
  getPayrollSums: {},
  exportStatementsCsv: { path: '/v1/statements/export.csv?period=never' },
  exportStatementsPdf: { path: '/v1/statements/export.pdf?period=never' },
  exportStatementsXlsx: { path: '/v1/statements/export.xlsx?period=never' },
  exportStatementsZip: { path: '/v1/statements/export.zip?period=never' },
  listExportJobs: {},
  getExportJob: { path: '/v1/statements/export/jobs/<unknown>' },
  getExportFile: { path: '/v1/statements/export/jobs/<unknown>/file' },
  createEvidence: { body: { from: 5 } },
  exportPerson: { body: { repId: 5 } },
  exportPlanDocument: { path: '/v1/plans/<unknown>/document.pdf?repId=<self>' },
  exportAcceptances: { path: '/v1/acceptances/export.csv?delimiter=none' },
  exportStatement: { path: '/v1/statements/<self>/export?period=never' },
  getStatementStatus: { path: '/v1/statements/<self>/status?period=never' },
  listRepStatements: { path: '/v1/statements/<self>/list' },
  generateStatements: { body: {} },
  generateStatement: { path: '/v1/statements/<unknown>/generate', body: {} },
  approveStatements: { body: {} },
  listApprovalJobs: { path: '/v1/statements/approve/jobs?period=never' },
  getApprovalJob: { path: '/v1/statements/approve/jobs/<unknown>' },
  listGenerationJobs: { path: '/v1/statements/generate/jobs?period=never' },
  getGenerationJob: { path: '/v1/statements/generate/jobs/<unknown>' },
  approveStatement: { path: '/v1/statements/<unknown>/approve', body: {} },
  consentStatement: { path: '/v1/statements/<self>/consent', body: {} },
  reassignStep: { path: '/v1/statements/<unknown>/reassign', body: {} },
  listApprovals: { path: '/v1/approvals?period=never' },
  listDelegations: {},
  setPlanAcceptance: { path: '/v1/plans/<unknown>/acceptance', body: {} },
  getPlanDocument: { path: '/v1/plans/<unknown>/document?repId=<self>' },
  acceptPlan: { path: '/v1/plans/<unknown>/acceptances', body: {} },
  declinePlan: { path: '/v1/plans/<unknown>/decline', body: {} },
  remindAcceptances: { path: '/v1/plans/<unknown>/acceptances/remind' },
  listAcceptances: {},
  listAdjustmentProposals: { path: '/v1/adjustments?status=never' },
  approveAdjustment: { path: '/v1/adjustments/<unknown>/approve', body: { reason: 1 } },
  rejectAdjustment: { path: '/v1/adjustments/<unknown>/reject', body: {} },
  putDelegation: { path: '/v1/delegations/<unknown>', body: {} },
  deleteDelegation: { path: '/v1/delegations/<unknown>' },
  addAdjustment: { path: '/v1/statements/<unknown>/adjust', body: {} },
  updateAdjustment: { path: '/v1/statements/<unknown>/adjust/<unknown>', body: {} },
  deleteAdjustment: { path: '/v1/statements/<unknown>/adjust/<unknown>' },
  trueUpStatement: { path: '/v1/statements/<unknown>/true-up', body: {} },
  listComments: { path: '/v1/statements/<self>/comments?period=never' },
  addComment: { path: '/v1/statements/<self>/comments', body: {} },
  deleteComment: { path: '/v1/statements/<self>/comments/<unknown>' },
  checkStatement: { path: '/v1/statements/<unknown>/checks', body: {} },
  listDisputes: {},
  openDispute: { body: {} },
  getDispute: { path: '/v1/disputes/<unknown>' },
  updateDispute: { path: '/v1/disputes/<unknown>', body: {} },
  listDiscrepancies: {},
  listDiscrepancyLines: { path: '/v1/discrepancies/<unknown>/lines' },
  resolveDiscrepancy: { path: '/v1/discrepancies/<unknown>/resolve', body: {} },
  recordPayrollHandover: { body: {} },
  listPayrollHandovers: {},
  listHandoverJobs: { path: '/v1/payroll-handovers/jobs?period=never' },
  getHandoverJob: { path: '/v1/payroll-handovers/jobs/<unknown>' },
  listInvoices: { path: '/v1/deals/D/invoices' },
  getInvoice: { path: '/v1/deals/D/invoices/I' },
  putInvoice: { path: '/v1/deals/D/invoices/I', body: {} },
  deleteInvoice: { path: '/v1/deals/D/invoices/I' },
  importInvoices: { body: 'dealId\n', csv: true },
  listRefunds: { path: '/v1/deals/D/refunds' },
  getRefund: { path: '/v1/deals/D/refunds/R' },
  importRefunds: { body: 'dealId\n', csv: true },
  putRefund: { path: '/v1/deals/D/refunds/R', body: {} },
  deleteRefund: { path: '/v1/deals/D/refunds/R' },
  waiveRefund: { path: '/v1/deals/D/refunds/R/waive', body: {} },
  listPayables: { path: '/v1/payables?repId=<self>' },
  listHolds: {},
  createHold: { body: {} },
  updateHold: { path: '/v1/payables/holds/<unknown>', body: {} },
  listDraws: {},
  createDraw: { body: {} },
  updateDraw: { path: '/v1/draws/<unknown>', body: {} },
  deleteDraw: { path: '/v1/draws/<unknown>' },
  importDraws: { body: 'email\n', csv: true },
  forgiveDraw: { path: '/v1/draws/<unknown>/forgive', body: {} },
  listBalances: {},
  listPayoutBatches: {},
  createPayoutBatch: { body: {} },
  getPayoutBatch: { path: '/v1/payout-batches/<unknown>' },
  updatePayoutBatch: { path: '/v1/payout-batches/<unknown>', body: {} },
  getPayoutFile: { path: '/v1/payout-batches/<unknown>/file' },
  getAccounting: {},
  putEntity: { path: '/v1/accounting/entities/main', body: {} },
  getRepEntities: { path: '/v1/reps/<unknown>/entities' },
  setRepEntities: { path: '/v1/reps/<unknown>/entities', body: {} },
  getContractCosts: { path: '/v1/accounting/contract-costs?month=none' },
  listAccountingPolicies: {},
  getContract: { path: '/v1/deals/none/contract' },
  putContract: { path: '/v1/deals/none/contract', body: {} },
  deleteContract: { path: '/v1/deals/none/contract' },
  importContracts: { body: 'dealId\n', csv: true },
  importOpeningLots: { body: 'lotId\n', csv: true },
  listOpeningLots: {},
  importRepEntities: { body: 'email\n', csv: true },
  importWriteOffs: { body: 'email\n', csv: true },
  importEstimates: { body: 'email\n', csv: true },
  getRenewalTest: { path: '/v1/accounting/renewal-test?month=none' },
  putImpairment: { path: '/v1/accounting/impairments/none/2026-01', body: {} },
  listImpairments: {},
  deleteImpairment: { path: '/v1/accounting/impairments/none/2026-01' },
  proposePolicy: { path: '/v1/accounting/policies/none/versions', body: {} },
  approvePolicy: { path: '/v1/accounting/policies/none/versions/1/approve' },
  withdrawPolicy: { path: '/v1/accounting/policies/none/versions/1' },
  listEstimates: {},
  putEstimates: { path: '/v1/accounting/estimates/2026-01', body: {} },
  listAccountingWriteOffs: {},
  proposeWriteOff: { path: '/v1/accounting/write-offs', body: {} },
  approveWriteOff: { path: '/v1/accounting/write-offs/<unknown>/approve' },
  withdrawWriteOff: { path: '/v1/accounting/write-offs/<unknown>' },
  listAccountingMonths: {},
  getAccountingMonth: { path: '/v1/accounting/months/none' },
  getPreparationJob: { path: '/v1/accounting/months/none/prepare/jobs/<unknown>' },
  prepareAccountingMonth: { path: '/v1/accounting/months/none/prepare' },
  cancelAccountingPreparation: { path: '/v1/accounting/months/none/prepare' },
  closeAccountingMonth: { path: '/v1/accounting/months/none/close', body: {} },
  reopenAccountingMonth: { path: '/v1/accounting/months/none/reopen', body: {} },
  exportJournals: { path: '/v1/accounting/journals/none/export' },
  recordPostedJournals: { path: '/v1/accounting/journals/none/posted', body: {} },
  getLiability: { path: '/v1/accounting/liability?month=none' },
  exportLiability: { path: '/v1/accounting/liability/export.csv?month=none' },
  listJournalLines: { path: '/v1/accounting/journals?month=none' },
  listReps: {},
  listRepChoices: {},
  upsertReps: { body: {} },
  importReps: { body: 'email\n', csv: true },
  getRep: { path: '/v1/reps/<self>' },
  listPersonFields: {},
  listAssignmentFilters: {},
  setAssignmentFilters: { body: {} },
  listSavedViews: {},
  setSavedViews: { body: { views: 5 } },
  setPersonFields: { body: {} },
  getPersonValues: { path: '/v1/reps/<unknown>/fields/title' },
  setPersonValues: { path: '/v1/reps/<unknown>/fields/title', body: { values: [] } },
  updateRep: { path: '/v1/reps/<unknown>', body: {} },
  addPayrollId: { path: '/v1/reps/<unknown>/payroll-id', body: {} },
  syncReps: {},
  receiveCrma: { body: {} },
  receiveCrmb: { body: [] },
  receiveCrmc: { body: {} },
  changeReps: { body: {} },
  bulkInviteReps: { body: {} },
  inviteRep: { path: '/v1/reps/<unknown>/invite' },
  listAgents: {},
  getAgentRequest: { path: '/v1/agents/request?request=none' },
  decideAgentRequest: { body: {} },
  disconnectAgent: { path: '/v1/agents/<unknown>' },
  listChangeRequests: {},
  previewChangeRequest: { path: '/v1/change-requests/<unknown>/preview' },
  decideChangeRequest: { path: '/v1/change-requests/<unknown>/decide', body: { decision: 'reject' } },
  getWorkspace: {},
  updateWorkspace: { body: {} },
  previewWorkspace: { body: { currency: 'none' } },
  getWorkspaceKey: {},
  rotateWorkspaceKey: { body: { graceMinutes: -1 } },
  listConnectionTokens: {},
  createConnectionToken: { body: { label: 5 } },
  listIntegrationKeys: {},
  createIntegrationKey: { body: { name: 5 } },
  revokeIntegrationKey: { path: '/v1/workspaces/integration-keys/<unknown>' },
  getInstallation: {},
  setMailServer: { path: '/v1/installation/mail-server', body: {} },
  deleteMailServer: {},
  sendTestMail: { body: {} },
  saveIdentityProvider: { body: {} },
  deleteIdentityProvider: { path: '/v1/installation/identity-providers/<unknown>' },
  listAuditEntries: {},
  getMailPreferences: {},
  setMailPreferences: { body: { disabled: 5 } },
  listWebhookEndpoints: {},
  createWebhookEndpoint: { body: { url: 5 } },
  updateWebhookEndpoint: { path: '/v1/webhook-endpoints/<unknown>', body: { enabled: true } },
  deleteWebhookEndpoint: { path: '/v1/webhook-endpoints/<unknown>' },
  rotateWebhookSecret: { path: '/v1/webhook-endpoints/<unknown>/rotate-secret', body: {} },
  listWebhookDeliveries: { path: '/v1/webhook-endpoints/<unknown>/deliveries' },
  replayWebhookDelivery: { path: '/v1/webhook-endpoints/<unknown>/deliveries/<unknown>/replay' },
  testWebhookEndpoint: { path: '/v1/webhook-endpoints/<unknown>/test' },
  deleteConnectionToken: { path: '/v1/workspaces/connection-tokens/<unknown>' },
  listAuditLogs: {},
  exportAuditLog: { path: '/v1/workspaces/audit-logs/export.ndjson?limit=none' },
};

/** Callers by kind with the access level of their token; null for invalid tokens. */
const callers: Readonly<Record<string, AccessLevel | null>> = {
  'no token': null,
  'a malformed token': null,
  'a deactivated rep': null,
  'a connection token': 'connection',
  'a rep': 'rep',
  'a payroll clerk': 'payroll',
  'an accountant': 'finance',
  'an auditor': 'auditor',
  'a manager': 'manager',
  'an admin': 'admin',
  'the workspace key': 'admin',
  'the key of another workspace': 'admin',
};

/** The operations for the role payroll: statements, exports, hand-overs and people, and those of every session. */
const payrollMayCall: ReadonlySet<string> = new Set([
  'listFiscalYears',
  'getAuthStatus',
  'getProfile',
  'confirmSession',
  'logOut',
  'whoAmI',
  'getMailPreferences',
  'listSavedViews',
  'setSavedViews',
  'setMailPreferences',
  'listAgents',
  'getAgentRequest',
  'decideAgentRequest',
  'disconnectAgent',
  'listChangeRequests',
  'previewChangeRequest',
  'decideChangeRequest',
  'getWorkspace',
  'listPersonFields',
  'listRepChoices',
  'listReps',
  'getRep',
  'getStatements',
  'getPayrollSums',
  'exportStatementsCsv',
  'exportStatementsPdf',
  'exportStatementsXlsx',
  'exportStatementsZip',
  'listExportJobs',
  'getExportJob',
  'getExportFile',
  'exportStatement',
  'exportPerson',
  'getStatementStatus',
  'listRepStatements',
  'getRevision',
  'listComments',
  'listPayrollHandovers',
  'listHandoverJobs',
  'getHandoverJob',
  'recordPayrollHandover',
  'listInvoices',
  'getInvoice',
  'getContract',
  'getRenewalTest',
  'listRefunds',
  'getRefund',
  'listPayables',
  'listHolds',
  'createHold',
  'updateHold',
  'listDraws',
  'listBalances',
  'listPayoutBatches',
  'createPayoutBatch',
  'getPayoutBatch',
  'updatePayoutBatch',
  'getPayoutFile',
  'getAccounting',
  'getRepEntities',
  'getLiability',
  'exportLiability',
  'listJournalLines',
  'listAccountingMonths',
  'getContractCosts',
  'listAccountingPolicies',
  'listAccountingWriteOffs',
  'listImpairments',
  'listOpeningLots',
  'listEstimates',
  'putEstimates',
  'getAccountingMonth',
  'getPreparationJob',
  'prepareAccountingMonth',
  'cancelAccountingPreparation',
  'exportJournals',
  'recordPostedJournals',
  'addPayrollId',
  'listDisputes',
  'getDispute',
  'listDiscrepancies',
  'listDiscrepancyLines',
  'listCommissionEvents',
]);

/** The role finance reads what payroll reads, and changes only what belongs to its own session. */
function financeMayCall({ id, method }: AnyOperation): boolean {
  if (method === 'get') return payrollMayCall.has(id);
  return ofOneself.includes(id);
}

/** What belongs to the own session, agents and data. */
const ofOneself: readonly string[] = [
  'confirmSession',
  'logOut',
  'setSavedViews',
  'setMailPreferences',
  'decideAgentRequest',
  'disconnectAgent',
  'exportPerson',
];

/** The role auditor reads everything, except what belongs to the operator and to connections, and changes nothing. */
function auditorMayCall({ id, method }: AnyOperation): boolean {
  if (method === 'get') return payrollMayCall.has(id) || !withoutScope.includes(id);
  return [...ofOneself, 'createEvidence', 'lookUpRate', 'autoMatchFields'].includes(id);
}

/** The operations that no integration key may call. */
const withoutScope: readonly string[] = [
  'createEvidence',
  'exportPerson',
  'acceptPlan',
  'declinePlan',
  'approveAdjustment',
  'rejectAdjustment',
  'consentStatement',
  'putDelegation',
  'deleteDelegation',
  'matchDealOwners',
  'listIntegrations',
  'beginCrmaConnect',
  'beginCrmbConnect',
  'beginCrmcConnect',
  'connectCrma',
  'connectCrmb',
  'connectCrmc',
  'disconnectCrma',
  'disconnectCrmb',
  'disconnectCrmc',
  'setCrmcSync',
  'rotateCrmcSecret',
  'setCrmSettings',
  'checkWriteBack',
  'confirmScheduledImport',
  'updateIntegration',
  'confirmSession',
  'logOut',
  'resetCommissions',
  'upsertReps',
  'importReps',
  'updateRep',
  'updateScheduledImport',
  'addPayrollId',
  'setPersonFields',
  'setPersonValues',
  'setAssignmentFilters',
  'syncReps',
  'testScheduledImport',
  'changeReps',
  'bulkInviteReps',
  'inviteRep',
  'updateWorkspace',
  'rotateWorkspaceKey',
  'runScheduledImport',
  'createConnectionToken',
  'deleteConnectionToken',
  'deleteScheduledImport',
  'createIntegrationKey',
  'createScheduledImport',
  'createDraw',
  'updateDraw',
  'deleteDraw',
  'importDraws',
  'forgiveDraw',
  'putEntity',
  'importContracts',
  'importOpeningLots',
  'importRepEntities',
  'importWriteOffs',
  'importEstimates',
  'putImpairment',
  'deleteImpairment',
  'setRepEntities',
  'putEstimates',
  'prepareAccountingMonth',
  'cancelAccountingPreparation',
  'proposePolicy',
  'approvePolicy',
  'withdrawPolicy',
  'proposeWriteOff',
  'approveWriteOff',
  'withdrawWriteOff',
  'closeAccountingMonth',
  'reopenAccountingMonth',
  'recordPostedJournals',
  'revokeIntegrationKey',
  'getInstallation',
  'setMailServer',
  'deleteMailServer',
  'sendTestMail',
  'saveIdentityProvider',
  'deleteIdentityProvider',
  'listSavedViews',
  'setSavedViews',
  'getMailPreferences',
  'setMailPreferences',
  'getAgentRequest',
  'decideAgentRequest',
  'disconnectAgent',
  'previewChangeRequest',
  'decideChangeRequest',
  'createWebhookEndpoint',
  'updateWebhookEndpoint',
  'deleteWebhookEndpoint',
  'rotateWebhookSecret',
  'replayWebhookDelivery',
  'testWebhookEndpoint',
];

const ranks: readonly string[] = ['public', 'connection', 'rep', 'manager', 'admin'];

describe('authorization', () => {
  const service = Service.duringSuite({
    settings: { RATE_LIMIT_PER_MINUTE: '10000', FAILED_SIGN_INS_PER_MINUTE: '10000' },
  });
  let workspaceId: string;
  let planIds: { shared: string; bobs: string };
  const ids = new Map<string, string>();
  const tokens = new Map<string, string>();

  before(async () => {
    const { workspaceId: made, apiKey, api } = await service.workspace();
    workspaceId = made;
    const people = {
      Amy: 'admin',
      Max: 'manager',
      Pat: 'payroll',
      Fay: 'finance',
      Udo: 'auditor',
      Ada: 'rep',
      Bob: 'rep',
      Gone: 'rep',
    };
    const saved = await api.saveReps(
      ...Object.entries(people).map(([name, role]) => ({ name, role, active: name !== 'Gone' })),
    );
    for (const [at, name] of Object.keys(people).entries()) ids.set(name.toLowerCase(), saved[at] as string);
    ids.set('unknown', randomUUID());
    tokens.set('a malformed token', 'ws_nope');
    tokens.set('the workspace key', apiKey);
    tokens.set('the key of another workspace', (await service.workspace()).apiKey);
    tokens.set('a connection token', await addToken('conn'));
    for (const scope of keyScopes) {
      const key = { name: 'Scoped', scopes: [scope] };
      tokens.set(
        `a key with the scope ${scope}`,
        (await api.expect(201, 'POST', '/v1/workspaces/integration-keys', key)).key,
      );
    }
    for (const [caller, name] of [
      ['a deactivated rep', 'gone'],
      ['a rep', 'ada'],
      ['a payroll clerk', 'pat'],
      ['an accountant', 'fay'],
      ['an auditor', 'udo'],
      ['a manager', 'max'],
      ['an admin', 'amy'],
    ] as const)
      tokens.set(caller, await addToken('sess', ids.get(name)));
    const tier = { tierIndex: 0, minThreshold: 0, rate: 0.08 };
    const tiers = [
      tier,
      ...['ada', 'bob'].map((name, index) => ({ ...tier, rate: 0.11 + index / 100, repId: ids.get(name) })),
    ];
    const config = { rules: [{ name: 'New business', measure: 'amount', attainmentPeriod: 'monthly', tiers }] };
    const shared = await api.createPlan({ name: 'Shared', config });
    const bobs = await api.createPlan({ name: "Bob's own", config });
    planIds = { shared: shared.planId, bobs: bobs.planId };
    ids.set('shared', shared.planVersionId).set('bobs', bobs.planVersionId);
    const both = ['ada', 'bob'].map((name) => ids.get(name));
    await api.assign(both, shared.planId);
    await api.assign([ids.get('bob')], bobs.planId);
    const target = { repIds: both, planRuleId: shared.rules[0].id, period: '2026-03', target: 1000 };
    await api.expect(201, 'POST', '/v1/quotas', target);
    for (const name of ['ada', 'bob']) {
      const deal = { amount: 1000, closeDate: '2026-03-10', repId: ids.get(name) };
      await api.expect(201, 'PUT', `/v1/deals/${name}-1`, deal);
      const tiersOfRep = [{ tierIndex: 0, rate: name === 'ada' ? 0.21 : 0.22 }];
      await api.expect(200, 'PUT', `/v1/plans/${shared.planVersionId}/overrides/${ids.get(name)}`, {
        rules: [{ ruleId: shared.rules[0].id, tiers: tiersOfRep }],
      });
    }
    await service.waitForCalculations(workspaceId);
  });

  const addToken = (kind: TokenKind, repId?: string) => service.token(workspaceId, kind, repId);

  /** The caller's own rep, or Ada for callers without a rep. */
  const selves: Readonly<Record<string, string>> = {
    'a manager': 'max',
    'a payroll clerk': 'pat',
    'an accountant': 'fay',
    'an auditor': 'udo',
    'an admin': 'amy',
    'a deactivated rep': 'gone',
  };

  function send(
    caller: string,
    method: string,
    path: string,
    body?: unknown,
    type = 'application/json',
  ): Promise<ApiResponse> {
    const filled = (text: string) =>
      text.replace(
        /<([a-z]+)>/g,
        (_, name: string) =>
          ids.get(name === 'self' ? (selves[caller] ?? 'ada') : name) ?? expect.fail(`nothing is called ${name}`),
      );
    const text = body === undefined ? undefined : typeof body === 'string' ? body : filled(JSON.stringify(body));
    return service
      .client(tokens.get(caller) ?? null)
      .send(method, filled(path), text, text === undefined ? {} : { 'Content-Type': type });
  }

  function mayCall(caller: string, operation: AnyOperation): boolean {
    const accessLevel = callers[caller] ?? 'public';
    if (accessLevel === 'payroll') return (operation.access as string) === 'public' || payrollMayCall.has(operation.id);
    if (accessLevel === 'finance') return (operation.access as string) === 'public' || financeMayCall(operation);
    if (accessLevel === 'auditor') return (operation.access as string) === 'public' || auditorMayCall(operation);
    return ranks.indexOf(accessLevel) >= ranks.indexOf(operation.access);
  }

  describe('the access matrix', () => {
    it('has a row for every operation', () => {
      expect(operations.map(({ id }) => id).filter((id) => requests[id] === undefined)).to.deep.equal([]);
    });

    it('has operations with distinct ids and routes', () => {
      expect(new Set(operations.map(({ id }) => id)).size).to.equal(operations.length);
      expect(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size).to.equal(operations.length);
    });

    for (const operation of operations) {
      const row = requests[operation.id];
      if (row === undefined) continue;
      const path = row.path ?? operation.path;
      const method = operation.method.toUpperCase();
      for (const caller of Object.keys(callers)) {
        if (mayCall(caller, operation)) {
          it(`${operation.id}: ${caller} has access`, async () => {
            const answer = await send(caller, method, path, row.body, row.csv ? 'text/csv' : undefined);
            // Public operations may return 401 for a wrong code.
            const rejections = (operation.access as string) === 'public' ? [403] : [401, 403];
            expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).not.to.be.oneOf([
              ...rejections,
              405,
              415,
              500,
            ]);
            expect(answer.body?.message ?? '', 'the route exists').not.to.match(/^No route has this path/);
          });
          continue;
        }
        it(`${operation.id}: ${caller} has no access, with any input`, async () => {
          const expected = callers[caller] === null ? [401, 'unauthorized'] : [403, 'forbidden'];
          const nonsense = method === 'GET' ? undefined : '{';
          const nowhere = operation.path.replace(/:[a-zA-Z]+/g, 'nowhere');
          for (const answer of [
            await send(caller, method, path, row.body),
            await send(caller, method, `${nowhere}?a=1&a=2`, nonsense),
          ]) {
            expect([answer.status, answer.body.code]).to.deep.equal(expected);
          }
        });
      }
    }

    it('gives changes of keys, people, settings and connections to no integration key', () => {
      const closed = operations.filter((one) => (one.access as string) !== 'public' && findScope(one) === null);
      expect(closed.map(({ id }) => id).sort()).to.deep.equal([...withoutScope].sort());
    });

    for (const operation of operations) {
      const row = requests[operation.id];
      if (row === undefined || (operation.access as string) === 'public') continue;
      const needed = findScope(operation);
      it(`${operation.id}: an integration key ${needed === null ? 'has no access' : `needs the scope ${needed}`}`, async () => {
        for (const scope of keyScopes) {
          const caller = `a key with the scope ${scope}`;
          const method = operation.method.toUpperCase();
          const answer = await send(caller, method, row.path ?? operation.path, row.body, row.csv && 'text/csv');
          const isRejected = answer.body?.code === 'insufficient_scope';
          expect(isRejected, `${scope}: ${answer.status}`).to.equal(needed !== 'any' && needed !== scope);
          if (isRejected) expect([answer.status, answer.body.details]).to.deep.equal([403, { scope: needed }]);
        }
      });
    }

    it('returns the same response for every invalid token', async () => {
      const bodies = await Promise.all(
        ['no token', 'a malformed token', 'a deactivated rep'].map(
          async (caller) => (await send(caller, 'GET', '/v1/plans')).body,
        ),
      );
      expect(bodies[1]).to.deep.equal(bodies[0]);
      expect(bodies[2]).to.deep.equal(bodies[0]);
    });
  });

  describe('rules beyond the access level', () => {
    /** Requests of a rep about another rep. */
    const aboutOther = (other: string): (readonly [what: string, request: string, body?: unknown])[] => [
      ['a dashboard', `GET /v1/commissions?repId=${other}`],
      ['a dashboard by its other name', `GET /v1/commissions/dashboard?repId=${other}`],
      ['periods', `GET /v1/commissions/periods?repId=${other}`],
      ['deals', `GET /v1/deals?repId=${other}`],
      ['quotas', `GET /v1/quotas?repId=${other}`],
      ['assignments', `GET /v1/assignments?repId=${other}`],
      ['a person', `GET /v1/reps/${other}`],
      ['a simulation', 'POST /v1/commissions/simulate', { ...simulated, repId: other }],
      ['a simulation of several', 'POST /v1/commissions/simulate', { ...simulated, repIds: ['<ada>', other] }],
      ['a statement', `GET /v1/statements?repId=${other}`],
      ['the lines of a statement', `GET /v1/statements/${other}/export?period=2026-03`],
      ['the status of a statement', `GET /v1/statements/${other}/status?period=2026-03`],
      ['comments', `GET /v1/statements/${other}/comments?period=2026-03`],
      ['a comment on another statement', `POST /v1/statements/${other}/comments`, { period: '2026-03', body: 'x' }],
    ];
    const simulated = { planId: '<unknown>', period: '2026-03' };
    const rules: readonly (readonly [
      what: string,
      caller: string,
      request: string,
      body: unknown,
      expected: string,
    ])[] = [
      ...['<bob>', '<unknown>'].flatMap((other) =>
        aboutOther(other).map(([what, request, body]) => [what, 'a rep', request, body, '403 forbidden'] as const),
      ),
      ['the statements of the team', 'a rep', 'GET /v1/statements', undefined, '403 forbidden'],
      ['the statements of the team', 'a manager', 'GET /v1/statements', undefined, '200'],
      ['the team', 'a rep', 'GET /v1/commissions', undefined, '403 forbidden'],
      ["another's deal", 'a rep', 'GET /v1/commissions?dealId=bob-1', undefined, '403 forbidden'],
      ['a plan of others', 'a rep', 'GET /v1/plans/<bobs>', undefined, '404 plan_not_found'],
      ['the history of a plan of others', 'a rep', 'GET /v1/plans/<bobs>/history', undefined, '404 plan_not_found'],
      ['the overrides of a plan of others', 'a rep', 'GET /v1/plans/<bobs>/overrides', undefined, '404 plan_not_found'],
      ['their own dashboard', 'a rep', 'GET /v1/commissions?repId=<ada>', undefined, '200'],
      ['their own deal', 'a rep', 'GET /v1/commissions?dealId=ada-1', undefined, '200'],
      ['themself', 'a rep', 'GET /v1/reps/<ada>', undefined, '200'],
      ['their own plan', 'a rep', 'GET /v1/plans/<shared>', undefined, '200'],
      ['the team', 'a manager', 'GET /v1/commissions', undefined, '200'],
      ['any dashboard', 'a manager', 'GET /v1/commissions?repId=<bob>', undefined, '200'],
      ['any person', 'a manager', 'GET /v1/reps/<bob>', undefined, '200'],
      ['any deal', 'a manager', 'GET /v1/commissions?dealId=bob-1', undefined, '200'],
      ['the team', 'a connection token', 'GET /v1/commissions', undefined, '403 forbidden'],
      ['the team under its alias', 'a connection token', 'GET /v1/commissions/dashboard', undefined, '403 forbidden'],
      ['a dashboard', 'a connection token', 'GET /v1/commissions?repId=<ada>', undefined, '403 forbidden'],
      [
        'the dashboard of an unknown rep',
        'a connection token',
        'GET /v1/commissions?repId=<unknown>',
        undefined,
        '403 forbidden',
      ],
      ['a deal', 'a connection token', 'GET /v1/commissions?dealId=ada-1', undefined, '200'],
      ['the deals', 'a connection token', 'GET /v1/deals', undefined, '200'],
      ['the field mapping', 'a connection token', 'GET /v1/fields/current', undefined, '200'],
      ['the workspace', 'a connection token', 'GET /v1/workspaces', undefined, '200'],
    ];
    for (const [what, caller, request, body, expected] of rules) {
      it(`${caller} requests ${what} (${request}): ${expected}`, async () => {
        const [method, path] = request.split(' ') as [string, string];
        const answer = await send(caller, method, path, body);
        const got = answer.status < 300 ? `${answer.status}` : `${answer.status} ${answer.body.code}`;
        expect(got, JSON.stringify(answer.body).slice(0, 300)).to.equal(expected);
      });
    }

    it("a connection token may call exactly the operations that read no person's pay", () => {
      const open = operations
        .filter(({ access }) => (access as string) === 'connection')
        .map(({ method, path }) => `${method} ${path}`);
      expect(open).to.have.members([
        'get /auth/me',
        'get /auth/status',
        'get /auth/workspace/integrations',
        'get /v1',
        'get /v1/commissions',
        'get /v1/commissions/dashboard',
        'get /v1/commissions/periods',
        'get /v1/deals',
        'get /v1/fields',
        'get /v1/fields/attributes',
        'get /v1/fields/attributes/:slug/options',
        'get /v1/fields/current',
        'post /v1/fields/auto-match',
        'get /v1/plans',
        'get /v1/plans/:planId',
        'get /v1/plans/:planId/history',
        'get /v1/plans/templates',
        'get /v1/plans/templates/:templateId',
        'get /v1/reps',
        'get /v1/reps/:repId',
        'get /v1/workspaces',
      ]);
    });

    it('a connection token reads plans without tiers of single reps', async () => {
      const read = async (path: string) => (await send('a connection token', 'GET', path)).body;
      const plans = await read('/v1/plans');
      expect(plans.map((plan: { name: string }) => plan.name)).to.deep.equal(["Bob's own", 'Shared']);
      const shown = [
        plans,
        await read('/v1/plans?versions=all'),
        await read(`/v1/plans/${planIds.shared}`),
        await read('/v1/plans/<shared>/history'),
        (await read('/v1/workspaces')).plans,
      ];
      for (const answer of shown) {
        expect(JSON.stringify(answer)).to.include(':0.08');
        // An instant may contain the digits of a rate, but not after a colon.
        for (const own of [':0.11', ':0.12', ':0.21', ':0.22']) expect(JSON.stringify(answer)).not.to.include(own);
      }
    });

    it('a connection token reads reps without their payroll id', async () => {
      const admin = (path: string) => send('the workspace key', 'GET', path);
      const body = { reps: [{ name: 'Ada', email: 'Ada@x.io', payrollId: 'P-17' }] };
      await send('the workspace key', 'PUT', '/v1/reps', body);
      expect((await admin('/v1/reps/<ada>')).body.payrollId).to.equal('P-17');
      const { reps } = (await send('a connection token', 'GET', '/v1/reps')).body;
      expect(reps).to.have.length(8);
      const one = (await send('a connection token', 'GET', '/v1/reps/<ada>')).body;
      expect(one).to.include({ name: 'Ada', payrollId: null });
      expect(JSON.stringify([reps, one])).not.to.include('P-17');
    });

    it('a connection token reads the breakdown of a deal without adjustments', async () => {
      await send('the workspace key', 'POST', '/v1/statements/<bob>/adjust', {
        amount: -5,
        reason: 'a private matter',
        period: '2026-03',
        dealId: 'bob-1',
      });
      const kinds = async (caller: string) => {
        const { events } = (await send(caller, 'GET', '/v1/commissions?dealId=bob-1')).body;
        return new Set(events.map((event: { kind: string }) => event.kind));
      };
      expect([...(await kinds('an admin'))]).to.have.members(['adjustment', 'commission_earned']);
      expect([...(await kinds('a connection token'))]).to.deep.equal(['commission_earned']);
    });

    it('a connection token reads the periods', async () => {
      expect((await send('a connection token', 'GET', '/v1/commissions/periods')).body).to.deep.equal(['2026-03']);
    });

    it('only sign-in and webhooks are public', () => {
      const open = operations.filter(({ access }) => (access as string) === 'public').map(({ path }) => path);
      expect(open.filter((path) => !/^\/(auth|webhooks)\//.test(path))).to.deep.equal([]);
    });

    it('a rep receives only their own data in every list', async () => {
      const read = async (path: string) => (await send('a rep', 'GET', path)).body;
      const ada = ids.get('ada');
      expect((await read('/v1/reps')).reps.map((rep: { id: string }) => rep.id)).to.deep.equal([ada]);
      expect(await read('/v1/reps?email=bob@x.io')).to.deep.equal({ reps: [] });
      expect(await read('/v1/deals')).to.deep.include({ count: 1 });
      expect((await read('/v1/deals')).deals.map((deal: { deal_id: string }) => deal.deal_id)).to.deep.equal(['ada-1']);
      for (const path of ['/v1/quotas', '/v1/assignments', `/v1/assignments?planId=${planIds.shared}`]) {
        expect(
          (await read(path)).map((one: { repId: string }) => one.repId),
          path,
        ).to.deep.equal([ada]);
      }
      expect(await read(`/v1/assignments?planId=${planIds.bobs}`)).to.deep.equal([]);
      expect((await read('/v1/plans')).map((plan: { name: string }) => plan.name)).to.deep.equal(['Shared']);
      expect((await read('/v1/workspaces')).plans.map((plan: { name: string }) => plan.name)).to.deep.equal(['Shared']);
    });

    it("a rep reads a shared plan without other reps' tiers", async () => {
      for (const path of [
        '/v1/plans',
        '/v1/plans?versions=all',
        '/v1/plans/<shared>',
        '/v1/plans/<shared>/history',
        '/v1/plans/<shared>/overrides',
        '/v1/workspaces',
      ]) {
        const { status, body } = await send('a rep', 'GET', path);
        const text = JSON.stringify(body);
        expect(status, path).to.equal(200);
        expect(text, path)
          .to.include(ids.get('ada'))
          .and.not.include(ids.get('bob'))
          .and.not.include(':0.12')
          .and.not.include(':0.22');
      }
      const { body } = await send('a manager', 'GET', '/v1/plans/<shared>');
      expect(JSON.stringify(body)).to.include(ids.get('bob'));
    });

    it('a demotion or a deactivation takes effect with the next request', async () => {
      const url = service.database.ownerUrl;
      const person = ids.get('max');
      const statusOf = async () => (await send('a manager', 'GET', '/v1/commissions')).status;
      expect(await statusOf()).to.equal(200);
      await query(url, `update reps set role = 'rep' where workspace_id = $1 and rep_id = $2`, [workspaceId, person]);
      expect(await statusOf()).to.equal(403);
      await query(url, `update reps set role = 'manager', active = false where workspace_id = $1 and rep_id = $2`, [
        workspaceId,
        person,
      ]);
      expect(await statusOf()).to.equal(401);
      await query(url, 'update reps set active = true where workspace_id = $1 and rep_id = $2', [workspaceId, person]);
      expect(await statusOf()).to.equal(200);
    });

    it('a session without a rep is invalid', async () => {
      tokens.set('no rep', await addToken('sess'));
      expect((await send('no rep', 'GET', '/v1/plans')).status).to.equal(401);
    });

    it('the access of a token depends on its row, not on its prefix', async () => {
      const dressed = newToken('ws');
      await service.sql(
        `insert into tokens (workspace_id, token_id, kind, token_hash) values ($1, $2, 'conn', $3)`,
        workspaceId,
        randomUUID(),
        hashToken(dressed),
      );
      tokens.set('dressed', dressed);
      expect((await send('dressed', 'GET', '/v1/quotas')).status).to.equal(403);
    });
  });
});
