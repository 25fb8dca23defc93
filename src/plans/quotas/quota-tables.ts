import { type ColumnType } from 'kysely';
import { type GeneratedInstant, type Numeric } from '../../platform/database/tables.js';

export interface QuotaTables {
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
    prorate: ColumnType<boolean, boolean | undefined, boolean>;
    current_value: ColumnType<string, string | undefined, string>;
    updated_at: GeneratedInstant;
  };
}
