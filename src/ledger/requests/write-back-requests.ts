import { sql } from 'kysely';
import { type DayRange } from '../../kernel/day.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** Days of a rep whose commission, or its approval, may differ from what the CRM holds. */
export interface WriteBackRequest {
  readonly repId: string;
  readonly days: DayRange;
}

/**
 * Stores the requests in the transaction if the workspace writes commission to a CRM. After the commit, a worker compares
 * the values.
 */
export function requestWriteBack(tx: Transaction, requests: readonly WriteBackRequest[]): void {
  if (requests.length === 0) return;
  const insert = sql`
    insert into write_back_requests (workspace_id, rep_id, from_day, to_day)
    select ${tx.workspaceId}::uuid, rep_id, from_day, to_day
    from ${unnestRows(requests, [
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['from_day', 'date', ({ days }) => days.from],
      ['to_day', 'date', ({ days }) => days.to],
    ])}
    where exists (select from workspaces w where w.workspace_id = ${tx.workspaceId} and w.writes_back)`;
  tx.writeWithCommit(insert);
}
