import { type ColumnType, type Generated } from 'kysely';
import { type Phase } from '../engine/model.js';
import { type Day } from '../kernel/day.js';
import { type StoredPayable } from '../pay/payables/stored-payable.js';
import { type GeneratedInstant, type Instant, type Json, type Numeric } from '../platform/database/tables.js';

export interface StatementTables {
  statement_period_history: {
    workspace_id: string;
    rep_id: string;
    period: string;
    /** The text is a decimal number. */
    position: Generated<string>;
    changed_at: GeneratedInstant;
    from_day: Day;
    to_day: Day;
    status: 'draft' | 'approved';
    current_version: number;
    approved_at: Instant | null;
    approver: Json<{ readonly repId?: string; readonly name: string; readonly keyId?: string }> | null;
    approved_total: Numeric | null;
    currency: string | null;
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
    /** Null in workspaces without payouts, and before they began. */
    payable: ColumnType<StoredPayable | null, string | null | undefined, never>;
    content_hash: string;
    generated_at: Instant;
    generated_by: string;
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
    share: string | null;
    inputs: ColumnType<unknown, string | null | undefined, never>;
    cut_off: Numeric | null;
  };
  true_ups: {
    workspace_id: string;
    event_id: string;
    rep_id: string;
    period: string;
    lines: Json<unknown>;
    payable: ColumnType<unknown, string | null | undefined, string | null>;
  };
}
