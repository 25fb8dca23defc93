import { type ColumnType, type Generated } from 'kysely';
import { type Phase } from '../engine/model.js';
import { type Day } from '../kernel/day.js';
import { type GeneratedInstant, type Instant, type Json, type Numeric } from '../platform/database/tables.js';

export interface JobScope {
  readonly scope: 'deal' | 'rep' | 'plan' | 'workspace';
  readonly dealId?: string;
  readonly repId?: string;
  readonly planId?: string;
}

interface EventColumns {
  workspace_id: string;
  rep_id: string;
  event_id: string;
  kind: 'commission_earned' | 'true_up' | 'adjustment' | 'clawback';
  status: 'earned' | 'reversed';
  deal_key: string | null;
  plan_id: string | null;
  plan_version_id: string | null;
  rule_id: string | null;
  rule_name: string | null;
  phase: Phase | null;
  category: 'commission' | 'bonus' | 'adjustment';
  amount: Numeric;
  base: Numeric | null;
  credit: Numeric;
  tier_name: string | null;
  attainment_key: string | null;
  currency: string;
  period: string;
  earned_on: Day;
  share: string | null;
  idempotency_key: string;
  trace: string | null;
  reason: string | null;
  actor: string | null;
  run_id: string | null;
}

/** Rows of the tables of the ledger. */
export interface LedgerTables {
  commission_events: EventColumns & { revision: Generated<number>; updated_at: GeneratedInstant };
  commission_event_history: EventColumns & {
    revision: number;
    change: 'inserted' | 'changed' | 'reversed' | 'restored' | 'deleted';
    changed_at: GeneratedInstant;
  };
  frozen_deal_amounts: {
    workspace_id: string;
    rep_id: string;
    period: string;
    deal_key: string;
    amount: Numeric | null;
  };
  period_checks: {
    workspace_id: string;
    rep_id: string;
    check_id: Generated<string>;
    period: string;
    causes: Json<readonly { readonly kind: string; readonly dealId: string | null }[]>;
    requested_at: GeneratedInstant;
    not_before: GeneratedInstant;
  };
  write_back_requests: {
    workspace_id: string;
    rep_id: string;
    request_id: Generated<string>;
    from_day: Day;
    to_day: Day;
  };
  lanes: {
    workspace_id: string;
    rep_id: string;
    attempts: Generated<number>;
    not_before: Instant | null;
    parked_at: Instant | null;
    last_error: string | null;
    cleared_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
    incomplete: ColumnType<boolean, undefined, boolean>;
    fresh_revision: ColumnType<string | null, undefined, string | null>;
    fresh_until: ColumnType<Day | null, undefined, Day | null>;
    fresh_through: ColumnType<Day | null, undefined, Day | null>;
    fresh_code: ColumnType<string | null, undefined, string | null>;
    fresh_deals: ColumnType<number | null, undefined, number | null>;
    fresh_skipped: ColumnType<number | null, undefined, number | null>;
  };
  jobs: {
    workspace_id: string;
    job_id: string;
    kind: 'recalculation' | 'import' | 'mapping' | 'sync';
    scope: Json<JobScope>;
    scope_key: string;
    status: 'running' | 'completed' | 'failed';
    total: Generated<number>;
    deals: Generated<number>;
    result: Json<Record<string, unknown>> | null;
    error: string | null;
    actor: string;
    /** The job's own sync still runs, even if nothing is left to calculate. */
    syncing: Generated<boolean>;
    started_at: GeneratedInstant;
    finished_at: Instant | null;
  };
  calculation_requests: {
    workspace_id: string;
    rep_id: string;
    request_id: Generated<string>;
    from_day: Day;
    to_day: Day;
    trigger: string;
    deal_id: string | null;
    job_id: string | null;
    sync_run_id: string | null;
    continues: Generated<boolean>;
    requested_at: GeneratedInstant;
  };
  rep_months: {
    workspace_id: string;
    rep_id: string;
    month: Day;
    currency: string;
    commission: Numeric;
    bonus: Numeric;
    adjustments: Numeric;
    deals: number;
    /** Periods of every kind in which the events of this month count. */
    periods: string[];
  };
}
