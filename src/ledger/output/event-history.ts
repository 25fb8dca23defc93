import { type RawBuilder, sql } from 'kysely';

/** The columns that the engine decides, in events and in their history. */
export const decided = sql.raw(
  'deal_key, plan_id, plan_version_id, rule_id, rule_name, phase, category, amount, base, credit, tier_name, attainment_key, currency, period, earned_on, share, idempotency_key, trace',
);

/** The beginning of an insert of whole rows, in their state after the change, into the history. */
export function recordHistory(
  change: 'inserted' | 'changed' | 'reversed' | 'deleted',
  revision: RawBuilder<unknown> = sql`revision`,
  runId: RawBuilder<unknown> = sql`run_id`,
) {
  const columns = sql`workspace_id, rep_id, event_id, kind, status, reason, actor, ${decided}`;
  return sql`
    insert into commission_event_history (revision, change, run_id, ${columns})
    select ${revision}, ${sql.lit(change)}, ${runId}, ${columns}`;
}
