import { sql } from 'kysely';
import { Decimal } from '../kernel/decimal.js';
import { Failure } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AgreedWriteOff } from './keep-books.js';
import { proposalColumns } from './proposal.js';
import { type StoredWriteOff } from './write-off.js';

/** All write-offs, or the one with the id, the latest day first; in a transaction with `asOf`, as they were decided then. */
export async function listWriteOffs(tx: Transaction, writeOffId: string | null): Promise<StoredWriteOff[]> {
  const { rows } = await sql<StoredWriteOff>`
    select w.write_off_id as "writeOffId", w.rep_id as "repId", r.name as "repName", w.entity, w.currency, w.amount::text as amount,
      w.day, w.reason, ${proposalColumns(tx)}
    from accounting_write_offs w
    join reps r on r.workspace_id = w.workspace_id and r.rep_id = w.rep_id
    where w.workspace_id = ${tx.workspaceId} ${writeOffId === null ? sql`` : sql`and w.write_off_id = ${writeOffId}::uuid`}
      and w.proposed_at <= ${tx.until}::timestamptz
    order by w.day desc, w.write_off_id`.execute(tx.db);
  return rows;
}

export async function requireWriteOff(tx: Transaction, writeOffId: string): Promise<StoredWriteOff> {
  const [found] = await listWriteOffs(tx, writeOffId);
  if (found === undefined) throw new Failure('write_off_not_found', 'There is no write-off with this id.');
  return found;
}

/** The approved write-offs of the reps. */
export async function loadApprovedWriteOffs(
  tx: Transaction,
  repIds: readonly string[],
): Promise<(AgreedWriteOff & { readonly repId: string; readonly entity: string })[]> {
  const { rows } = await sql<Pick<StoredWriteOff, 'repId' | 'entity' | 'currency' | 'amount' | 'day'>>`
    select rep_id as "repId", entity, currency, amount::text as amount, day from accounting_write_offs
    where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[]) and status = 'approved'
      and decided_at <= ${tx.until}::timestamptz`.execute(tx.db);
  return rows.map((row) => ({ ...row, amount: Decimal.of(row.amount) }));
}
