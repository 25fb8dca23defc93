import { type Day } from '../../kernel/day.js';

/** Rows of the table of holidays. */
export interface HolidayTables {
  holidays: {
    workspace_id: string;
    day: Day;
    name: string;
  };
}
