/** One call of an operation, as the OpenAPI document shows it. */
export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Uploads by media type, for operations that take files. */
  readonly uploads?: Readonly<Record<string, unknown>>;
  readonly answer?: unknown;
}

const ben = '0d5a3a4e-6d0c-4f1b-9a53-6a1f4f7f2b10';
const mia = '5c0e9f7a-2b52-4f1e-8a0e-3c1d2e4f5a6b';
const workspaceId = '7b1f0c52-9c1b-4c53-8d1c-0a7f6f5e4d3c';
const planId = 'a4d2c8e0-1f3b-4e5d-9c7a-8b6f5e4d3c2b';
const planVersionId = 'b5e3d9f1-204c-4f6e-8d8b-9c7a6f5e4d3c';
const ruleId = 'c6f4ea02-315d-4a7f-9e9c-ad8b7a6f5e4d';
const assignmentId = 'd7a5fb13-426e-4b8a-afad-be9c8b7a6f5e';
const quotaId = 'e8b60c24-537f-4c9b-b0be-cfad9c8b7a6f';
const jobId = 'f9c71d35-6480-4dac-81cf-d0bead9c8b7a';
const dealId = 'D-1';

const rule = {
  name: 'New business',
  measure: 'amount',
  attainmentPeriod: 'quarterly',
  tierMode: 'marginal',
  tiers: [
    { tierIndex: 0, minThreshold: 0, rate: 0.08 },
    { tierIndex: 1, minThreshold: 1, rate: 0.12 },
  ],
};
const dealConditions = [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }];
const config = { dealConditions, rules: [rule] };

const stretch = { planVersionId, version: 1, from: '2026-01-01', to: null };
const endedStretch = { ...stretch, version: 2, to: '2026-12-31' };
const plan = {
  planId,
  planVersionId,
  id: planVersionId,
  version: 1,
  name: 'AE',
  planStatus: 'active',
  status: 'active',
  versionStatus: 'active',
  timeline: [stretch],
  inForce: stretch,
  effectiveStart: '2026-01-01',
  effectiveEnd: null,
  currency: null,
  fieldMapping: null,
  config,
  dealConditions,
  rules: [{ id: ruleId, ...rule }],
  assignedReps: [{ repId: ben, name: 'Ben' }],
  createdAt: '2026-01-02T09:00:00.000Z',
};

const unassigned = {
  code: 'unassigned',
  path: '',
  message: 'No rep is assigned to the plan on the days that it covers, so it pays nobody. Assign reps to it.',
};

const benRecord = {
  id: ben,
  email: 'ben@acme.test',
  name: 'Ben',
  role: 'rep',
  active: true,
  crmMemberId: 'ben',
  avatar: null,
  invite_status: 'accepted',
  payrollId: '004711',
  managerId: mia,
};
const linkage = { provider: null, crmId: 'ben', syncedAt: null, lastDealOwnedAt: '2026-02-10' };
const session = { sessionToken: 'sess_…', expiresAt: '2026-02-11T21:00:00.000Z', rep: benRecord };

const unconnected = {
  connected: false,
  connectedAt: null,
  syncEnabled: true,
  broken: false,
  brokenReason: null,
  lastSyncAt: null,
};
const webhookUrl = (provider: string) => `https://pay.acme.com/webhooks/${provider}`;
const connectedTo = (provider: string, address: string | null) => ({
  connected: true,
  provider,
  accountId: '62515',
  webhookUrl: address,
  webhookSecret: null,
});

const assignment = {
  assignmentId,
  repId: ben,
  repName: 'Ben',
  planId,
  planName: 'AE',
  effectiveStart: '2026-01-01',
  effectiveEnd: null,
};
const handover = {
  handoverId: quotaId,
  period: '2026-02',
  layout: 'generic',
  note: 'Sent to payroll',
  filename: 'statements-2026-02.csv',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  bytes: 143,
  rowCount: 1,
  totals: [{ currency: 'USD', netPayout: 5600 }],
  missingPayrollIds: [],
  actor: { repId: mia, name: 'Mia' },
  createdAt: '2026-03-02T09:00:00.000Z',
};

