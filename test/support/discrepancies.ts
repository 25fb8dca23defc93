import { query } from './ledger-checks.js';
import { type TestService } from './test-service.js';

/** Resolves when no calculation and no period check is pending. */
export async function waitForChecks(service: TestService, workspaceId: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    await service.waitForCalculations(workspaceId);
    const [row] = await query<{ pending: number }>(
      service.database.ownerUrl,
      `select ((select count(*) from period_checks where workspace_id = $1)
        + (select count(*) from calculation_requests where workspace_id = $1))::int as pending`,
      [workspaceId],
    );
    if (row?.pending === 0) return;
    if (Date.now() > deadline) throw new Error('period checks were still pending after a minute');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
