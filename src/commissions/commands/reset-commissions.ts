import { sql } from 'kysely';
import { z } from 'zod';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { restartSyncs } from '../../crm/sync/crm-sync.js';
import { clearEvents, lockAllLanes } from '../../ledger/output/clear-events.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';

const body = z.strictObject({
  scope: z
    .enum(['events', 'snapshots', 'all'])
    .default('events')
    .describe(
      'events: commission events and the credit of quotas; snapshots: also deals; all: also assignments and quotas',
    ),
});

const response = z.object({
  events: z.int().describe('Number of deleted commission events'),
  quotas: z.int().describe('Number of quotas whose credit was reset or, with scope all, of deleted quotas'),
  snapshots: z.int().optional().describe('Number of deleted deal snapshots, including the latest of each deal'),
  deals: z.int().optional().describe('Number of deleted deals'),
  assignments: z.int().optional().describe('Number of deleted assignments'),
  skippedLocked: z.int().describe('Number of commission events in approved periods, which were not deleted'),
});
type Counts = z.infer<typeof response>;

async function countedQuotas(tx: Transaction): Promise<number> {
  const { count } = await tx.db
    .selectFrom('quotas')
    .select((select) => select.fn.countAll<string>().as('count'))
    .where('workspace_id', '=', tx.workspaceId)
    .where('current_value', '<>', '0')
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function removeDeals(tx: Transaction): Promise<{ snapshots: number; deals: number }> {
  const replaced = await tx.db
    .deleteFrom('deal_snapshots')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirst();
  for (const table of ['deal_credits', 'deal_lines', 'deal_refunds'] as const)
    await tx.db.deleteFrom(table).where('workspace_id', '=', tx.workspaceId).execute();
  const latest = await tx.db.deleteFrom('deals').where('workspace_id', '=', tx.workspaceId).executeTakeFirst();
  const deals = Number(latest.numDeletedRows);
  await restartSyncs(tx);
  return { snapshots: Number(replaced.numDeletedRows) + deals, deals };
}

async function removeTerms(tx: Transaction): Promise<{ assignments: number; quotas: number }> {
  const assignments = await tx.db
    .deleteFrom('assignments')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirst();
  const quotas = await tx.db.deleteFrom('quotas').where('workspace_id', '=', tx.workspaceId).executeTakeFirst();
  return { assignments: Number(assignments.numDeletedRows), quotas: Number(quotas.numDeletedRows) };
}

export const resetCommissions = operation({
  id: 'resetCommissions',
  summary: 'Clear events, or also deals, or also assignments and quotas; approved periods do not change',
  method: 'post',
  path: '/v1/commissions/reset',
  access: 'admin',
  scope: null,
  body,
  response,
  failures: {},
  example: { body: { scope: 'events' }, response: { events: 12, quotas: 3, skippedLocked: 0 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body: { scope } }, caller, { unitOfWork }): Promise<Counts> {
    const { workspaceId } = caller;
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      await lockAllLanes(tx);
      // A pending request would restore the events that are deleted here.
      await tx.db.deleteFrom('calculation_requests').where('workspace_id', '=', workspaceId).execute();
      const counted = await countedQuotas(tx);
      const { deleted: events, skippedLocked, runId } = await clearEvents(tx, sql`true`);
      const deals = scope === 'events' ? {} : await removeDeals(tx);
      const terms = scope === 'all' ? await removeTerms(tx) : { quotas: counted };
      const counts = { events, ...deals, ...terms, skippedLocked };
      await recordAuditEntry(tx, caller, {
        trigger: 'reset',
        runId,
        scope,
        statementLocked: skippedLocked,
        details: counts,
      });
      return counts;
    });
  },
});
