import { type Day } from '../../kernel/day.js';
import { type GeneratedInstant, type Instant } from '../../platform/database/tables.js';

export interface AssignmentTables {
  assignments: {
    workspace_id: string;
    assignment_id: string;
    rep_id: string;
    plan_id: string;
    effective_start: Day | null;
    effective_end: Day | null;
    ramp_id: string | null;
    ramp_from: Day | null;
    deleted_at: Instant | null;
    created_at: GeneratedInstant;
  };
}
