import { sql } from 'kysely';
import { type z } from 'zod';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type AdjustmentLimit } from './adjustment-limits.js';
import { type ApprovalStep } from './approval-steps.js';
import { type activeRepDigest } from './rep-digest.js';
import { type Accounting, keyMask, type maskedKey, type PayFx, type payouts, type recovery } from './workspace.js';
import { type PayPeriodSegment } from './workspace-tables.js';

export type WorkspaceRow = Awaited<ReturnType<typeof findWorkspace>>;

export async function findWorkspace(tx: Transaction) {
  return tx.db
    .selectFrom('workspaces')
    .select([
      'workspace_id as workspaceId',
      'name',
      'currency',
      'timezone',
      'tier',
      'is_demo as isDemo',
      'is_sandbox as isSandbox',
      'test_day as testDay',
      'field_mapping as fieldMapping',
      'paper',
      'payroll',
      'manager_scope as managerScope',
      'block_approval_on_dispute as blockApprovalOnDispute',
      'agent_writes as agentWrites',
      'step_up_minutes as stepUpMinutes',
      sql<number>`min_quota_percent::float8`.as('minQuotaPercent'),
      'fx_max_age_days as fxMaxAgeDays',
    ])
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
}

/** From which days on which pay periods count; null while payouts are off. */
export async function loadPayPeriodSegments(tx: Transaction): Promise<readonly PayPeriodSegment[] | null> {
  const { payouts: segments } = await tx.db
    .selectFrom('workspaces')
    .select('payouts')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return segments;
}

/** The state of the workspace's mails, given a mail server. */
export async function findMailState(tx: Transaction): Promise<'working' | 'failing'> {
  const { rows } = await sql<{ wasSent: boolean | null }>`select was_last_mail_sent() as "wasSent"`.execute(tx.db);
  return rows[0]?.wasSent === false ? 'failing' : 'working';
}

/** Whether the workspace has a valid key, masked. */
export async function findMaskedKey(tx: Transaction): Promise<z.input<typeof maskedKey>> {
  const key = await tx.db
    .selectFrom('tokens')
    .select('token_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('kind', '=', 'ws')
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirst();
  return { masked: key === undefined ? null : keyMask, isSet: key !== undefined };
}

/** The terms of payouts, approvals, accounting and weekly mails; each is absent while it has not been set. */
export async function findPayTerms(tx: Transaction): Promise<{
  payouts?: z.input<typeof payouts>;
  recovery?: z.input<typeof recovery>;
  payFx?: PayFx;
  approvalSteps?: ApprovalStep[];
  adjustmentLimits?: AdjustmentLimit[];
  accounting?: Accounting;
  repDigest?: z.input<typeof activeRepDigest>;
}> {
  const row = await tx.db
    .selectFrom('workspaces')
    .select([
      'payouts',
      'recovery_percent as percent',
      'pay_fx as payFx',
      'approval_steps as approvalSteps',
      'adjustment_limits as adjustmentLimits',
      'accounting',
      'rep_digest as repDigest',
    ])
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  const [first] = row.payouts ?? [];
  const last = row.payouts?.at(-1);
  return {
    ...(first === undefined || last === undefined
      ? {}
      : { payouts: { enabled: true, from: first.from, period: last.period, calendar: last.calendar } }),
    ...(row.percent === null ? {} : { recovery: { maxPercent: Number(row.percent) } }),
    ...(row.payFx === null ? {} : { payFx: row.payFx }),
    ...(row.approvalSteps === null ? {} : { approvalSteps: row.approvalSteps.map(({ since: _, ...step }) => step) }),
    ...(row.adjustmentLimits === null ? {} : { adjustmentLimits: [...row.adjustmentLimits] }),
    ...(row.repDigest === null ? {} : { repDigest: { enabled: true, ...row.repDigest } }),
    ...(row.accounting === null ? {} : { accounting: { enabled: true, ...row.accounting } }),
  };
}
