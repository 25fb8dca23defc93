import { type ColumnType, type Generated } from 'kysely';
import { type RefundCause } from '../../engine/clawback.js';
import { type Day } from '../../kernel/day.js';
import { type GeneratedInstant, type Numeric } from '../../platform/database/tables.js';

/** Rows of the tables of refunds. */
export interface RefundTables {
  deal_refunds: {
    workspace_id: string;
    deal_id: string;
    refund_id: string;
    day: Day;
    cause: RefundCause;
    amount: Numeric | null;
    reason: string;
    waivers: ColumnType<unknown, string | undefined, string>;
    lines: ColumnType<unknown, string | null | undefined, string | null>;
    deal_key: Generated<string>;
    updated_at: GeneratedInstant;
  };
  deal_refund_history: {
    workspace_id: string;
    position: Generated<string>;
    deal_id: string;
    refund_id: string;
    changed_at: GeneratedInstant;
    content: ColumnType<unknown, string | null, never>;
  };
}
