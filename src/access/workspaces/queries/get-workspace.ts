import { z } from 'zod';
import { fields } from '../../../api/resource-fields.js';
import { findConnectedCrm } from '../../../crm/connections/crm-connection-views.js';
import { fieldMappingExample } from '../../../deals/fields/field-mapping.js';
import { defaultMinQuotaPercent } from '../../../engine/effective-quota.js';
import { type Caller, readsEveryone } from '../../../kernel/caller.js';
import { type Clock } from '../../../kernel/clock.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { assignedQuery, type PlanVersion, planVersion } from '../../../plans/plan.js';
import { planExample } from '../../../plans/plan-examples.js';
import { planTermParts } from '../../../plans/plan-tool-text.js';
import { listPlanVersions, visiblePlan } from '../../../plans/plan-views.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { MailServer } from '../../../platform/mail/mail-server.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { flag } from '../../../platform/operations/schemas.js';
import { findIdentity, tokenFields, toTokenFields } from '../../auth/identity-views.js';
import { adjustmentLimits } from '../adjustment-limits.js';
import { approvalSteps } from '../approval-steps.js';
import { activeRepDigest } from '../rep-digest.js';
import {
  accounting,
  agentWrites,
  blockApprovalOnDispute,
  defaultFxMaxAgeDays,
  fxMaxAgeDays,
  keyMask,
  mailState,
  managerScope,
  maskedKey,
  minQuotaPercent,
  paper,
  payFx,
  payouts,
  payrollTerms,
  recovery,
  stepUpMinutes,
  testDay,
} from '../workspace.js';
import { findMailState, findMaskedKey, findPayTerms, findWorkspace } from '../workspace-views.js';

const query = z.strictObject({
  includeDeleted: flag.default(false).describe('true: also deleted plans'),
  assigned: assignedQuery,
});

const identity = z.object({
  ...tokenFields,
  name: z.string().describe('Name of the person, or of the token'),
});

const response = z.object({
  caller: identity.describe('The caller: a person or a token'),
  workspaceId: fields.workspaceId,
  name: z.string().describe('Name of the workspace'),
  currency: fields.currency,
  timezone: fields.timezone,
  tier: z.enum(['free', 'pro', 'enterprise']).describe('Tier of the subscription'),
  isDemo: z.boolean().describe('Whether the workspace has sample data'),
  isSandbox: z.literal(true).optional().describe('true for a sandbox; absent otherwise'),
  testDay: testDay.optional().describe('The current day of a sandbox that has set one; absent otherwise'),
  mail: mailState,
  crm: z
    .object({
      connected: z.boolean().describe('Whether a CRM is connected'),
      provider: z.string().nullable().describe('The CRM; null for none'),
    })
    .describe('The connected CRM'),
  fieldMapping: z
    .object({
      standard: z.record(z.string(), z.string()).describe('Slugs of the standard values of a deal'),
      measures: z.record(z.string(), z.string()).describe('Slugs that plans use, each with the slug of the CRM'),
    })
    .describe('Which slug holds which value of a deal'),
  paper: paper.nullable(),
  payroll: payrollTerms,
  managerScope: managerScope.describe('Whom managers see: workspace is everyone, reports the people below them'),
  blockApprovalOnDispute,
  agentWrites,
  stepUpMinutes,
  minQuotaPercent: minQuotaPercent.optional().describe(`${minQuotaPercent.description}; absent if it is 25`),
  fxMaxAgeDays: fxMaxAgeDays.optional().describe(`${fxMaxAgeDays.description}; absent if it is 45`),
  payouts: payouts.optional(),
  recovery: recovery.optional(),
  payFx: payFx.optional(),
  accounting: accounting.optional(),
  repDigest: activeRepDigest.optional(),
  approvalSteps: approvalSteps
    .optional()
    .describe(`${approvalSteps.description}; absent while one manager or admin approves`),
  adjustmentLimits: adjustmentLimits
    .optional()
    .describe(`${adjustmentLimits.description}; absent while an admin adds any amount`),
  apiKey: maskedKey,
  plans: z
    .array(planVersion)
    .describe('The active plans, each as its version in force; with includeDeleted also the deleted ones'),
});

