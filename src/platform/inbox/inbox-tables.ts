import { type Generated } from 'kysely';
import { type GeneratedInstant, type Instant, type Json } from '../database/tables.js';

/** Senders of deliveries to the inbox. */
export type InboxSource = 'crma' | 'crmb' | 'crmc' | 'billing';

/** Rows of the tables of the inbox. */
export interface InboxTables {
  inbound_routes: {
    workspace_id: string;
    source: InboxSource;
    route: string;
    secret: Buffer | null;
    created_at: GeneratedInstant;
    last_received_at: Instant | null;
    last_verified_at: Instant | null;
    rejected: Generated<number>;
    last_rejected_at: Instant | null;
  };
  inbox: {
    workspace_id: string;
    source: InboxSource;
    message_key: string;
    subject: string;
    payload: Json<unknown>;
    received_at: GeneratedInstant;
    attempts: Generated<number>;
    not_before: GeneratedInstant;
    processed_at: Instant | null;
    outcome: string | null;
    error: string | null;
  };
}
