import { type Generated } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { type GeneratedInstant, type Instant, type Numeric } from '../../platform/database/tables.js';

interface ChangingColumns {
  to_day: Day | null;
  recovery_start: 'next_period' | 'after_end' | 'day';
  recovery_day: Day | null;
  recovery_percent: Numeric;
  forgive_on: Day | null;
}

/** Rows of the tables of draws. */
export interface DrawTables {
  draws: ChangingColumns & {
    workspace_id: string;
    draw_id: string;
    rep_id: string;
    kind: 'guarantee' | 'advance';
    recoverable: boolean;
    amount: Numeric;
    currency: string;
    from_day: Day;
    created_by: string;
    created_at: GeneratedInstant;
    deleted_at: Instant | null;
  };
  draw_history: ChangingColumns & {
    workspace_id: string;
    draw_id: string;
    position: Generated<string>;
    changed_at: GeneratedInstant;
  };
  draw_forgiveness: {
    workspace_id: string;
    draw_id: string;
    forgiveness_id: string;
    amount: Numeric;
    forgiven_on: Day;
    reason: string;
    forgiven_by: string;
    created_at: GeneratedInstant;
  };
}
