import { type GeneratedInstant } from '../platform/database/tables.js';

/** Rows of the table of calls. Entries are inserted with insert_audit_entry and sealed with seal_audit_entries. */
export interface AuditTables {
  audit_entries: {
    workspace_id: string;
    entry_id: string;
    at: GeneratedInstant;
    content: string;
    /** Decimal text; null until the entry is sealed. */
    position: string | null;
    hash: Buffer | null;
  };
}
