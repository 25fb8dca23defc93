import { type ColumnType, type Generated } from 'kysely';
import { type Role } from '../../kernel/caller.js';
import { type Day } from '../../kernel/day.js';
import { type PeriodKind } from '../../kernel/period.js';

/** `numeric` is read and written as decimal text: money never passes through a float. */
type Numeric = ColumnType<string, string | number, string | number>;
type Instant = ColumnType<Date, Date | string, Date | string>;
type GeneratedInstant = ColumnType<Date, Date | string | undefined, Date | string>;
/** Written as JSON text, read as a value. */
type Json<T> = ColumnType<T, string, string>;

export type Phase = 'per_deal' | 'cascade' | 'periodic';
export type PlanStatus = 'draft' | 'active' | 'archived' | 'deleted';
/** Senders of deliveries to the inbox. */
export type InboxSource = 'crma' | 'crmb' | 'crmc' | 'billing';
export type RunOutcome = 'written' | 'no_change' | 'skipped' | 'statement_locked' | 'failed';

export interface FieldMappingJson {
  readonly standard: Readonly<Record<string, string>>;
  readonly measures: Readonly<Record<string, string>>;
}

export type Paper = 'A4' | 'Letter';
export type ExportKind = 'statement.pdf' | 'statement.xlsx' | 'team.pdf' | 'team.xlsx' | 'team.zip';

/** Data of a rep for payroll systems. */
export interface PayrollTerms {
  readonly companyCode?: string;
  readonly batchId?: string;
  readonly earningCodes?: {
    readonly commission?: string;
    readonly bonus?: string;
    readonly adjustment?: string;
  };
}

/** Response headers and size of a finished file. */
export interface FileInfo {
  readonly contentType: string;
  readonly filename: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
}