/** The active plans, and with includeDeleted also the deleted ones. A rep sees only their own plans. */
async function plansFor(
  tx: Transaction,
  caller: Caller,
  { includeDeleted, assigned }: z.infer<typeof query>,
  clock: Clock,
): Promise<PlanVersion[]> {
  if (readsEveryone(caller.accessLevel)) return [];
  const onlyForRep = caller.accessLevel === 'rep' ? caller.repId : null;
  const today = await workspaceToday(tx, clock);
  const filter = includeDeleted ? { includeDeleted } : { status: 'active' as const };
  const { team } = caller;
  const plans = await listPlanVersions(tx, { ...filter, onlyForRep, team, today, maxAssigned: assigned });
  return plans
    .filter(({ status }) => status === 'active' || status === 'deleted')
    .map((plan) => visiblePlan(plan, caller));
}

export const getWorkspace = operation({
  id: 'getWorkspace',
  summary: 'The workspace: name, currency, CRM connection, field mapping and plans',
  method: 'get',
  path: '/v1/workspaces',
  access: 'connection',
  payroll: true,
  query,
  response,
  failures: {},
  tool: {
    name: 'get_workspace',
    title: 'Get workspace',
    hints: effects.reads,
    description: {
      purpose:
        'Caller (role, rep id, name, kind of token) and workspace: name, currency, time zone, CRM connection, field mapping and the plans in force.',
      useWhen: 'a conversation begins.',
      notFor: 'drafts and archived plans (list_plans).',
      changes: 'nothing.',
    },
    arguments: {
      includeDeleted: {
        description: 'Deleted plans too',
        schema: () => ({ type: 'boolean', default: false }),
      },
      assigned: { always: '100' },
    },
    listsWithin: ['plans'],
    detail: { defaultForm: 'summary', summaryOmits: planTermParts.map((part) => `plans.${part}`) },
    listedFirst: true,
    summary: ({ caller, currency, timezone, crm, plans }) =>
      `You act as ${caller.role ?? 'a connection token without a role'}${caller.repId === null ? '' : `, rep ${caller.repId}`}. Amounts are in ${currency}, days in ${timezone}. ${crm.connected ? 'A CRM is connected' : 'No CRM is connected'}; plans listed: ${plans.length}.`,
  },
  example: {
    response: {
      caller: { kind: 'ws', role: 'admin', repId: null, name: 'workspace key' },
      workspaceId: sampleIds.workspaceId,
      name: 'Acme',
      currency: 'USD',
      timezone: 'UTC',
      tier: 'enterprise',
      isDemo: false,
      mail: 'working',
      crm: { connected: false, provider: null },
      fieldMapping: fieldMappingExample,
      paper: null,
      payroll: { companyCode: 'A1B', earningCodes: { commission: 'C', bonus: 'B' } },
      managerScope: 'workspace',
      blockApprovalOnDispute: true,
      agentWrites: null,
      stepUpMinutes: null,
      apiKey: { masked: keyMask, isSet: true },
      plans: [planExample],
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK, mailServer: MailServer },
  async execute({ query: requested }, caller, { unitOfWork, clock, mailServer }): Promise<z.input<typeof response>> {
    return unitOfWork.read(caller, async (tx) => {
      const found = await findWorkspace(tx);
      const { minQuotaPercent: minimum, fxMaxAgeDays: maxAge, isSandbox, testDay: today, ...workspace } = found;
      const { standard, measures } = workspace.fieldMapping;
      const provider = await findConnectedCrm(tx);
      const { name, role } = await findIdentity(tx, caller);
      return {
        caller: { ...toTokenFields(caller), role, name },
        ...workspace,
        ...(minimum === defaultMinQuotaPercent ? {} : { minQuotaPercent: minimum }),
        ...(maxAge === defaultFxMaxAgeDays ? {} : { fxMaxAgeDays: maxAge }),
        ...(isSandbox ? { isSandbox } : {}),
        ...(today === null ? {} : { testDay: today }),
        ...(await findPayTerms(tx)),
        mail: (await mailServer.isSetUp(tx)) ? await findMailState(tx) : 'not_set_up',
        crm: { connected: provider !== null, provider },
        fieldMapping: { standard: { ...standard }, measures: { ...measures } },
        apiKey: await findMaskedKey(tx),
        plans: await plansFor(tx, caller, requested, clock),
      };
    });
  },
});
