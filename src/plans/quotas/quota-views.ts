import { type SqlBool, sql } from 'kysely';
import { Decimal } from '../../kernel/decimal.js';
import { isUuid } from '../../kernel/ids.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { isCountedAtEnd } from '../../ledger/input/counted-at-end.js';
import { loadProratedQuotas, type ProratedQuota } from '../../ledger/input/prorated-quotas.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type OptionalPage } from '../../platform/operations/schemas.js';
import { computeRatio, type Quota, toProratedFields } from './quota.js';

interface QuotaFilter {
  readonly quotaId?: string;
  readonly repIds?: readonly string[];
  readonly planId?: string | undefined;
  readonly periods?: readonly string[] | undefined;
  readonly page?: OptionalPage;
}

/** A quota, and whether only periodic rules count towards it and none has counted. */
export interface CountedQuota {
  readonly quota: Quota;
  readonly isCountedAtEnd: boolean;
}

/** Lists quotas by rep, oldest period first. */
export async function listQuotas(tx: Transaction, filter: QuotaFilter): Promise<Quota[]> {
  return (await listCountedQuotas(tx, filter)).map(({ quota }) => quota);
}

/** {@link listQuotas} with what is needed to add what periodic rules have collected so far. */
export async function listCountedQuotas(tx: Transaction, filter: QuotaFilter): Promise<CountedQuota[]> {
  const periods = sql`(select distinct period from quotas where workspace_id = ${tx.workspaceId})`;
  let query = matchingQuotas(tx, filter)
    .innerJoin('reps as r', (join) =>
      join.onRef('r.workspace_id', '=', 'q.workspace_id').onRef('r.rep_id', '=', 'q.rep_id'),
    )
    .select([
      'q.quota_id',
      'q.rep_id',
      'q.plan_id',
      'q.plan_rule_id',
      'q.attainment_key',
      'q.period',
      'q.target',
      'q.variable_target',
      'q.prorate',
      'q.current_value',
      isCountedAtEnd(tx.workspaceId, periods).as('is_counted_at_end'),
    ])
    .orderBy('r.name')
    .orderBy('q.rep_id')
    .orderBy('q.period')
    .orderBy('q.attainment_key')
    .orderBy('q.plan_id');
  if (filter.page?.limit !== undefined) query = query.limit(filter.page.limit);
  if (filter.page?.offset !== undefined) query = query.offset(filter.page.offset);
  const rows = await query.execute();
  const prorated = await loadProratedQuotas(
    tx,
    rows.map((row) => ({ repId: row.rep_id, planId: row.plan_id, measure: row.attainment_key, period: row.period })),
  );
  return mapInSlices(rows, (row, index) => ({
    quota: toQuota(row, prorated[index] ?? null),
    isCountedAtEnd: row.is_counted_at_end,
  }));
}

function matchingQuotas(tx: Transaction, { quotaId, repIds, planId, periods }: QuotaFilter) {
  let query = tx.db.selectFrom('quotas as q').where('q.workspace_id', '=', tx.workspaceId);
  if (quotaId !== undefined) query = query.where('q.quota_id', '=', quotaId);
  if (repIds !== undefined) query = query.where(sql<SqlBool>`q.rep_id = any(${repIds}::uuid[])`);
  if (planId !== undefined) query = query.where('q.plan_id', '=', planId);
  if (periods !== undefined) query = query.where(sql<SqlBool>`q.period = any(${periods}::text[])`);
  return query;
}

export async function countQuotas(tx: Transaction, filter: QuotaFilter): Promise<number> {
  const counted = matchingQuotas(tx, filter).select(sql<number>`count(*)::int`.as('count'));
  return (await counted.executeTakeFirstOrThrow()).count;
}

interface QuotaRow {
  readonly quota_id: string;
  readonly rep_id: string;
  readonly plan_id: string;
  readonly plan_rule_id: string;
  readonly attainment_key: string;
  readonly period: string;
  readonly target: string;
  readonly variable_target: string | null;
  readonly prorate: boolean;
  readonly current_value: string;
}

function toQuota(row: QuotaRow, prorated: ProratedQuota | null): Quota {
  return {
    quotaId: row.quota_id,
    repId: row.rep_id,
    planId: row.plan_id,
    planRuleId: row.plan_rule_id,
    measure: row.attainment_key,
    period: row.period,
    target: Number(row.target),
    variableTarget: row.variable_target === null ? null : Number(row.variable_target),
    ...(row.prorate ? {} : { prorate: false as const }),
    ...(prorated === null ? {} : toProratedFields(prorated)),
    current_value: Number(row.current_value),
    attainment: computeRatio(Decimal.of(row.current_value), prorated?.target ?? Decimal.of(row.target)),
  };
}

export async function findQuota(tx: Transaction, quotaId: string): Promise<Quota | null> {
  if (!isUuid(quotaId)) return null;
  const [found] = await listQuotas(tx, { quotaId });
  return found ?? null;
}
