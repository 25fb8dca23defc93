import { type Instant } from '../../platform/database/tables.js';

export interface ScimTables {
  scim_users: {
    workspace_id: string;
    rep_id: string;
    external_id: string | null;
    given_name: string | null;
    family_name: string | null;
    removed_at: Instant | null;
  };
}
