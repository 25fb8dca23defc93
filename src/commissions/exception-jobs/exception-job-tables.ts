import { type Json, type Numeric } from '../../platform/database/tables.js';
import { type Exception } from '../exceptions.js';

export interface ExceptionJobTables {
  exception_job_rows: {
    workspace_id: string;
    job_id: string;
    position: number;
    reason: string;
    deal_id: string;
    rep_id: string | null;
    currency: string | null;
    amount: Numeric | null;
    content: Json<Exception>;
  };
}
