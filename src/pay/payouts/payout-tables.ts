import { type ColumnType, type Generated } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { type GeneratedInstant, type Json, type Numeric } from '../../platform/database/tables.js';

type BatchStatus = 'open' | 'paid' | 'cancelled';

/** Rows of the tables of payout batches. */
export interface PayoutTables {
  payout_batches: {
    workspace_id: string;
    batch_id: string;
    period: string;
    layout: string;
    /** Null: the batch contains every currency. */
    currency: string | null;
    status: Generated<BatchStatus>;
    filename: string;
    sha256: string;
    content: ColumnType<Buffer | null, Buffer, null>;
    row_count: number;
    totals: Json<readonly { readonly currency: string; readonly payable: string }[]>;
    paid_on: ColumnType<Day | null, undefined, Day | null>;
    reference: ColumnType<string | null, undefined, string | null>;
    actor: string;
    author_id: string | null;
    created_at: GeneratedInstant;
    decided_at: ColumnType<Date | null, undefined, Date>;
  };
  payout_batch_lines: {
    workspace_id: string;
    batch_id: string;
    rep_id: string;
    currency: string;
    period: string;
    version: number;
    commission: Numeric;
    bonus: Numeric;
    adjustment: Numeric;
    amount: Numeric;
  };
}
