import { sql } from 'kysely';
import { type Decimal } from '../kernel/decimal.js';
import { newId } from '../kernel/ids.js';
import { refreshQuotas } from '../ledger/totals.js';
import { rowsFrom } from '../platform/database/columns.js';
import { planChecksAnew } from '../platform/database/plan-checks-anew.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type QuotaRule } from './quota-rule.js';

/** What is set for every rep of a request. */
export interface QuotaSetting {
  readonly rule: QuotaRule;
  readonly period: string;
  readonly target: Decimal;
  /** Undefined keeps what is there. */
  readonly variableTarget: Decimal | null | undefined;
}

/** Keeps running calculations from missing a quota that is new: they count credit for the quotas that they see. */
export async function lockLanes(trx: Work, workspaceId: string, repIds: readonly string[]): Promise<void> {
  await sql`
    select rep_id from lanes where workspace_id = ${workspaceId} and rep_id = any(${repIds}::uuid[])
    order by rep_id for no key update`.execute(trx);
}

/** Sets the quota of every rep; a new one starts at the credit that the ledger has for it. */
export async function upsertQuotas(
  trx: Work,
  workspaceId: string,
  repIds: readonly string[],
  { rule, period, target, variableTarget }: QuotaSetting,
): Promise<void> {
  if (repIds.length === 0) return;
  const rows = repIds.map((repId) => ({ quotaId: newId(), repId }));
  await planChecksAnew(trx);
  const { rows: written } = await sql<{ rep_id: string; is_new: boolean }>`
    insert into quotas (workspace_id, quota_id, rep_id, plan_id, plan_rule_id, attainment_key, period, target, variable_target)
    select ${workspaceId}::uuid, quota_id, rep_id, ${rule.planId}::uuid, ${rule.ruleId}::uuid, ${rule.attainmentKey},
      ${period}, ${target.toString()}::numeric, ${variableTarget?.toString() ?? null}::numeric
    from ${rowsFrom(rows, [
      ['quota_id', 'uuid', (row) => row.quotaId],
      ['rep_id', 'uuid', (row) => row.repId],
    ])}
    on conflict on constraint quotas_natural do update set
      plan_rule_id = excluded.plan_rule_id, target = excluded.target, updated_at = now(),
      variable_target = ${variableTarget === undefined ? sql`quotas.variable_target` : sql`excluded.variable_target`}
    returning rep_id, xmax = 0 as is_new`.execute(trx);
  const isNew = new Set(written.filter((row) => row.is_new).map((row) => row.rep_id));
  for (const repId of await repsWithCredit(
    trx,
    workspaceId,
    repIds.filter((id) => isNew.has(id)),
    rule,
    period,
  )) {
    await refreshQuotas(trx, { workspaceId, repId }, [
      { planId: rule.planId, attainmentKey: rule.attainmentKey, period },
    ]);
  }
}

/** Those of the reps who have anything to count, which at the start of a period nobody has. */
async function repsWithCredit(
  trx: Work,
  workspaceId: string,
  repIds: readonly string[],
  rule: QuotaRule,
  period: string,
): Promise<string[]> {
  const { rows } = await sql<{ rep_id: string }>`
    select distinct rep_id from commission_events
    where workspace_id = ${workspaceId} and rep_id = any(${repIds}::uuid[]) and plan_id = ${rule.planId}
      and attainment_key = ${rule.attainmentKey} and period = ${period}`.execute(trx);
  return rows.map((row) => row.rep_id);
}

export async function deleteQuota(trx: Work, workspaceId: string, quotaId: string): Promise<void> {
  await trx.deleteFrom('quotas').where('workspace_id', '=', workspaceId).where('quota_id', '=', quotaId).execute();
}
