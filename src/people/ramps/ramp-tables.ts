import { type GeneratedInstant } from '../../platform/database/tables.js';

/** Rows of the tables of ramps. */
export interface RampTables {
  ramps: {
    workspace_id: string;
    ramp_id: string;
    name: string;
    steps: unknown;
    created_at: GeneratedInstant;
  };
}
