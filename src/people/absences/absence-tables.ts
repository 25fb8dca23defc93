import { type Day } from '../../kernel/day.js';
import { type GeneratedInstant, type Numeric } from '../../platform/database/tables.js';

/** Rows of the tables of absences. */
export interface AbsenceTables {
  absences: {
    workspace_id: string;
    absence_id: string;
    rep_id: string;
    from_day: Day;
    to_day: Day;
    quota_relief: Numeric;
    variable_relief: Numeric;
    note: string | null;
    created_at: GeneratedInstant;
  };
}
