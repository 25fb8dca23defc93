import { isDeepStrictEqual } from 'node:util';
import { type AdjustmentLimit } from '../../access/workspaces/adjustment-limits.js';
import { type ApprovalStep, type Signers, type StoredStep } from '../../access/workspaces/approval-steps.js';
import { rejectAny } from '../../kernel/failure.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { endRemovedSteps, loadSteps } from './signature-store.js';

interface ApprovalChange {
  readonly approvalSteps?: readonly ApprovalStep[] | null | undefined;
  readonly adjustmentLimits?: readonly AdjustmentLimit[] | null | undefined;
}

/**
 * Prepares a change: the people of steps and limits must be able to sign, and signatures of removed steps end. Returns
 * the steps as they are stored; undefined if they do not change.
 */
export async function changeApprovals(
  tx: Transaction,
  { approvalSteps: steps, adjustmentLimits: limits }: ApprovalChange,
  at: Date,
): Promise<readonly StoredStep[] | null | undefined> {
  await assertSigners(tx, 'adjustmentLimits', limits ?? []);
  if (steps === undefined) return undefined;
  await assertSigners(tx, 'approvalSteps', steps ?? []);
  await endRemovedSteps(
    tx,
    (steps ?? []).map(({ name }) => name),
    at,
  );
  return steps && dateSteps(steps, (await loadSteps(tx)) ?? [], at);
}

/** An unchanged step keeps its instant while all before it are unchanged. */
function dateSteps(steps: readonly ApprovalStep[], stored: readonly StoredStep[], at: Date): readonly StoredStep[] {
  const isSame = (step: StoredStep | undefined, other: StoredStep) =>
    isDeepStrictEqual({ ...step, since: undefined }, { ...other, since: undefined });
  const changed = steps.findIndex((step, index) => !isSame(stored[index], step));
  const same = stored.slice(0, changed === -1 ? steps.length : changed);
  return [...same, ...steps.slice(same.length).map((step) => ({ ...step, since: at.toISOString() }))];
}

/** Rejects people who may not sign: they must be active managers or admins. */
async function assertSigners(
  tx: Transaction,
  field: string,
  entries: readonly { readonly by: Signers; readonly escalateTo?: Signers | undefined }[],
): Promise<void> {
  const named = entries.flatMap(({ by, escalateTo }, index) =>
    [by, escalateTo]
      .flatMap((signers) => (signers !== undefined && 'repIds' in signers ? signers.repIds : []))
      .map((repId) => ({ repId, index })),
  );
  if (named.length === 0) return;
  const approvers = await listApproverIds(tx);
  rejectAny(
    named
      .filter(({ repId }) => !approvers.has(repId))
      .map(({ repId, index }) => ({
        path: `${field}.${index}`,
        message: `names ${repId}, who is no active manager or admin of this workspace`,
      })),
  );
}

async function listApproverIds(tx: Transaction): Promise<ReadonlySet<string>> {
  const rows = await tx.db
    .selectFrom('reps')
    .select('rep_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('active', '=', true)
    .where('role', 'in', ['admin', 'manager'])
    .execute();
  return new Set(rows.map(({ rep_id: repId }) => repId));
}
