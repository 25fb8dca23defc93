import { type Generated } from 'kysely';
import { type CreditEffect, type CreditKind } from '../engine/credit-lines.js';
import { type DealLine } from '../engine/deal-line.js';
import { type Day } from '../kernel/day.js';
import { type GeneratedInstant, type Instant, type Json, type Numeric } from '../platform/database/tables.js';
import { type Corrections } from './corrections.js';
import { type StoredCredits } from './deal-credits.js';
import { type LineSource } from './deal-lines.js';

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
    credits: Json<StoredCredits> | null;
    corrections: Json<Corrections> | null;
    changed_in: Generated<string>;
  };
  deal_credits: {
    workspace_id: string;
    deal_id: string;
    source: 'api' | 'crm';
    position: number;
    rep_id: string | null;
    kind: CreditKind;
    role: string | null;
    percent: Numeric;
    affects: CreditEffect;
  };
  deal_credit_history: {
    workspace_id: string;
    deal_id: string;
    position: Generated<string>;
    changed_at: GeneratedInstant;
    credits: Json<StoredCredits> | null;
  };
  deal_lines: {
    workspace_id: string;
    deal_id: string;
    source: LineSource;
    line_id: Generated<string>;
    position: number;
    content: Json<DealLine>;
  };
  deal_line_history: {
    workspace_id: string;
    deal_id: string;
    position: Generated<string>;
    changed_at: GeneratedInstant;
    lines: Json<readonly DealLine[]> | null;
    source: LineSource | null;
  };
  deal_participations: { workspace_id: string; deal_id: string; rep_id: string; close_date: Day };
  credit_rules: {
    workspace_id: string;
    credit_rule_id: string;
    name: string;
    kind: CreditKind;
    role: string | null;
    person_field: string;
    percent: Numeric | null;
    percent_field: string | null;
    conditions: Json<readonly unknown[]>;
    effective_start: Day | null;
    effective_end: Day | null;
    created_at: GeneratedInstant;
  };
  credit_rule_history: {
    workspace_id: string;
    position: Generated<string>;
    changed_at: GeneratedInstant;
    rules: Json<readonly unknown[]>;
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
    corrections: Json<Corrections> | null;
  };
  owner_matches: { workspace_id: string; owner_key: string; rep_id: string; created_at: GeneratedInstant };
  deal_tombstones: { workspace_id: string; deal_id: string; purged_at: Instant };
}
