import { type Tier } from '../access/workspaces/workspace-tables.js';
import { type GeneratedInstant, type Instant } from '../platform/database/tables.js';

export interface BillingTables {
  billing_customers: {
    workspace_id: string;
    customer_id: string;
    linked_at: GeneratedInstant;
    check_at: GeneratedInstant;
  };
  billing_subscriptions: {
    workspace_id: string;
    customer_id: string;
    subscription_id: string;
    status: string;
    tier: Tier | null;
    seats: number | null;
    past_due_since: Instant | null;
    fetched_at: Instant;
  };
  billing_bindings: { workspace_id: string; subscription_id: string; bound_at: GeneratedInstant };
}

declare module '../platform/inbox/inbox-tables.js' {
  interface InboxSources {
    billing: true;
  }
}
