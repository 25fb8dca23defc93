import { type ColumnType, type Generated } from 'kysely';
import { type GeneratedInstant, type Instant, type Json } from '../database/tables.js';

/** Rows of the tables of webhook endpoints. */
export interface OutboundTables {
  webhook_endpoints: {
    workspace_id: string;
    endpoint_id: string;
    url: string;
    description: string | null;
    event_types: string[] | null;
    secret: Buffer;
    enabled: Generated<boolean>;
    disabled_reason: ColumnType<string | null, undefined, string | null>;
    failures: Generated<number>;
    not_before: GeneratedInstant;
    attempted_at: Instant | null;
    created_at: GeneratedInstant;
  };
  webhook_previous_secrets: {
    workspace_id: string;
    endpoint_id: string;
    secret_id: string;
    secret: Buffer;
    valid_until: Instant;
  };
  webhook_deliveries: {
    workspace_id: string;
    delivery_id: string;
    endpoint_id: string;
    /** Decimal text. */
    position: Generated<string>;
    sequence_id: string;
    event_type: string;
    data: Json<Record<string, unknown>> | null;
    run_id: string | null;
    event_ids: string[] | null;
    status: Generated<'pending' | 'delivered' | 'failed'>;
    attempts: Generated<number>;
    not_before: GeneratedInstant;
    created_at: GeneratedInstant;
    attempted_at: Instant | null;
    duration_ms: number | null;
    response_status: number | null;
    response_body: string | null;
    error: string | null;
  };
}
