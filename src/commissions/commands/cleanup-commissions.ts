import { sql } from 'kysely';
import { z } from 'zod';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { clearEvents, lockAllLanes } from '../../ledger/output/clear-events.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';

/**
 * A rule is identified by its plan and name in all versions. It exists while a version that no active version
 * supersedes has it.
 */
const existingRules = sql`
  select from plan_rules r
  join plan_versions v on v.workspace_id = r.workspace_id and v.plan_version_id = r.plan_version_id
  where r.workspace_id = e.workspace_id and r.plan_id = e.plan_id and r.name = e.rule_name and not exists (
    select from plan_versions s
    where s.workspace_id = v.workspace_id and s.supersedes = v.plan_version_id and s.status = 'active')`;

export const cleanupCommissions = operation({
  id: 'cleanupCommissions',
  summary: 'Delete events whose plan rule no longer exists; approved periods do not change',
  method: 'post',
  path: '/v1/commissions/cleanup',
  access: 'admin',
  response: z.object({
    deleted: z.int().describe('Number of deleted commission events'),
    skippedLocked: z.int().describe('Number of commission events in approved periods, which were not deleted'),
  }),
  failures: {},
  example: { response: { deleted: 0, skippedLocked: 0 } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      await lockAllLanes(tx);
      const orphaned = sql`e.kind = 'commission_earned' and not exists (${existingRules})`;
      const { runId, ...counts } = await clearEvents(tx, orphaned);
      const { skippedLocked } = counts;
      await recordAuditEntry(tx, caller, {
        trigger: 'cleanup',
        scope: 'workspace',
        runId,
        statementLocked: skippedLocked,
        details: counts,
      });
      return counts;
    });
  },
});
