import { sql } from 'kysely';
import { isUuid } from '../kernel/ids.js';
import { type Period } from '../kernel/period.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AdjustmentRow } from './adjustment.js';

/** The rep's adjustment, clawback or true-up with this id. Null for every other row, including commission events. */
export async function findAdjustment(tx: Transaction, repId: string, eventId: string): Promise<AdjustmentRow | null> {
  if (!isUuid(eventId)) return null;
  const { rows } = await sql<AdjustmentRow>`
    select e.event_id as "eventId", e.rep_id as "repId", r.name as "repName", e.deal_key as "dealKey",
      d.name as "dealName", e.plan_id as "planId", null as "planName", e.rule_id as "ruleId", e.rule_name as "ruleName",
      e.phase, e.kind, e.category, e.status, e.amount, e.base, e.tier_name as "tierName", e.credit, e.currency, e.period,
      e.earned_on as "earnedOn", e.reason, e.updated_at as "updatedAt", e.revision
    from commission_events e
    join reps r on r.workspace_id = e.workspace_id and r.rep_id = e.rep_id
    left join deals d on d.workspace_id = e.workspace_id and d.deal_id = e.deal_key
    where e.workspace_id = ${tx.workspaceId} and e.rep_id = ${repId} and e.event_id = ${eventId}
      and e.kind <> 'commission_earned'`.execute(tx.db);
  return rows[0] ?? null;
}

/** The approved period whose difference the true-up pays. */
export async function findTrueUpPeriod(tx: Transaction, eventId: string): Promise<Period | null> {
  const found = await tx.db
    .selectFrom('true_ups')
    .select('period')
    .where('workspace_id', '=', tx.workspaceId)
    .where('event_id', '=', eventId)
    .executeTakeFirst();
  return found?.period ?? null;
}
