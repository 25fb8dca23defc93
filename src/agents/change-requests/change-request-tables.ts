import { type ColumnType, type Generated } from 'kysely';
import { type GeneratedInstant, type Instant, type Json } from '../../platform/database/tables.js';
import { type RawInput } from '../../platform/operations/operation-dispatcher.js';
import { type Basis } from './basis.js';
import { type StoredPreview } from './change-preview.js';
import { type End, type Outdated, type StoredCaller } from './change-request.js';

/** Rows of the table of change requests. */
export interface ChangeRequestTables {
  change_requests: {
    workspace_id: string;
    request_id: string;
    rep_id: string | null;
    connection_id: string | null;
    token_id: string | null;
    caller: Json<StoredCaller>;
    tool: string;
    title: string;
    input: Json<RawInput>;
    preview: ColumnType<StoredPreview | null, string | null, string | null>;
    basis: Json<Basis>;
    moves: Generated<readonly string[]>;
    outdated: ColumnType<Outdated | null, string | null | undefined, string | null>;
    ended_because: ColumnType<End | null, never, never>;
    status: 'pending' | 'running' | 'done' | 'failed' | 'rejected';
    decided_by: string | null;
    decided_at: Instant | null;
    reason: string | null;
    outcome: ColumnType<unknown, string | null, string | null>;
    run_id: string | null;
    has_written: Generated<boolean>;
    created_at: GeneratedInstant;
    expires_at: Instant;
  };
}
