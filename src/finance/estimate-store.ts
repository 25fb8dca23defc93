import { sql } from 'kysely';
import { recordAuditEntry } from '../audit/audit-entry.js';
import { type Caller } from '../kernel/caller.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { recordEvent } from '../platform/outbound/outgoing-events.js';
import { assertBookMonth, assertOpenMonth, type BookMonths } from './book-months.js';
import { type StoredEstimate } from './estimate.js';
import { loadEstimates } from './estimate-views.js';
import { type Month } from './month.js';

export function assertEstimable(months: BookMonths, month: Month): void {
  assertBookMonth(months, month);
  assertOpenMonth(months, month, `${month} is closed: its estimates are posted and reversed as they were.`);
}

/** Stores the estimates of the month in place of those that it had. Earlier ones stay in the history. */
export async function replaceEstimates(
  tx: Transaction,
  caller: Caller,
  { month, estimates, at }: { readonly month: Month; readonly estimates: readonly StoredEstimate[]; readonly at: Date },
): Promise<{ month: Month; count: number }> {
  const before = await loadEstimates(tx, [month]);
  await sql`
    insert into accounting_estimates (workspace_id, month, version, estimates, stored_at)
    select ${tx.workspaceId}::uuid, ${month}, coalesce(max(version), 0) + 1, ${JSON.stringify(estimates)}::jsonb,
      ${at}::timestamptz
    from accounting_estimates where workspace_id = ${tx.workspaceId} and month = ${month}`.execute(tx.db);
  const data = { month, count: estimates.length };
  await recordEvent(tx, { type: 'accounting.estimates_changed', data });
  const details = { month, before: before.map(({ month: _, ...estimate }) => estimate), after: estimates };
  await recordAuditEntry(tx, caller, { trigger: 'estimates_changed', scope: 'accounting', details, at });
  return data;
}
