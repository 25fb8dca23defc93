import { type RawBuilder, sql } from 'kysely';
import { type Decimal } from '../../kernel/decimal.js';
import { newId } from '../../kernel/ids.js';
import { type Period } from '../../kernel/period.js';
import { type RepCounter } from '../../ledger/output/affected-totals.js';
import { refreshQuotas } from '../../ledger/output/totals.js';
import { unnestRows } from '../../platform/database/columns.js';
import { forceCustomPlans } from '../../platform/database/force-custom-plans.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type QuotaRule } from './quota-rule.js';

export interface QuotaSetting {
  readonly repId: string;
  readonly rule: Pick<QuotaRule, 'ruleId' | 'planId' | 'attainmentKey'>;
  readonly period: string;
  readonly target: Decimal;
  /** Undefined keeps the stored value, null clears it. */
  readonly variableTarget: Decimal | null | undefined;
  /** Whether ramps, absences and dates change the targets; undefined keeps the stored value, true for a new quota. */
  readonly prorate?: boolean | undefined;
}

/**
 * Locks the reps' lanes: a running calculation counts credit only for the quotas that it has read, so it would miss
 * a new one.
 */
export async function lockLanes(tx: Transaction, repIds: readonly string[]): Promise<void> {
  await sql`
    select rep_id from lanes where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])
    order by rep_id for no key update`.execute(tx.db);
}

/** Writes the settings. No two may be for the same quota. A new quota starts at the credit in the ledger. */
export async function upsertQuotas(tx: Transaction, settings: readonly QuotaSetting[]): Promise<void> {
  await forceCustomPlans(tx);
  const unchangedVariable = settings.filter((setting) => setting.variableTarget === undefined);
  const setting = settings.filter((candidate) => candidate.variableTarget !== undefined);
  const added = [
    ...(await upsert(tx, unchangedVariable, sql`quotas.variable_target`)),
    ...(await upsert(tx, setting, sql`excluded.variable_target`)),
  ];
  await refreshQuotas(tx, added);
}

/** Returns the quotas that were inserted. */
async function upsert(
  tx: Transaction,
  settings: readonly QuotaSetting[],
  variableTarget: RawBuilder<unknown>,
): Promise<RepCounter[]> {
  if (settings.length === 0) return [];
  const { rows } = await sql<RepCounter & { readonly isNew: boolean }>`
    insert into quotas (
      workspace_id, quota_id, rep_id, plan_id, plan_rule_id, attainment_key, period, target, variable_target, prorate
    )
    select ${tx.workspaceId}::uuid, quota_id, rep_id, plan_id, plan_rule_id, attainment_key, period, target,
      variable_target, coalesce(prorate, (
        select q.prorate from quotas q
        where q.workspace_id = ${tx.workspaceId} and q.rep_id = input.rep_id and q.plan_id = input.plan_id
          and q.attainment_key = input.attainment_key and q.period = input.period
      ), true)
    from ${unnestRows(settings, [
      ['quota_id', 'uuid', () => newId()],
      ['rep_id', 'uuid', (setting) => setting.repId],
      ['plan_id', 'uuid', (setting) => setting.rule.planId],
      ['plan_rule_id', 'uuid', (setting) => setting.rule.ruleId],
      ['attainment_key', 'text', (setting) => setting.rule.attainmentKey],
      ['period', 'text', (setting) => setting.period],
      ['target', 'numeric', (setting) => setting.target.toString()],
      ['variable_target', 'numeric', (setting) => setting.variableTarget?.toString() ?? null],
      ['prorate', 'boolean', ({ prorate }) => (prorate === undefined ? null : String(prorate))],
    ])}
    on conflict on constraint quotas_natural do update set
      plan_rule_id = excluded.plan_rule_id, target = excluded.target, updated_at = now(), variable_target = ${variableTarget},
      prorate = excluded.prorate
    returning rep_id as "repId", plan_id as "planId", attainment_key as "attainmentKey", period, xmax = 0 as "isNew"`.execute(
    tx.db,
  );
  return rows.filter(({ isNew }) => isNew);
}

/** Deletes the quotas and returns whose they were. */
export async function deleteQuotas(
  tx: Transaction,
  quotaIds: readonly string[],
): Promise<{ readonly repId: string; readonly period: Period }[]> {
  const { rows } = await sql<{ repId: string; period: Period }>`
    delete from quotas where workspace_id = ${tx.workspaceId} and quota_id = any(${quotaIds}::uuid[])
    returning rep_id as "repId", period`.execute(tx.db);
  return rows;
}
