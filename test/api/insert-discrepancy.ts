import { randomUUID } from 'node:crypto';
import { type Service } from '#test/support/service.js';

/** Stores an open discrepancy of 5 dollars, as a period check does, and returns its id. */
export async function insertDiscrepancy(
  service: Service,
  workspaceId: string,
  repId: string,
  period: string,
): Promise<string> {
  const discrepancyId = randomUUID();
  await service.sql(
    `insert into discrepancies (workspace_id, discrepancy_id, rep_id, period, status, currency, approved, carried_forward,
      delta, other_currencies, lines, line_count, causes, since, updated_at)
    values ($1, $2, $3, $4, 'open', 'USD', 0, 0, 5, '[]', '[]', 0, '[]', now(), now())`,
    workspaceId,
    discrepancyId,
    repId,
    period,
  );
  return discrepancyId;
}
