import { type ColumnType, type Generated } from 'kysely';
import { type Phase } from '../engine/model.js';
import { type Day } from '../kernel/day.js';
import { type PeriodKind } from '../kernel/period.js';
import { type GeneratedInstant, type Json } from '../platform/database/tables.js';
import { type PlanStatus } from './plan.js';

/** Rows of the tables of plans. */
export interface PlanTables {
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
    fx: Json<unknown> | null;
    field_mapping: Json<unknown> | null;
    config: Json<unknown>;
    deal_conditions: Json<unknown>;
    tests: ColumnType<unknown, string | undefined, string>;
    acceptance: Generated<'none' | 'required' | 'hold_pay'>;
    /** The version that this one replaces while it is active. */
    supersedes: ColumnType<string | null, string | null | undefined, never>;
    /** Set by a trigger. */
    has_been_active: ColumnType<boolean, never, never>;
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
}
