import { z } from 'zod';
import { fields } from '../../../api/resource-fields.js';
import { rebuildDealProjections } from '../../../deals/rebuild-deal-projections.js';
import { beginBooksAgain, changeAccounting } from '../../../finance/change-accounting.js';
import { type Caller, peopleBehind } from '../../../kernel/caller.js';
import { type Clock } from '../../../kernel/clock.js';
import { allDays } from '../../../kernel/day.js';
import { Failure, invalid } from '../../../kernel/failure.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { changePayouts } from '../../../pay/payables/change-payouts.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { assertTablesFitCurrency } from '../../../plans/workspace-terms-checks.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { currency, text } from '../../../platform/operations/schemas.js';
import { changeApprovals } from '../../../statements/approvals/change-approvals.js';
import { adjustmentLimits } from '../adjustment-limits.js';
import { approvalSteps } from '../approval-steps.js';
import { changeRepDigest, repDigest } from '../rep-digest.js';
import {
  accounting,
  agentWrites,
  blockApprovalOnDispute,
  fxMaxAgeDays,
  managerScope,
  minQuotaPercent,
  paper,
  payFx,
  payouts,
  payrollTerms,
  recovery,
  stepUpMinutes,
  testDay,
  timeZone,
} from '../workspace.js';
import { updateWorkspaceRow } from '../workspace-store.js';
import { findWorkspace } from '../workspace-views.js';

const body = z.strictObject({
  name: text(200).optional().describe('Name of the workspace'),
  currency: currency.optional().describe('Currency of the workspace, ISO 4217 code'),
  timezone: timeZone
    .optional()
    .describe('IANA time zone of the workspace, such as Europe/Berlin; it decides when a day begins'),
  paper: paper.nullable().optional().describe('Paper size of PDF files; null for that of the currency'),
  payroll: payrollTerms.optional().describe('Codes of payroll files'),
  managerScope: managerScope
    .optional()
    .describe(
      'reports restricts managers to the people below them, in every operation; workspace lets them see everyone',
    ),
  blockApprovalOnDispute: blockApprovalOnDispute.optional(),
  agentWrites: agentWrites.optional(),
  stepUpMinutes: stepUpMinutes.optional(),
  minQuotaPercent: minQuotaPercent.optional(),
  fxMaxAgeDays: fxMaxAgeDays.optional(),
  payouts: payouts.optional(),
  recovery: recovery.optional(),
  payFx: payFx.optional(),
  accounting: accounting.optional(),
  repDigest: repDigest.optional(),
  approvalSteps: approvalSteps
    .nullable()
    .optional()
    .describe(`${approvalSteps.description}; null: one manager or admin approves`),
  adjustmentLimits: adjustmentLimits
    .nullable()
    .optional()
    .describe(`${adjustmentLimits.description}; null: an admin adds any amount`),
  testDay: testDay
    .nullable()
    .optional()
    .describe('Only in sandboxes: the day that counts as today, YYYY-MM-DD; null for the real day'),
});

const response = z.object({
  updated: z.literal(true).describe('Always true'),
  name: z.string().optional().describe('New name of the workspace; absent if it did not change'),
  currency: fields.currency.optional(),
  timezone: fields.timezone.optional(),
  paper: paper.nullable().optional(),
  payroll: payrollTerms.optional(),
  managerScope: managerScope.optional(),
  blockApprovalOnDispute: blockApprovalOnDispute.optional(),
  agentWrites: agentWrites.optional(),
  stepUpMinutes: stepUpMinutes.optional(),
  minQuotaPercent: minQuotaPercent.optional(),
  fxMaxAgeDays: fxMaxAgeDays.optional(),
  payouts: payouts.optional(),
  recovery: recovery.optional(),
  payFx: payFx.optional(),
  accounting: accounting.optional(),
  repDigest: repDigest.optional(),
  approvalSteps: approvalSteps.nullable().optional(),
  adjustmentLimits: adjustmentLimits.nullable().optional(),
  testDay: testDay.nullable().optional(),
});

