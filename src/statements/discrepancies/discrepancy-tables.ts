import { type Instant, type Json, type Numeric } from '../../platform/database/tables.js';
import { type TrueUpLine } from '../true-up-line.js';

export type DiscrepancyStatus = 'open' | 'dismissed' | 'resolved';
export type DiscrepancyAction = 'true_up' | 'carry_forward' | 'dismiss' | 'cleared' | 'unlocked';

/** What led to the present delta. */
export interface Cause {
  readonly kind: string;
  readonly at: string;
  readonly what: string;
}

export interface DiscrepancyTables {
  discrepancies: {
    workspace_id: string;
    discrepancy_id: string;
    rep_id: string;
    period: string;
    status: DiscrepancyStatus;
    currency: string;
    approved: Numeric;
    carried_forward: Numeric;
    delta: Numeric;
    other_currencies: Json<readonly { readonly currency: string; readonly delta: string }[]>;
    lines: Json<readonly TrueUpLine[]>;
    line_count: number;
    causes: Json<readonly Cause[]>;
    since: Instant;
    updated_at: Instant;
    action: DiscrepancyAction | null;
    reason: string | null;
    resolved_by: string | null;
    resolved_at: Instant | null;
    event_id: string | null;
  };
}
