import { randomUUID } from 'node:crypto';
import { until } from '#test/support/until.js';
import { type TestService } from './test-service.js';

/** Resolves when no calculation and no period check is pending. */
export async function waitForChecks(service: TestService, workspaceId: string): Promise<void> {
  const arePending = `select from period_checks where workspace_id = $1
    union all select from calculation_requests where workspace_id = $1`;
  await until(
    async () => {
      await service.waitForCalculations(workspaceId);
      return (await service.sql(arePending, workspaceId)).length === 0;
    },
    { what: 'the end of the period checks', withinMs: 60_000 },
  );
}

/** Stores an open discrepancy of 5 dollars, as a period check does, and returns its id. */
export async function insertDiscrepancy(
  service: TestService,
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
