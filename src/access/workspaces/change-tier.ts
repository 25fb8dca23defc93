import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Tier } from './workspace-tables.js';

/** The tier, and the seats that were bought one by one: null if the tier decides. Undefined for an unknown workspace. */
export async function findEntitlement(
  tx: Transaction,
): Promise<{ readonly tier: Tier; readonly seats: number | null } | undefined> {
  return tx.db
    .selectFrom('workspaces')
    .select(['tier', 'seats'])
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirst();
}

/** Changes the seats and writes an audit entry. Fewer seats than active reps deactivate no rep. */
export async function changeSeats(
  tx: Transaction,
  who: { readonly actor: string },
  { from, to }: { readonly from: number | null; readonly to: number | null },
): Promise<void> {
  await tx.db.updateTable('workspaces').set({ seats: to }).where('workspace_id', '=', tx.workspaceId).execute();
  await recordAuditEntry(tx, who, { trigger: 'seats_changed', scope: 'workspace', details: { from, to } });
}

/**
 * Changes the tier and writes an audit entry. A lower tier with fewer seats than active reps deactivates no rep; no
 * further rep can become active until a seat is free.
 */
export async function changeTier(
  tx: Transaction,
  who: { readonly actor: string },
  {
    from,
    to,
    details,
  }: { readonly from: Tier; readonly to: Tier; readonly details: Readonly<Record<string, unknown>> },
): Promise<void> {
  await tx.db.updateTable('workspaces').set({ tier: to }).where('workspace_id', '=', tx.workspaceId).execute();
  await recordAuditEntry(tx, who, { trigger: 'tier_changed', scope: 'workspace', details: { from, to, ...details } });
}
