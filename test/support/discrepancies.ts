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
