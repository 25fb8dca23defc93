import { sql } from 'kysely';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { insertToken } from '../../platform/secrets/token-store.js';
import { acceptTimeZone } from './accepted-zone.js';
import { type AdjustmentLimit } from './adjustment-limits.js';
import { type StoredStep } from './approval-steps.js';
import { type PayFx } from './workspace.js';
import { type WorkspaceRow } from './workspace-views.js';

interface RotatedKey {
  readonly apiKey: string;
  /** Until when the old keys still work; null if there were none or they expired at once. */
  readonly oldKeyExpiresAt: Date | null;
}

/** Creates a new API key of the person and expires the others at once or after the grace time; writes an audit entry. */
export async function rotateWorkspaceKey(
  tx: Transaction,
  who: { readonly actor: string; readonly personId: string | null },
  graceMinutes: number,
  now: Date,
): Promise<RotatedKey> {
  const expiresAt = new Date(now.getTime() + graceMinutes * 60_000);
  const ended = await tx.db
    .updateTable('tokens')
    // The database's clock decides whether a token is valid, so an application clock that is ahead must not extend
    // its validity.
    .set({ expires_at: sql<Date>`least(${expiresAt}::timestamptz, now() + make_interval(mins => ${graceMinutes}))` })
    .where('workspace_id', '=', tx.workspaceId)
    .where('kind', '=', 'ws')
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', expiresAt)]))
    .executeTakeFirst();
  const apiKey = await insertWorkspaceKey(tx, who.personId);
  await recordAuditEntry(tx, who, { trigger: 'key_rotation', scope: 'workspace', details: { graceMinutes } });
  return { apiKey, oldKeyExpiresAt: graceMinutes > 0 && ended.numUpdatedRows > 0n ? expiresAt : null };
}

/** Creates an API key. It is returned only here: the database has its hash. */
export async function insertWorkspaceKey(tx: Transaction, createdBy: string | null): Promise<string> {
  const values = { workspace_id: tx.workspaceId, label: 'workspace key', created_by: createdBy };
  return (await insertToken(tx, 'ws', values)).token;
}

/** Changes the given fields; undefined keeps the stored value. */
export async function updateWorkspaceRow(
  tx: Transaction,
  change: {
    readonly [Field in keyof WorkspaceRow]?: (Field extends 'payroll' ? object : WorkspaceRow[Field]) | undefined;
  } & {
    readonly recovery?: { readonly maxPercent: number } | undefined;
    readonly payFx?: PayFx | undefined;
    readonly approvalSteps?: readonly StoredStep[] | null | undefined;
    readonly adjustmentLimits?: readonly AdjustmentLimit[] | null | undefined;
  },
): Promise<void> {
  await tx.db
    .updateTable('workspaces')
    .set({
      name: change.name,
      currency: change.currency,
      timezone: change.timezone && (await acceptTimeZone(tx, change.timezone)),
      paper: change.paper,
      manager_scope: change.managerScope,
      block_approval_on_dispute: change.blockApprovalOnDispute,
      agent_writes: change.agentWrites,
      step_up_minutes: change.stepUpMinutes,
      fx_max_age_days: change.fxMaxAgeDays,
      test_day: change.testDay,
      // Periodic rules count again what has ended on another day.
      ...(change.testDay === undefined ? {} : { periodic_through: null }),
      min_quota_percent: change.minQuotaPercent?.toString(),
      payroll: change.payroll && JSON.stringify(change.payroll),
      adjustment_limits: change.adjustmentLimits && JSON.stringify(change.adjustmentLimits),
      approval_steps: change.approvalSteps && JSON.stringify(change.approvalSteps),
      pay_fx: change.payFx && JSON.stringify(change.payFx),
      recovery_percent: change.recovery && String(change.recovery.maxPercent),
    })
    .where('workspace_id', '=', tx.workspaceId)
    .execute();
}
