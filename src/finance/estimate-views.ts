import { sql } from 'kysely';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type StoredEstimate } from './estimate.js';
import { type Month } from './month.js';

/** The estimates of the months as they were stored at `asOf`. */
export async function loadEstimates(
  tx: Transaction,
  months: readonly Month[],
): Promise<(StoredEstimate & { readonly month: Month })[]> {
  const { rows } = await sql<{ month: Month; estimates: readonly StoredEstimate[] }>`
    select distinct on (month) month, estimates from accounting_estimates
    where workspace_id = ${tx.workspaceId} and month = any(${months}::text[])
      and stored_at <= ${tx.until}::timestamptz
    order by month, version desc`.execute(tx.db);
  return rows.flatMap(({ month, estimates }) => estimates.map((estimate) => ({ ...estimate, month })));
}
