import { fileColumns } from '../../../api/file-columns.js';
import { importOf } from '../../../imports/import-of.js';
import { filled } from '../../../platform/files/cells.js';
import {
  csvImport,
  importQuery,
  importResults,
  readRowsInSlices,
  readTerm,
} from '../../../platform/files/import-results.js';
import { daysOfCalendar } from '../calendar-file.js';
import { holidayName } from '../holiday.js';
import { holidayFacts } from '../holiday-facts.js';

export const importHolidays = importOf(
  {
    id: 'importHolidays',
    summary:
      'Enter holidays of the company from an iCalendar file with events of whole days, or from a CSV file; a row replaces the holiday of its day',
    path: '/v1/holidays/import',
    query: importQuery,
    response: importResults,
    upload: { ...csvImport.upload, types: ['text/csv', 'text/calendar'] },
    example: {
      'text/csv': 'day,name\n2026-12-25,Christmas Day\n',
      'text/calendar':
        'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20261225\r\nSUMMARY:Christmas Day\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
    },
  },
  {
    facts: holidayFacts,
    columns: { names: fileColumns.holidays, required: ['day', 'name'] },
    toCsv: daysOfCalendar,
    read: async (_tx, rows, { reader }) =>
      readRowsInSlices(rows, ({ cells }) => ({
        fact: {
          day: filled('day', reader.day('day', cells.day)),
          name: readTerm('name', holidayName, filled('name', cells.name)),
        },
      })),
    trigger: 'absence',
  },
);
