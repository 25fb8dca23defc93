import { type GeneratedInstant } from '../platform/database/tables.js';

/** Rows of the table of accepted exceptions. */
export interface AcceptanceTables {
  accepted_exceptions: {
    workspace_id: string;
    acceptance_id: string;
    reason: string;
    /** Null for the exceptions of a rule. */
    deal_id: string | null;
    plan_id: string | null;
    rule_name: string | null;
    note: string;
    accepted_by: string;
    accepted_at: GeneratedInstant;
  };
}
