import { type Generated } from 'kysely';
import { type GeneratedInstant, type Instant, type Json } from '../database/tables.js';

/**
 * Senders of deliveries to the inbox. The slices that process their messages add them to this type.
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: other files add the members
export interface InboxSources {}
export type InboxSource = keyof InboxSources;

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