const importedRow = {
  accepted: 1,
  unchanged: 0,
  rejected: 0,
  dryRun: false,
  results: [{ row: 1, outcome: 'created', email: 'ben@acme.test', repId: ben }],
};

const quota = {
  quotaId,
  repId: ben,
  planId,
  planRuleId: ruleId,
  measure: 'New business',
  period: '2026-Q1',
  target: 100000,
  variableTarget: null,
  current_value: 120000,
  attainment: 1.2,
};

const dealBody = { amount: 120000, stage: 'Won', closeDate: '2026-02-10', ownerId: 'ben' };
const deal = {
  deal_id: dealId,
  name: null,
  amount: 120000,
  currency: 'USD',
  stage: 'Won',
  closeDate: '2026-02-10',
  repId: ben,
  repName: 'Ben',
  ownerId: 'ben',
  provider: null,
  isClosed: true,
  isWon: true,
  fields: {},
  sourceUpdatedAt: null,
  snapshotAt: '2026-02-11T08:30:00.000Z',
  deleted_at: null,
};

const earnings = { total: 10400, commission: 10400, bonus: 0, adjustments: 0 };
const attainment = { measure: 'New business', period: '2026-Q1', target: 100000, credit: 120000, attainment: 1.2 };
const overview = {
  period: '2026-02',
  currency: 'USD',
  totals: earnings,
  otherCurrencies: [],
  reps: [
    {
      repId: ben,
      name: 'Ben',
      earnings,
      otherCurrencies: [],
      attainment: [{ planId, ...attainment }],
      dealCount: 1,
      statementStatus: 'none',
    },
  ],
};
const job = {
  jobId,
  kind: 'recalculation',
  status: 'completed',
  scope: 'plan',
  planId,
  startedAt: '2026-02-11T08:30:00.000Z',
  finishedAt: '2026-02-11T08:30:02.000Z',
  progress: { done: 12, total: 12 },
};
const mapping = {
  standard: { dealAmount: 'close_value', dealStage: 'deal_stage', closeDate: 'close_date', ownerId: 'sales_agent' },
  measures: { arr: 'annual_value' },
};
const overrides = {
  planVersionId,
  repId: ben,
  repName: 'Ben',
  rules: [{ ruleId, ruleName: 'New business', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }],
};
const summary = { totalCommission: 10400, totalBonuses: 0, totalAdjustments: 250, netPayout: 10650 };
const adjustment = {
  eventId: '1a2b3c4d-5e6f-4a8b-9c0d-1e2f3a4b5c6d',
  repId: ben,
  repName: 'Ben',
  dealId: null,
  dealName: null,
  planId: null,
  planName: null,
  ruleId: null,
  ruleName: null,
  kind: 'adjustment',
  category: 'adjustment',
  status: 'earned',
  amount: 250,
  base: null,
  tierName: null,
  credit: 0,
  currency: 'USD',
  period: '2026-02',
  earnedOn: '2026-02-28',
  reason: 'Contest in February',
  updatedAt: '2026-03-01T08:00:00.000Z',
};
const statementId = '2b3c4d5e-6f7a-4b9c-8d1e-2f3a4b5c6d7e';
const statement = {
  statementId,
  version: 1,
  period: '2026-02',
  repId: ben,
  repName: 'Ben',
  status: 'draft',
  currency: 'USD',
  summary,
  otherCurrencies: [],
  dealCount: 1,
  lineItems: [{ ...adjustment, closeDate: null, planVersion: null, rate: null, attainment: null }],
  generatedAt: '2026-03-01T08:05:00.000Z',
};
const february = { period: '2026-02' };
const exportJob = {
  jobId,
  kind: 'team.zip',
  status: 'completed',
  period: '2026-02',
  startedAt: '2026-03-01T08:10:00.000Z',
  finishedAt: '2026-03-01T08:10:12.000Z',
  progress: { done: 63, total: 63 },
  file: {
    path: `/v1/statements/export/jobs/${jobId}/file`,
    filename: 'statements-2026-02.zip',
    contentType: 'application/zip',
    bytes: 4_812_337,
    expiresAt: '2026-03-01T09:10:12.000Z',
  },
};
const comment = {
  commentId: '3c4d5e6f-7a8b-4c0d-9e2f-3a4b5c6d7e8f',
  repId: ben,
  period: '2026-02',
  dealId,
  body: 'Was this deal split?',
  author: { repId: ben, name: 'Ben' },
  createdAt: '2026-03-02T10:00:00.000Z',
};
const template = {
  templateId: 'flat-commission',
  name: 'Flat commission',
  description: 'One rate on every won deal',
  planConfig: { config },
  workedExample: {
    quotas: [],
    deals: [{ dealId, closeDate: '2026-02-10', amount: 1000 }],
    expected: [{ earnedBy: 'rep', dealId, ruleName: 'New business', tierName: null, amount: 80 }],
    note: '8 % of 1,000',
  },
};
const connectionToken = {
  id: '4d5e6f7a-8b9c-4d1e-8f3a-4b5c6d7e8f9a',
  label: 'CRM widget',
  createdAt: '2026-02-11T08:30:00.000Z',
};
const fieldList = [{ slug: 'close_value', label: 'Close value', type: 'currency' }];
const ofBen = { repId: ben };
const ofPlan = { planId };

