import { type Generated } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { type FiscalYear } from '../../kernel/period-calendar.js';
import { type GeneratedInstant, type Json } from '../../platform/database/tables.js';

/** Rows of the tables of fiscal years. */
export interface FiscalYearTables {
  fiscal_years: {
    workspace_id: string;
    year: number;
    start_day: Day;
    pattern: FiscalYear['pattern'];
    weeks: FiscalYear['weeks'];
  };
  fiscal_year_history: {
    workspace_id: string;
    position: Generated<string>;
    changed_at: GeneratedInstant;
    years: Json<readonly FiscalYear[]>;
  };
}
