import { type Caller, personBehind } from '../kernel/caller.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type StoredWriteOff } from './write-off.js';

export async function insertWriteOff(
  tx: Transaction,
  caller: Caller,
  terms: Pick<StoredWriteOff, 'writeOffId' | 'repId' | 'entity' | 'currency' | 'amount' | 'day' | 'reason'>,
  at: Date,
): Promise<void> {
  const { writeOffId, repId, ...rest } = terms;
  await tx.db
    .insertInto('accounting_write_offs')
    .values({
      workspace_id: tx.workspaceId,
      write_off_id: writeOffId,
      rep_id: repId,
      ...rest,
      status: 'proposed',
      proposed_by: caller.actor,
      proposed_by_id: personBehind(caller),
      proposed_at: at,
    })
    .execute();
}

export async function decideWriteOff(
  tx: Transaction,
  caller: Caller,
  writeOffId: string,
  decision: { readonly status: 'approved' | 'withdrawn'; readonly at: Date },
): Promise<void> {
  await tx.db
    .updateTable('accounting_write_offs')
    .set({ status: decision.status, decided_by: caller.actor, decided_at: decision.at })
    .where('workspace_id', '=', tx.workspaceId)
    .where('write_off_id', '=', writeOffId)
    .execute();
}
