import { sql } from 'kysely';
import { type Caller, peopleBehind } from '../kernel/caller.js';
import { type DayRange, hull } from '../kernel/day.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AnyOperation } from '../platform/operations/operation.js';

/**
 * Stores which people behind the caller the transaction pays, with the operation. A later change with the same operation,
 * of the same deal, replaces the time, so that a row exists for each and not for each call.
 */
export async function recordOwnChanges(tx: Transaction, caller: Caller, operation: AnyOperation): Promise<void> {
  const people = new Set(peopleBehind(caller));
  const days = new Map<string, { repId: string; dealId: string; days: DayRange }>();
  for (const { repId, dealId = '', days: moved } of people.size === 0 ? [] : tx.movedPay) {
    if (!people.has(repId)) continue;
    const known = days.get(`${repId} ${dealId}`);
    days.set(`${repId} ${dealId}`, { repId, dealId, days: hull(known?.days ?? moved, moved) });
  }
  if (days.size === 0) return;
  // In the order of the key, so that two transactions do not wait for each other.
  const rows = [...days.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  await sql`
    insert into own_changes as o (workspace_id, rep_id, operation, deal_id, from_day, to_day, actor)
    select ${tx.workspaceId}::uuid, rep_id, ${operation.id}, deal_id, from_day, to_day, ${caller.actor}
    from ${unnestRows(rows, [
      ['rep_id', 'uuid', (row) => row.repId],
      ['deal_id', 'text', (row) => row.dealId],
      ['from_day', 'date', (row) => row.days.from],
      ['to_day', 'date', (row) => row.days.to],
    ])}
    on conflict (workspace_id, rep_id, operation, deal_id) do update
      set from_day = least(o.from_day, excluded.from_day), to_day = greatest(o.to_day, excluded.to_day),
        actor = excluded.actor, changed_at = excluded.changed_at`.execute(tx.db);
}
