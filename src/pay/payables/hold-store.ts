import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type HoldTerms } from './hold-views.js';

export async function insertHold(
  tx: Transaction,
  terms: HoldTerms & { readonly reason: string; readonly createdBy: string },
): Promise<void> {
  await tx.db
    .insertInto('payout_holds')
    .values({ ...toColumns(tx, terms), reason: terms.reason, created_by: terms.createdBy })
    .execute();
  await recordHold(tx, terms);
}

export async function updateHoldRow(
  tx: Transaction,
  terms: HoldTerms,
  { note }: { readonly note: string | null },
): Promise<void> {
  await tx.db
    .updateTable('payout_holds')
    .set({ to_day: terms.to, note })
    .where('workspace_id', '=', tx.workspaceId)
    .where('hold_id', '=', terms.holdId)
    .execute();
  await recordHold(tx, terms);
}

async function recordHold(tx: Transaction, terms: HoldTerms): Promise<void> {
  await tx.db.insertInto('payout_hold_history').values(toColumns(tx, terms)).execute();
}

function toColumns({ workspaceId }: Transaction, { holdId, repId, dealId, ruleName, from, to }: HoldTerms) {
  return {
    workspace_id: workspaceId,
    hold_id: holdId,
    rep_id: repId,
    deal_id: dealId,
    rule_name: ruleName,
    from_day: from,
    to_day: to,
  };
}
