import { type ColumnType, type Generated } from 'kysely';
import { type Role } from '../../kernel/caller.js';
import { type Day } from '../../kernel/day.js';
import { type CalendarName } from '../../kernel/period-calendar.js';
import { type GeneratedInstant } from '../../platform/database/tables.js';
import { type AdjustmentLimit } from './adjustment-limits.js';
import { type StoredStep } from './approval-steps.js';
import { type StoredRepDigest } from './rep-digest.js';
import { type PayFx } from './workspace.js';

export type Tier = 'free' | 'pro' | 'enterprise';
export type Paper = 'A4' | 'Letter';

export interface FieldMappingJson {
  readonly standard: Readonly<Record<string, string>>;
  readonly measures: Readonly<Record<string, string>>;
  /** Absent if deals state no refunds. */
  readonly refunds?: { readonly cancelledOn: string; readonly refundAmount?: string | undefined };
}

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

/** Pay periods of a kind, from a day on. */
export interface PayPeriodSegment {
  readonly from: Day;
  readonly period: 'monthly' | 'quarterly';
  readonly calendar: CalendarName;
}

/** From which month on books are kept, and whether another person closes a month than the one who prepared it. */
export interface AccountingTerms {
  readonly from: string;
  readonly secondPerson: boolean;
}

/** Who is meant to be on a plan. */
interface AssignmentFilterJson {
  readonly planId: string;
  readonly filter: {
    readonly title?: string | undefined;
    readonly team?: string | undefined;
    readonly location?: string | undefined;
    readonly managerId?: string | undefined;
    readonly role?: Role | undefined;
    readonly active?: boolean | undefined;
    readonly fields?: Readonly<Record<string, string | number>> | undefined;
  };
  readonly effectiveStart: Day | null;
}

/** A field of people that the workspace defines. */
export interface PersonField {
  readonly slug: string;
  readonly label: string;
  readonly type: 'text' | 'number' | 'date' | 'select';
  /** The values of a select field. */
  readonly options?: readonly string[] | undefined;
  /** The field of users in crm-c that fills in missing values. */
  readonly crmField?: string | undefined;
  /** Whether the values have days, so that rate tables may read them. */
  readonly dated?: true | undefined;
}

export interface WorkspaceTables {
  workspaces: {
    workspace_id: string;
    name: string;
    currency: string;
    timezone: string;
    tier: Tier;
    seats: Generated<number | null>;
    is_demo: Generated<boolean>;
    is_sandbox: Generated<boolean>;
    /** The current day of a sandbox; null for the real one. */
    test_day: ColumnType<Day | null, undefined, Day | null>;
    field_mapping: ColumnType<FieldMappingJson, string | undefined, string>;
    periodic_through: Day | null;
    sends_events: Generated<boolean>;
    writes_back: Generated<boolean>;
    digest_of: ColumnType<Day | null, undefined, Day>;
    /** Null while people get no weekly mail. */
    rep_digest: ColumnType<StoredRepDigest | null, undefined, string | null>;
    configuration_revision: Generated<string>;
    /** Null if the currency decides. */
    paper: ColumnType<Paper | null, Paper | null | undefined, Paper | null>;
    payroll: ColumnType<PayrollTerms, string | undefined, string>;
    manager_scope: Generated<'workspace' | 'reports'>;
    block_approval_on_dispute: Generated<boolean>;
    /** Null for the defaults. */
    agent_writes: Generated<'allow' | 'confirm' | 'deny' | null>;
    /** Null if any age of the last proof suffices. */
    step_up_minutes: ColumnType<number | null, undefined, number | null>;
    /** Null if a rate of any age converts. */
    fx_max_age_days: ColumnType<number | null, undefined, number | null>;
    min_quota_percent: ColumnType<string, undefined, string>;
    /** The kinds of pay periods, earliest first; null while payouts are off. */
    payouts: ColumnType<readonly PayPeriodSegment[] | null, string | null | undefined, string | null>;
    /** Null for the default of 100 percent. */
    pay_fx: ColumnType<PayFx | null, string | null | undefined, string | null>;
    /** Null while one person approves. */
    approval_steps: ColumnType<readonly StoredStep[] | null, undefined, string | null>;
    /** Null while an admin adds any amount. */
    signers_reminded_on: ColumnType<Day | null, undefined, Day>;
    adjustment_limits: ColumnType<readonly AdjustmentLimit[] | null, undefined, string | null>;
    recovery_percent: ColumnType<string | null, string | null | undefined, string | null>;
    /** Null while accounting is off. */
    accounting: ColumnType<AccountingTerms | null, string | null | undefined, string | null>;
    /** Null before the first search for corrections of closed months. */
    corrections_found: ColumnType<{ readonly day: Day } | null, undefined, never>;
    /** The shape is that of the slice of assignments. */
    assignment_filters: ColumnType<readonly AssignmentFilterJson[], undefined, string>;
    person_fields: ColumnType<readonly PersonField[], undefined, string>;
    created_at: GeneratedInstant;
  };
}