/** An example of every operation, by its id. All use the same sample workspace. */
export const examples: Readonly<Record<string, Example>> = {
  whoAmI: {
    answer: {
      workspaceId,
      workspaceName: 'Acme',
      kind: 'ws',
      role: 'admin',
      repId: null,
      version: '0.1.0',
      docs: '/docs',
      openapi: '/v1/openapi.json',
    },
  },

  sendCode: { body: { email: 'ben@acme.test' }, answer: { sent: true } },
  verifyCode: { body: { email: 'ben@acme.test', code: '314159' }, answer: session },
  beginOidcLogin: {},
  finishOidcLogin: { query: { state: 'c3RhdGU', code: 'Y29kZQ' }, answer: session },
  listIntegrations: {
    answer: {
      crma: true,
      crmb: false,
      crmc: false,
      integrations: [
        { ...unconnected, provider: 'crma', connected: true, connectedAt: '2026-01-02T09:00:00.000Z' },
        { ...unconnected, provider: 'crmb' },
        { ...unconnected, provider: 'crmc', syncEnabled: false },
      ],
    },
  },
  receiveBillingEvent: {
    body: {
      id: 'evt_1QabcXYZ',
      object: 'event',
      type: 'customer.subscription.updated',
      data: { object: { id: 'sub_1Q', object: 'subscription', customer: 'cus_Q1', status: 'active' } },
    },
    answer: { accepted: 1, ignored: 0 },
  },
  beginCrmaConnect: { answer: { authorizeUrl: 'https://app.attio.com/authorize?client_id=…&state=…' } },
  beginCrmbConnect: { answer: { authorizeUrl: 'https://app.hubspot.com/oauth/authorize?client_id=…&state=…' } },
  beginCrmcConnect: {
    answer: { authorizeUrl: 'https://login.salesforce.com/services/oauth2/authorize?client_id=…&state=…' },
  },
  finishCrmaConnect: { query: { state: 'c3RhdGU', code: 'Y29kZQ' }, answer: connectedTo('crma', null) },
  finishCrmbConnect: { query: { state: 'c3RhdGU', code: 'Y29kZQ' }, answer: connectedTo('crmb', webhookUrl('crmb')) },
  finishCrmcConnect: {
    query: { state: 'c3RhdGU', code: 'Y29kZQ' },
    answer: { ...connectedTo('crmc', webhookUrl('crmc')), webhookSecret: 'told once' },
  },
  connectCrma: { body: { accessToken: '…' }, answer: connectedTo('crma', null) },
  connectCrmb: { body: { accessToken: '…' }, answer: connectedTo('crmb', webhookUrl('crmb')) },
  connectCrmc: {
    body: { accessToken: '…', refreshToken: '…', instanceUrl: 'https://acme.my.salesforce.com' },
    answer: { ...connectedTo('crmc', webhookUrl('crmc')), webhookSecret: 'told once' },
  },
  disconnectCrma: { answer: { disconnected: true, provider: 'crma' } },
  disconnectCrmb: { answer: { disconnected: false, provider: 'crmb' } },
  disconnectCrmc: { answer: { disconnected: false, provider: 'crmc' } },
  setCrmcSync: { body: { enabled: false }, answer: { enabled: false } },
  getAuthStatus: { answer: { valid: true, workspaceId, kind: 'sess', role: 'rep', repId: ben } },
  getProfile: {
    answer: {
      repId: ben,
      email: 'ben@acme.test',
      name: 'Ben',
      role: 'rep',
      workspace: { workspaceId, name: 'Acme', currency: 'USD', timezone: 'UTC' },
    },
  },
  logOut: { answer: { loggedOut: true } },

  listFields: { answer: fieldList },
  listFieldAttributes: { answer: fieldList },
  listFieldOptions: { params: { slug: 'dealStage' }, answer: [{ label: 'Won', value: 'Won' }] },
  autoMatchFields: { answer: mapping },
  saveFieldMapping: { body: mapping, answer: { ...mapping, jobId } },
  getFieldMapping: { answer: mapping },

  getCommissions: { query: { period: '2026-02' }, answer: overview },
  getCommissionsDashboard: { query: { period: '2026-02' }, answer: overview },
  listCommissionPeriods: { query: ofBen, answer: ['2026-02', '2026-01'] },
  listCommissionExceptions: {
    query: { period: '2026-02', limit: '20' },
    answer: {
      period: '2026-02',
      currency: 'USD',
      deals: 1,
      exceptions: [
        {
          reason: 'quota_missing',
          meaning: 'The rule needs a quota that is not set. Set the quota.',
          count: 1,
          totals: [{ currency: 'USD', amount: 120000 }],
          deals: [
            {
              dealId,
              name: null,
              stage: 'Won',
              closeDate: '2026-02-10',
              amount: 120000,
              currency: 'USD',
              repId: ben,
              repName: 'Ben',
              rules: [{ planId, planName: 'AE', ruleId, ruleName: 'New business' }],
              missing: [],
            },
          ],
        },
      ],
    },
  },
  recalculateCommissions: {
    body: { planId, async: true },
    answer: {
      triggered: true,
      async: true,
      jobId,
      status: 'running',
      scope: 'plan',
      startedAt: '2026-02-11T08:30:00.000Z',
    },
  },
  listRecalculationJobs: { answer: { jobs: [job], count: 1 } },
  getRecalculationJob: { params: { jobId }, answer: job },
  syncCommissions: {
    body: { recalculate: true, reconcile: false },
    answer: {
      synced: true,
      totalDeals: 240,
      triggered: true,
      message: '240 deals were pulled from crma: 2 new, 5 changed, 1 deleted.',
      provider: 'crma',
      jobId,
      status: 'completed',
      counts: { totalDeals: 240, created: 2, changed: 5, unchanged: 233, deleted: 1, reps: 12 },
      results: { crma: { jobId, status: 'completed', totalDeals: 240 } },
    },
  },
  simulateCommissions: {
    body: { planId, period: '2026-Q1', repId: ben, deals: [{ dealId: 'what-if', ...dealBody }] },
    answer: {
      planId,
      planVersionId,
      period: '2026-Q1',
      currency: 'USD',
      total: 0,
      warnings: [],
      reps: [{ repId: ben, total: 0, attainment: [attainment], rules: [], outcomes: [] }],
    },
  },
  cleanupCommissions: { answer: { deleted: 0, skippedLocked: 0 } },
  resetCommissions: { body: { scope: 'events' }, answer: { events: 12, quotas: 3, skippedLocked: 0 } },

  listDeals: {
    query: { repId: ben, stage: 'Won', limit: '100', offset: '0' },
    answer: { deals: [deal], count: 1, limit: 100, offset: 0 },
  },
  importDeals: {
    query: { idColumn: 'opportunity_id', dateFormat: 'MDY' },
    uploads: {
      'application/json': { deals: [{ dealId, ...dealBody }] },
      'text/csv': 'opportunity_id,close_value,deal_stage,close_date,sales_agent\nD-1,120000,Won,02/10/2026,ben\n',
    },
    answer: { accepted: 1, unchanged: 0, stale: 0, rejected: [], warnings: [], numberFormat: null, jobId },
  },
  putDeal: { params: { dealId }, body: dealBody, answer: deal },
  deleteDeal: {
    params: { dealId },
    query: { hard: 'false' },
    answer: { reversed: 1, statementLocked: false, softDeleted: true, hardDeleted: false },
  },

  listPlans: { query: { status: 'active' }, answer: [plan] },
  createPlan: {
    body: { name: 'AE', config, effectiveStart: '2026-01-01' },
    answer: { ...plan, assignedReps: [], warnings: [unassigned] },
  },
  listPlanTemplates: { answer: [template] },
  getPlanTemplate: { params: { templateId: 'flat-commission' }, answer: template },
  getPlan: { params: ofPlan, answer: plan },
  deletePlan: { params: ofPlan, answer: { deleted: true, planId } },
  getPlanHistory: { params: ofPlan, answer: [plan] },
  updatePlan: {
    params: { planRef: planId },
    body: { effectiveStart: '2026-01-01', effectiveEnd: '2026-12-31' },
    answer: {
      ...plan,
      version: 2,
      timeline: [endedStretch],
      inForce: endedStretch,
      effectiveEnd: '2026-12-31',
      warnings: [],
      overridesCarried: [
        { repId: ben, repName: 'Ben', ruleName: 'New business', tierIndex: 0, minThreshold: 0, rate: 0.1 },
      ],
      overridesDropped: [],
    },
  },
  setPlanStatus: {
    params: { planRef: planId },
    body: { status: 'archived' },
    answer: { ...plan, planStatus: 'archived', status: 'archived', timeline: [], inForce: null, warnings: [] },
  },
  listPlanOverrides: { params: { planVersionId }, answer: [overrides] },
  setPlanOverride: {
    params: { planVersionId, repId: ben },
    body: { rules: [{ ruleId, tiers: [{ tierIndex: 0, rate: 0.1 }] }] },
    answer: overrides,
  },
  deletePlanOverride: {
    params: { planVersionId, repId: ben },
    answer: { removed: true, planVersionId, repId: ben },
  },

  listAssignments: { query: ofBen, answer: [assignment] },
  createAssignments: { body: { repIds: [ben], planId, effectiveStart: '2026-01-01' }, answer: [assignment] },
  updateAssignment: {
    params: { assignmentId },
    body: { effectiveEnd: '2026-06-30' },
    answer: { ...assignment, effectiveEnd: '2026-06-30' },
  },
  importAssignments: {
    query: { dryRun: 'false' },
    uploads: { 'text/csv': 'email,plan,effectiveStart\nben@acme.test,AE,2026-01-01\n' },
    answer: importedRow,
  },
  deleteAssignment: { params: { assignmentId }, answer: { deleted: true, assignmentId } },

  listQuotas: { query: { repId: ben, period: '2026-Q1' }, answer: [quota] },
  setQuotas: {
    body: { repIds: [ben], measure: 'New business', period: '2026-Q1', target: 100000 },
    answer: [quota],
  },
  importQuotas: {
    query: { dryRun: 'false' },
    uploads: { 'text/csv': 'email,plan,period,target\nben@acme.test,AE,2026-Q1,100000\n' },
    answer: importedRow,
  },
  deleteQuota: { params: { quotaId }, answer: { deleted: true, quotaId } },

  checkStatement: {
    params: { repId: ben },
    body: { period: '2026-02', version: 1, note: 'Compared with the contract' },
    answer: {
      repId: ben,
      period: '2026-02',
      version: 1,
      note: 'Compared with the contract',
      checkedBy: { repId: mia, name: 'Mia' },
      checkedAt: '2026-03-02T09:00:00.000Z',
    },
  },
  recordPayrollHandover: {
    body: { period: '2026-02', layout: 'generic', note: 'Sent to payroll' },
    answer: handover,
  },
  listPayrollHandovers: { query: { period: '2026-02' }, answer: { handovers: [handover] } },
  getStatements: { query: { repId: ben, period: '2026-02' }, answer: statement },
  exportStatementsCsv: { query: february },
  exportStatementsPdf: { query: february },
  exportStatementsXlsx: { query: february },
  exportStatementsZip: { query: { ...february, async: 'true' }, answer: exportJob },
  listExportJobs: { answer: { jobs: [exportJob], count: 1 } },
  getExportJob: { params: { jobId }, answer: exportJob },
  getExportFile: { params: { jobId } },
  exportStatement: { params: ofBen, query: { period: '2026-02', format: 'json' }, answer: statement },
  getStatementStatus: {
    params: ofBen,
    query: february,
    answer: { repId: ben, period: '2026-02', status: 'draft', generated: true, version: 1 },
  },
  generateStatements: {
    body: february,
    answer: {
      period: '2026-02',
      generated: 1,
      skipped: 1,
      errors: 0,
      statements: [{ repId: ben, version: 1, statementId, netPayout: 10650 }],
      skippedReps: [{ repId: mia, reason: 'statement_locked' }],
      errorReps: [],
    },
  },
  generateStatement: { params: ofBen, body: february, answer: { generated: true, ...statement } },
  approveStatements: {
    body: {
      period: '2026-02',
      statements: [
        { repId: ben, version: 1 },
        { repId: mia, version: 2 },
      ],
    },
    answer: {
      period: '2026-02',
      approved: [{ repId: ben, version: 1, statementId, netPayout: 10650, currency: 'USD' }],
      refused: [
        {
          repId: mia,
          code: 'statement_changed',
          message: 'Version 2 is not the latest version. Check version 3 and approve it.',
        },
      ],
    },
  },
  approveStatement: {
    params: ofBen,
    body: { period: '2026-02', status: 'approved', version: 1 },
    answer: {
      ...statement,
      status: 'approved',
      approvedAt: '2026-03-03T09:00:00.000Z',
      approvedBy: { repId: mia, name: 'Mia Manager' },
    },
  },
  addAdjustment: {
    params: ofBen,
    body: { amount: 250, reason: 'Contest in February', period: '2026-02' },
    answer: adjustment,
  },
  updateAdjustment: {
    params: { repId: ben, adjustmentId: adjustment.eventId },
    body: { amount: 300 },
    answer: { ...adjustment, amount: 300 },
  },
  deleteAdjustment: { params: { repId: ben, adjustmentId: adjustment.eventId }, answer: { deleted: true } },
  trueUpStatement: {
    params: ofBen,
    body: february,
    answer: { action: 'requires_approval', delta: 620, approvalThreshold: 500 },
  },
  listComments: { params: ofBen, query: february, answer: [comment] },
  addComment: {
    params: ofBen,
    body: { period: '2026-02', dealId, body: 'Was this deal split?' },
    answer: comment,
  },
  deleteComment: { params: { repId: ben, commentId: comment.commentId }, answer: { deleted: true } },

  listReps: { query: { email: 'ben@acme.test' }, answer: { reps: [benRecord] } },
  importReps: {
    query: { dryRun: 'false' },
    uploads: { 'text/csv': 'email,name,role,managerEmail\nben@acme.test,Ben,rep,mia@acme.test\n' },
    answer: importedRow,
  },
  upsertReps: {
    body: {
      reps: [
        { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
        { email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben', managerEmail: 'mia@acme.test' },
      ],
    },
    answer: { reps: [benRecord] },
  },
  getRep: { params: ofBen, answer: { ...benRecord, ...linkage, linkage } },
  updateRep: { params: ofBen, body: { managerId: mia, managerFrom: '2026-01-01' }, answer: benRecord },
  syncReps: { answer: { synced: true, count: 1, reps: [benRecord] } },
  bulkInviteReps: {
    body: { repIds: [ben, mia] },
    answer: { invited: [ben], failed: [{ repId: mia, reason: 'rep_limit_reached' }], inviteCount: 1 },
  },
  inviteRep: { params: ofBen, answer: { invited: true, email: 'ben@acme.test' } },

  getWorkspace: {
    answer: {
      caller: { kind: 'ws', role: 'admin', repId: null, name: 'workspace key' },
      workspaceId,
      name: 'Acme',
      currency: 'USD',
      timezone: 'UTC',
      tier: 'enterprise',
      isDemo: false,
      crm: { connected: false, provider: null },
      fieldMapping: mapping,
      paper: null,
      payroll: { companyCode: 'A1B', earningCodes: { commission: 'C', bonus: 'B' } },
      managerScope: 'workspace',
      apiKey: { masked: 'ws_********************************', isSet: true },
      plans: [plan],
    },
  },
  updateWorkspace: { body: { name: 'Acme Inc.' }, answer: { updated: true, name: 'Acme Inc.' } },
  getWorkspaceKey: { answer: { masked: 'ws_********************************', isSet: true } },
  rotateWorkspaceKey: {
    body: { graceMinutes: 60 },
    answer: {
      apiKey: 'ws_…',
      masked: 'ws_********************************',
      oldKeyExpiresAt: '2026-02-11T09:30:00.000Z',
    },
  },
  listConnectionTokens: { answer: { tokens: [{ ...connectionToken, lastUsedAt: null }] } },
  createConnectionToken: { body: { label: 'CRM widget' }, answer: { ...connectionToken, token: 'conn_…' } },
  deleteConnectionToken: { params: { id: connectionToken.id }, answer: { deleted: true, id: connectionToken.id } },
  listAuditLogs: {
    query: { dealId, limit: '50' },
    answer: {
      runs: [
        {
          runId: jobId,
          actor: 'orchestrator',
          trigger: 'deal_change',
          scope: 'deal',
          dealId,
          repId: ben,
          outcome: 'written',
          counters: { eventsWritten: 1, eventsReversed: 0, statementLocked: false, skipped: 0 },
          startedAt: '2026-02-11T08:30:00.000Z',
          durationMs: 14,
        },
      ],
      count: 1,
      limit: 50,
      offset: 0,
    },
  },

  receiveCrma: {
    body: {
      webhook_id: '23e42eaf-323a-41da-b5bb-fd67eebda553',
      events: [{ event_type: 'record.updated', id: { record_id: 'bf071e1f-6035-429d-b874-d83ea64ea13b' } }],
    },
    answer: { accepted: 1, ignored: 0 },
  },
  receiveCrmb: {
    body: [{ portalId: 62515, objectId: 123, subscriptionType: 'deal.creation', occurredAt: 1732180001456 }],
    answer: { accepted: 1, ignored: 0 },
  },
  receiveCrmc: { body: { opportunityId: '006RO000000abcdYAA' }, answer: { accepted: 1, ignored: 0 } },
};
