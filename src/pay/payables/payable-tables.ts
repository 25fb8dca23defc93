import { type ColumnType, type Generated } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { type GeneratedInstant } from '../../platform/database/tables.js';

interface HoldColumns {
  workspace_id: string;
  hold_id: string;
  rep_id: string | null;
  deal_id: string | null;
  rule_name: string | null;
  from_day: Day;
  to_day: Day | null;
}

/** Rows of the tables of payables. */
export interface PayableTables {
  payout_holds: HoldColumns & {
    reason: string;
    note: ColumnType<string | null, string | null | undefined, string | null>;
    created_by: string;
    created_at: GeneratedInstant;
  };
  rep_pay_currencies: { workspace_id: string; rep_id: string; from_day: Day; currency: string | null };
  rep_pay_currency_history: { workspace_id: string; rep_id: string; from_day: Day; currency: string | null };
  payout_hold_history: HoldColumns & { position: Generated<string>; changed_at: GeneratedInstant };
}
