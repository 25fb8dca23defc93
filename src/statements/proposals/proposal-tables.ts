import { type ColumnType, type Generated } from 'kysely';
import { type AdjustmentLimit } from '../../access/workspaces/adjustment-limits.js';
import { type GeneratedInstant, type Json, type Numeric } from '../../platform/database/tables.js';

export interface ProposalTables {
  adjustment_proposals: {
    workspace_id: string;
    adjustment_id: string;
    rep_id: string;
    period: string;
    kind: 'adjustment' | 'clawback';
    amount: Numeric;
    currency: string;
    deal_id: string | null;
    reason: string;
    deciders: Json<AdjustmentLimit['by']>;
    proposer_ids: string[];
    actor: string;
    proposed_at: GeneratedInstant;
    status: Generated<'proposed' | 'approved' | 'rejected'>;
    decided_by: ColumnType<string | null, string | null | undefined, string | null>;
    decided_at: ColumnType<Date | null, Date | null | undefined, Date>;
    decision_reason: ColumnType<string | null, string | null | undefined, string | null>;
    event_id: ColumnType<string | null, string | null | undefined, string | null>;
  };
}