function notASandbox(): Failure {
  return new Failure(
    'not_a_sandbox',
    'Only a sandbox has a day of its choice. Create one with: npx commissions workspace create NAME --sandbox',
  );
}

/** The change may move what the people behind the caller are paid of commission that stays as it is. */
function ownMovedPay({ payouts: periods, recovery: limit, payFx: rates }: z.output<typeof body>, caller: Caller) {
  if ([periods, limit, rates].every((changed) => changed === undefined)) return [];
  return peopleBehind(caller).map((repId) => ({ repId, days: allDays }));
}

/** Changes the settings that have rules of their own. Returns the others. */
async function changeTerms(
  tx: Transaction,
  caller: Caller,
  { payouts: payPeriods, accounting: books, repDigest: mail, ...columns }: z.output<typeof body>,
  clock: Clock,
) {
  const now = { today: await workspaceToday(tx, clock), at: clock.now() };
  if (payPeriods !== undefined && (await changePayouts(tx, payPeriods))) await beginBooksAgain(tx, caller, now);
  if (books !== undefined) await changeAccounting(tx, caller, books, now);
  if (mail !== undefined) await changeRepDigest(tx, mail, now.today);
  return columns;
}

export const updateWorkspace = operation({
  id: 'updateWorkspace',
  summary:
    'Change the name, currency, time zone, paper, payroll terms, manager scope, step-up, payouts, recovery, rates of payment, accounting, the weekly mail to people, the minimum of prorated quotas, the max age of exchange rates, whether disputes block approvals, what happens with changes by agents, or the day of a sandbox; a new currency, time zone, minimum, max age or day recalculates every rep',
  method: 'patch',
  path: '/v1/workspaces',
  access: 'admin',
  // Null lets keys write without a confirmation, as allow does.
  stepUp: ({ body: { stepUpMinutes: minutes, agentWrites: mode, approvalSteps: steps, adjustmentLimits: limits } }) =>
    minutes !== undefined || steps !== undefined || limits !== undefined || mode === 'allow' || mode === null,
  body,
  response,
  failures: { currency_differs: 400, pay_period_in_use: 409, month_closed: 409, not_a_sandbox: 409 },
  example: { body: { name: 'Acme Inc.' }, response: { updated: true, name: 'Acme Inc.' } },
  uses: { changes: CommissionChanges, clock: CLOCK },
  /** Plans without a currency pay in the workspace's, and its time zone decides on which day a deal closed. */
  async execute({ body: change }, caller, { changes, clock }): Promise<z.input<typeof response>> {
    const present: typeof change = Object.fromEntries(
      Object.entries(change).filter(([, value]) => value !== undefined),
    );
    if (Object.keys(present).length === 0)
      throw invalid({
        path: '',
        message:
          'give at least one of name, currency, timezone, paper, payroll, managerScope, blockApprovalOnDispute, agentWrites, stepUpMinutes, minQuotaPercent, fxMaxAgeDays, payouts, recovery, payFx, approvalSteps, adjustmentLimits, accounting, repDigest, testDay',
      });
    await changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const before = await findWorkspace(tx);
      if (present.testDay !== undefined && !before.isSandbox) throw notASandbox();
      if (present.currency !== undefined && present.currency !== before.currency)
        await assertTablesFitCurrency(tx, present.currency);
      const columns = await changeTerms(tx, caller, present, clock);
      tx.movedPay.push(...ownMovedPay(present, caller));
      const approvalSteps = await changeApprovals(tx, present, clock.now());
      if (Object.keys(columns).length === 0) return;
      await updateWorkspaceRow(tx, { ...columns, approvalSteps });
      const after = await findWorkspace(tx);
      if (present.timezone !== undefined) present.timezone = after.timezone;
      const decisive = ['currency', 'timezone', 'minQuotaPercent', 'fxMaxAgeDays', 'testDay'] as const;
      if (decisive.every((name) => after[name] === before[name])) return;
      if (after.timezone !== before.timezone) await rebuildDealProjections(tx);
      await recalculate.workspace('workspace_change');
    });
    return { updated: true, ...present };
  },
});
