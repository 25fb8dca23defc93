import { type Generated } from 'kysely';
import { type Day } from '../kernel/day.js';
import { type GeneratedInstant, type Instant, type Json, type Numeric } from '../platform/database/tables.js';

export interface DealTables {
  deals: {
    workspace_id: string;
    deal_id: string;
    rep_id: string | null;
    name: string | null;
    amount: Numeric | null;
    currency: string | null;
    stage: string | null;
    close_date: Day | null;
    created_date: Day | null;
    owner_id: string | null;
    owner_email: string | null;
    provider: string | null;
    is_closed: boolean;
    is_won: boolean;
    fields: Json<Record<string, unknown>>;
    given: Json<Record<string, unknown>>;
    content_hash: string;
    source_updated_at: Instant | null;
    fetched_at: Instant | null;
    snapshot_at: GeneratedInstant;
    deleted_at: Instant | null;
  };
  deal_snapshots: {
    workspace_id: string;
    deal_id: string;
    snapshot_id: Generated<string>;
    taken_at: GeneratedInstant;
    source_updated_at: Instant | null;
    provider: string | null;
    fields: Json<Record<string, unknown>>;
    given: Json<Record<string, unknown>>;
    deleted: Generated<boolean>;
  };
  owner_matches: { workspace_id: string; owner_key: string; rep_id: string; created_at: GeneratedInstant };
  deal_tombstones: { workspace_id: string; deal_id: string; purged_at: Instant };
}
