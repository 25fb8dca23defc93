import { type ColumnType, type Generated } from 'kysely';
import { type SavedView } from '../../access/saved-views/saved-view.js';
import { type Role } from '../../kernel/caller.js';
import { type Day } from '../../kernel/day.js';
import { type GeneratedInstant, type Instant } from '../../platform/database/tables.js';
import { type DatedValue } from './dated-field.js';
import { type FieldValues } from './person-field.js';

export interface RepTables {
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
    invite_mail_id: string | null;
    provider: string | null;
    synced_at: Instant | null;
    crm_active: ColumnType<boolean | null, boolean | null | undefined, boolean | null>;
    payroll_id: ColumnType<string | null, string | null | undefined, string | null>;
    payroll_key: ColumnType<string | null, never, never>;
    payroll_id_changed_at: ColumnType<Date | null, never, never>;
    hire_date: ColumnType<Day | null, Day | null | undefined, Day | null>;
    end_date: ColumnType<Day | null, Day | null | undefined, Day | null>;
    /** Null for that of the workspace. */
    recovery_percent: ColumnType<string | null, string | null | undefined, string | null>;
    title: ColumnType<string | null, string | null | undefined, string | null>;
    team: ColumnType<string | null, string | null | undefined, string | null>;
    location: ColumnType<string | null, string | null | undefined, string | null>;
    fields: ColumnType<FieldValues, string | undefined, string>;
    saved_views: ColumnType<readonly SavedView[], string | undefined, string>;
    mail_opt_outs: Generated<string[]>;
    created_at: GeneratedInstant;
  };
  person_values: {
    workspace_id: string;
    rep_id: string;
    slug: string;
    dated_values: ColumnType<readonly DatedValue[], string, string>;
  };
  reporting_lines: {
    workspace_id: string;
    rep_id: string;
    from_day: Day;
    to_day: Day | null;
    manager_id: string;
  };
}
