import { type ColumnType, type Generated } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { type GeneratedInstant, type Instant, type Numeric } from '../../platform/database/tables.js';

export interface ApprovalTables {
  statement_signatures: {
    workspace_id: string;
    signature_id: string;
    rep_id: string;
    period: string;
    position: Generated<string>;
    step: string;
    version: number;
    content_hash: string;
    /** Null if the rep did not answer in time. */
    signer_id: string | null;
    on_behalf_of: string | null;
    signed_at: Instant;
    /** By how much the latest version differs from what was signed; null if it does not. */
    carried_amount: Numeric | null;
    ended_at: Instant | null;
    ended_by: SignatureEnd | null;
  };
  step_assignments: {
    workspace_id: string;
    rep_id: string;
    period: string;
    step: string;
    position: Generated<string>;
    signer_ids: string[];
    reason: string;
    actor: string;
    assigned_at: GeneratedInstant;
  };
  delegations: {
    workspace_id: string;
    delegation_id: string;
    from_rep_id: string;
    delegate_id: string;
    from_day: Day;
    to_day: Day;
    scopes: ColumnType<'approvals'[], string[], string[]>;
    created_at: GeneratedInstant;
  };
}

export type SignatureEnd = 'changed' | 'withdrawn' | 'unlocked' | 'chain_changed' | 'disputed';
