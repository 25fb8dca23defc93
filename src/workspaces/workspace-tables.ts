import { type ColumnType, type Generated } from 'kysely';
import { type Day } from '../kernel/day.js';
import { type GeneratedInstant } from '../platform/database/tables.js';

export type Tier = 'free' | 'pro' | 'enterprise';
export type Paper = 'A4' | 'Letter';

export interface FieldMappingJson {
  readonly standard: Readonly<Record<string, string>>;
  readonly measures: Readonly<Record<string, string>>;
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

export interface WorkspaceTables {
  workspaces: {
    workspace_id: string;
    name: string;
    currency: string;
    timezone: string;
    tier: Tier;
    seats: Generated<number | null>;
    is_demo: Generated<boolean>;
    field_mapping: ColumnType<FieldMappingJson, string | undefined, string>;
    periodic_through: Day | null;
    sends_events: Generated<boolean>;
    writes_back: Generated<boolean>;
    digest_of: ColumnType<Day | null, undefined, Day>;
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
    min_quota_percent: ColumnType<string, undefined, string>;
    created_at: GeneratedInstant;
  };
}
