import { type Day } from '../../kernel/day.js';
import { type Instant, type Json } from '../../platform/database/tables.js';

export interface PlanAcceptanceTables {
  plan_acceptances: {
    workspace_id: string;
    acceptance_id: string;
    plan_id: string;
    plan_version_id: string;
    rep_id: string;
    decision: 'accepted' | 'declined';
    sha256: string;
    configuration_sha256: string;
    document: Json<unknown>;
    signed_name: string | null;
    reason: string | null;
    address: string | null;
    decided_at: Instant;
    decided_on: Day;
  };
}
