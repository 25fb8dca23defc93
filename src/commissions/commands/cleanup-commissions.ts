import { sql } from 'kysely';
import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { clearEvents, lockAllLanes } from '../../ledger/clear-events.js';
import { recordAct } from '../../ledger/record-act.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';

@injectable()
export class CleanupCommissions {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute(_input: Input, caller: Caller) {
    return this.unitOfWork.run(caller, 'configuration', async (trx) => {
      await lockAllLanes(trx, caller.workspaceId);
      const orphaned = sql`e.kind = 'commission_earned' and not exists (
        select from plan_rules r where r.workspace_id = e.workspace_id and r.rule_id = e.rule_id)`;
      const { runId, ...counts } = await clearEvents(trx, caller.workspaceId, orphaned);
      const { skippedLocked } = counts;
      await recordAct(trx, caller, {
        trigger: 'cleanup',
        scope: 'workspace',
        runId,
        statementLocked: skippedLocked,
        details: counts,
      });
      return counts;
    });
  }
}

export const cleanupCommissions = operation({
  id: 'cleanupCommissions',
  summary: 'Delete events whose plan rule no longer exists; approved periods are kept',
  method: 'post',
  path: '/v1/commissions/cleanup',
  access: 'admin',
  response: z.object({ deleted: z.int(), skippedLocked: z.int() }),
  failures: {},
  handler: CleanupCommissions,
});
