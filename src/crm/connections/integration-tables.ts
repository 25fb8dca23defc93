import { type ColumnType, type Generated } from 'kysely';
import { type GeneratedInstant, type Instant, type Json } from '../../platform/database/tables.js';
import { type CrmPermission, type CrmProvider } from '../adapters/port.js';
import { type DealValues, type WriteFinding, type WriteTargets } from '../adapters/write-back.js';

/** A deal of a sync that pays no rep, with the reason. */
export interface SkippedDeal {
  readonly dealId: string;
  readonly reason: string;
}

/** Rows of the tables of CRM connections. */
export interface IntegrationTables {
  crm_connections: {
    workspace_id: string;
    provider: CrmProvider;
    connected_at: Instant | null;
    sync_enabled: Generated<boolean>;
    account_id: string | null;
    deal_url: string | null;
    credentials: Buffer | null;
    connected_by: string | null;
    broken_at: Instant | null;
    broken_reason: string | null;
    webhook_id: string | null;
    last_sync_at: Instant | null;
    polled_through: Instant | null;
    deletions_through: Instant | null;
    members_hash: string | null;
    poll_due_at: Instant | null;
    poll_seconds: number | null;
    permissions: Json<readonly CrmPermission[]> | null;
    reconcile_rejected_at: Instant | null;
    settings: ColumnType<Readonly<Record<string, unknown>>, string | undefined, string>;
  };
  crm_accounts: { workspace_id: string; provider: CrmProvider; account_id: string };
  crm_members: {
    workspace_id: string;
    crm_id: string;
    provider: CrmProvider;
    rep_id: string;
    active: Generated<boolean>;
  };
  crm_fields: {
    workspace_id: string;
    provider: CrmProvider;
    slug: string;
    position: number;
    label: string;
    type: string;
    options: Json<readonly { readonly label: string; readonly value: string }[]> | null;
  };
  crm_sync_runs: {
    workspace_id: string;
    sync_run_id: string;
    provider: CrmProvider;
    kind: 'sync' | 'poll';
    actor: string;
    reconcile: Generated<boolean>;
    recalculate: Generated<boolean>;
    replaces: Generated<boolean>;
    awaited: Generated<boolean>;
    phase: Generated<'people' | 'fields' | 'deals' | 'missing' | 'finish'>;
    modified_from: Instant | null;
    deleted_from: Instant | null;
    covered_until: Instant | null;
    cursor: string | null;
    deals: Generated<number>;
    total: number | null;
    counts: ColumnType<Record<string, number>, string | undefined, string>;
    skipped_deals: ColumnType<readonly SkippedDeal[], string | undefined, string>;
    attempts: Generated<number>;
    failing_since: Instant | null;
    restarts: Generated<number>;
    not_before: GeneratedInstant;
    started_at: GeneratedInstant;
  };
  crm_syncs: {
    workspace_id: string;
    sync_id: string;
    position: Generated<string>;
    provider: CrmProvider;
    kind: 'sync' | 'poll';
    actor: string;
    status: 'completed' | 'failed';
    failure: string | null;
    error: string | null;
    deals: number;
    counts: Json<Record<string, number>>;
    skipped_deals: Json<readonly SkippedDeal[]>;
    started_at: Instant;
    ended_at: GeneratedInstant;
  };
  crm_write_backs: {
    workspace_id: string;
    provider: CrmProvider;
    targets: Json<WriteTargets>;
    checked_at: Instant | null;
    findings: Json<readonly WriteFinding[]>;
    properties: Generated<string[]>;
    attempts: Generated<number>;
    not_before: GeneratedInstant;
    error: string | null;
    written_at: Instant | null;
  };
  deal_write_backs: {
    workspace_id: string;
    deal_id: string;
    provider: CrmProvider;
    desired: Json<DealValues>;
    written: Json<DealValues> | null;
    due_at: Instant | null;
    sent_at: Instant | null;
    written_at: Instant | null;
    attempts: Generated<number>;
    error: string | null;
    failed_at: Instant | null;
  };
  crm_sync_run_deals: {
    workspace_id: string;
    sync_run_id: string;
    deal_id: string;
    outcome: string;
    is_skipped: boolean;
    listing: number;
  };
}

type Registered = Readonly<Record<CrmProvider, true>>;

declare module '../../platform/inbox/inbox-tables.js' {
  interface InboxSources extends Registered {}
}
