import { type Generated } from 'kysely';
import { type Instant, type Json, type Numeric } from '../../platform/database/tables.js';
import { type DisputeType } from '../dispute-types.js';
import { type DisputeStatus, type Evidence } from './dispute.js';

export interface DisputeTables {
  disputes: {
    workspace_id: string;
    dispute_id: string;
    rep_id: string;
    period: string;
    deal_id: string | null;
    event_id: string | null;
    type: DisputeType;
    status: Generated<DisputeStatus>;
    expected_amount: Numeric | null;
    currency: string;
    description: string;
    evidence: Json<Evidence>;
    /** The person who opened it, also through a key; null for a key of the command line. */
    opened_by: string | null;
    /** Who approved it, if an agent opened it with an approval. */
    approved_by: string | null;
    opened_at: Instant;
    updated_at: Instant;
    adjustment_event_id: string | null;
  };
  dispute_steps: {
    workspace_id: string;
    dispute_id: string;
    step: number;
    status: DisputeStatus;
    note: string | null;
    author_id: string | null;
    actor: string;
    at: Instant;
  };
}