export interface Tables {
  workspaces: {
    workspace_id: string;
    name: string;
    currency: string;
    timezone: string;
    tier: 'free' | 'pro' | 'enterprise';
    is_demo: Generated<boolean>;
    field_mapping: ColumnType<FieldMappingJson, string | undefined, string>;
    periodic_through: Day | null;
    configuration_revision: Generated<string>;
    paper: ColumnType<Paper | null, Paper | null | undefined, Paper | null>;
    payroll: ColumnType<PayrollTerms, string | undefined, string>;
    manager_scope: Generated<'workspace' | 'reports'>;
    created_at: GeneratedInstant;
  };
  cache_versions: { workspace_id: string; scope: number; version: Generated<string> };
  tokens: {
    workspace_id: string;
    token_id: string;
    kind: 'ws' | 'sess' | 'conn';
    token_hash: Buffer;
    rep_id: string | null;
    label: string | null;
    created_at: GeneratedInstant;
    expires_at: Instant | null;
    last_used_at: ColumnType<Date | null, Date | string | undefined, Date | string>;
  };
  reps: {
    workspace_id: string;
    rep_id: string;
    email: string;
    name: string;
    role: Role;
    active: Generated<boolean>;
    crm_member_id: string | null;
    avatar: string | null;
    invite_status: 'invited' | 'accepted' | null;
    provider: string | null;
    synced_at: Instant | null;
    crm_active: ColumnType<boolean | null, boolean | null | undefined, boolean | null>;
    payroll_id: ColumnType<string | null, string | null | undefined, string | null>;
    created_at: GeneratedInstant;
  };
  reporting_lines: {
    workspace_id: string;
    rep_id: string;
    from_day: Day;
    to_day: Day | null;
    manager_id: string;
  };
  plans: {
    workspace_id: string;
    plan_id: string;
    name: string;
    status: Generated<PlanStatus>;
    created_at: GeneratedInstant;
  };
  plan_versions: {
    workspace_id: string;
    plan_version_id: string;
    plan_id: string;
    version: number;
    status: PlanStatus;
    effective_start: Day | null;
    effective_end: Day | null;
    currency: string | null;
    field_mapping: Json<unknown> | null;
    config: Json<unknown>;
    deal_conditions: Json<unknown>;
    /** The version that this one replaces while it is active. */
    supersedes: ColumnType<string | null, string | null | undefined, never>;
    created_at: GeneratedInstant;
  };
  plan_rules: {
    workspace_id: string;
    rule_id: string;
    plan_version_id: string;
    plan_id: string;
    position: number;
    name: string;
    phase: Phase;
    attainment_key: string;
    attainment_period: PeriodKind;
    tier_by: 'attainment' | 'value' | 'rank';
    definition: Json<unknown>;
  };
  plan_overrides: {
    workspace_id: string;
    plan_version_id: string;
    rep_id: string;
    rule_id: string;
    tiers: Json<unknown>;
  };
  assignments: {
    workspace_id: string;
    assignment_id: string;
    rep_id: string;
    plan_id: string;
    effective_start: Day | null;
    effective_end: Day | null;
    deleted_at: Instant | null;
    created_at: GeneratedInstant;
  };
  quotas: {
    workspace_id: string;
    quota_id: string;
    rep_id: string;
    plan_id: string;
    plan_rule_id: string;
    attainment_key: string;
    period: string;
    target: Numeric;
    variable_target: Numeric | null;
    current_value: ColumnType<string, string | undefined, string>;
    updated_at: GeneratedInstant;
  };
  deals: {
    workspace_id: string;
    deal_id: string;
    rep_id: string | null;
    name: string | null;
    amount: Numeric | null;
    currency: string | null;
    stage: string | null;
    close_date: Day | null;
    created_date: Day | null;
    owner_id: string | null;
    owner_email: string | null;
    provider: string | null;
    is_closed: boolean;
    is_won: boolean;
    fields: Json<Record<string, unknown>>;
    given: Json<Record<string, unknown>>;
    content_hash: string;
    source_updated_at: Instant | null;
    fetched_at: Instant | null;
    snapshot_at: GeneratedInstant;
    deleted_at: Instant | null;
  };
  deal_snapshots: {
    workspace_id: string;
    deal_id: string;
    snapshot_id: Generated<string>;
    taken_at: GeneratedInstant;
    source_updated_at: Instant | null;
    provider: string | null;
    fields: Json<Record<string, unknown>>;
    given: Json<Record<string, unknown>>;
    deleted: Generated<boolean>;
  };
  commission_events: EventColumns & { revision: Generated<number>; updated_at: GeneratedInstant };
  commission_event_history: EventColumns & {
    revision: number;
    change: 'inserted' | 'changed' | 'reversed' | 'restored' | 'deleted';
    changed_at: GeneratedInstant;
  };
  lanes: {
    workspace_id: string;
    rep_id: string;
    attempts: Generated<number>;
    not_before: Instant | null;
    parked_at: Instant | null;
    last_error: string | null;
    cleared_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
    fresh_revision: ColumnType<string | null, undefined, string | null>;
    fresh_until: ColumnType<Day | null, undefined, Day | null>;
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
    /** The job's own pull still runs, even if nothing is left to calculate. */
    pulling: Generated<boolean>;
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
    requested_at: GeneratedInstant;
  };
  audit_runs: {
    workspace_id: string;
    run_id: string;
    actor: string;
    trigger: string;
    scope: string;
    deal_id: string | null;
    rep_id: string | null;
    period: string | null;
    outcome: RunOutcome;
    events_written: Generated<number>;
    events_reversed: Generated<number>;
    statement_locked: Generated<number>;
    skipped: Generated<number>;
    deals: Generated<number>;
    blocked: Json<unknown> | null;
    details: Json<unknown> | null;
    error: string | null;
    started_at: GeneratedInstant;
    duration_ms: Generated<number>;
  };
  audit_run_deals: { workspace_id: string; deal_id: string; run_id: string };
  audit_run_jobs: { workspace_id: string; job_id: string; run_id: string };
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
  statement_periods: {
    workspace_id: string;
    rep_id: string;
    period: string;
    from_day: Day;
    to_day: Day;
    status: 'draft' | 'approved';
    current_version: Generated<number>;
    approved_version: number | null;
    approved_at: Instant | null;
    approved_by: string | null;
    /** Name of the approver at the time of the approval. */
    approver: Json<{ readonly repId?: string; readonly name: string; readonly keyId?: string }> | null;
    approved_total: Numeric | null;
    currency: string | null;
    /** Whether `trued_up_rows` replace its approved rows. */
    trued_up: Generated<boolean>;
  };
  trued_up_rows: {
    workspace_id: string;
    rep_id: string;
    frozen_period: string;
    plan_id: string;
    rule_name: string;
    deal_key: string;
    plan_version_id: string;
    rule_id: string;
    phase: Phase;
    category: 'commission' | 'bonus';
    amount: Numeric;
    base: Numeric | null;
    credit: Numeric;
    tier_name: string | null;
    attainment_key: string;
    currency: string;
    period: string;
    earned_on: Day;
  };
  true_ups: {
    workspace_id: string;
    event_id: string;
    rep_id: string;
    period: string;
    lines: Json<unknown>;
  };
  statements: {
    workspace_id: string;
    statement_id: string;
    rep_id: string;
    period: string;
    version: number;
    status: 'draft' | 'approved';
    currency: string;
    summary: Json<unknown>;
    other_currencies: Json<unknown>;
    deal_count: number;
    line_items: Json<unknown>;
    content_hash: string;
    generated_at: Instant;
    generated_by: string;
  };
  payroll_handovers: {
    workspace_id: string;
    handover_id: string;
    period: string;
    layout: string;
    note: string | null;
    filename: string;
    sha256: string;
    bytes: number;
    row_count: number;
    totals: ColumnType<unknown, string, string>;
    missing_payroll_ids: ColumnType<unknown, string, string>;
    actor: string;
    author_id: string | null;
    created_at: GeneratedInstant;
  };
  statement_checks: {
    workspace_id: string;
    rep_id: string;
    period: string;
    version: number;
    note: string | null;
    author_id: string | null;
    checked_at: ColumnType<Date, Date | undefined, Date>;
  };
  statement_comments: {
    workspace_id: string;
    comment_id: string;
    rep_id: string;
    period: string;
    deal_id: string | null;
    body: string;
    author_id: string | null;
    created_at: GeneratedInstant;
  };
  export_jobs: {
    workspace_id: string;
    job_id: string;
    kind: ExportKind;
    rep_id: string | null;
    manager_id: string | null;
    period: string;
    status: Generated<'waiting' | 'running' | 'completed' | 'failed'>;
    total: Generated<number>;
    done: Generated<number>;
    lease_id: ColumnType<string | null, string | null | undefined, string | null>;
    leased_until: ColumnType<Date | null, Date | null | undefined, Date | null>;
    attempts: Generated<number>;
    file: ColumnType<FileInfo | null, string | null | undefined, string | null>;
    error_code: ColumnType<string | null, string | null | undefined, string | null>;
    error: ColumnType<string | null, string | null | undefined, string | null>;
    actor: string;
    started_at: GeneratedInstant;
    finished_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  };
  export_parts: {
    workspace_id: string;
    job_id: string;
    part: number;
    name: string | null;
    rep_id: string | null;
    content: Buffer;
  };
  crm_connections: {
    workspace_id: string;
    provider: 'crma' | 'crmb' | 'crmc';
    connected_at: Instant | null;
    sync_enabled: Generated<boolean>;
    account_id: string | null;
    credentials: Buffer | null;
    connected_by: string | null;
    broken_at: Instant | null;
    broken_reason: string | null;
    webhook_id: string | null;
    last_sync_at: Instant | null;
    polled_through: Instant | null;
    poll_due_at: Instant | null;
    reconcile_rejected_at: Instant | null;
  };
  crm_members: { workspace_id: string; crm_id: string; provider: 'crma' | 'crmb' | 'crmc'; rep_id: string };
  crm_pulls: {
    workspace_id: string;
    pull_id: string;
    provider: 'crma' | 'crmb' | 'crmc';
    kind: 'sync' | 'poll';
    actor: string;
    reconcile: Generated<boolean>;
    recalculate: Generated<boolean>;
    phase: Generated<'people' | 'fields' | 'deals' | 'missing' | 'finish'>;
    modified_from: Instant | null;
    covered_until: Instant | null;
    cursor: string | null;
    deals: Generated<number>;
    total: number | null;
    counts: ColumnType<Record<string, number>, string | undefined, string>;
    attempts: Generated<number>;
    restarts: Generated<number>;
    not_before: GeneratedInstant;
    started_at: GeneratedInstant;
  };
  crm_pull_deals: { workspace_id: string; pull_id: string; deal_id: string };
  crm_fields: {
    workspace_id: string;
    provider: 'crma' | 'crmb' | 'crmc';
    slug: string;
    position: number;
    label: string;
    type: string;
    options: Json<readonly { readonly label: string; readonly value: string }[]> | null;
  };
  deal_tombstones: { workspace_id: string; deal_id: string; purged_at: Instant };
  inbound_routes: {
    workspace_id: string;
    source: InboxSource;
    route: string;
    secret: Buffer | null;
    created_at: GeneratedInstant;
  };
  inbox: {
    workspace_id: string;
    source: InboxSource;
    message_key: string;
    subject: string;
    payload: Json<unknown>;
    received_at: GeneratedInstant;
    attempts: Generated<number>;
    not_before: GeneratedInstant;
    processed_at: Instant | null;
    outcome: string | null;
    error: string | null;
  };
  billing_customers: {
    workspace_id: string;
    customer_id: string;
    linked_at: GeneratedInstant;
    check_at: GeneratedInstant;
  };
  billing_subscriptions: {
    workspace_id: string;
    customer_id: string;
    subscription_id: string;
    status: string;
    tier: 'free' | 'pro' | 'enterprise' | null;
    past_due_since: Instant | null;
    fetched_at: Instant;
  };
  work_leases: {
    workspace_id: string;
    work: string;
    lease_id: string;
    generation: Generated<number>;
    leased_until: Instant;
  };
  idempotency_keys: {
    workspace_id: string;
    key_hash: Buffer;
    lease_id: string;
    leased_until: Instant;
    created_at: GeneratedInstant;
    request_hash: Buffer | null;
    status: number | null;
    response: string | null;
  };
}

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
  idempotency_key: string;
  trace: string | null;
  reason: string | null;
  actor: string | null;
  run_id: string | null;
}
