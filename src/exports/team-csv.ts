import { type Clock } from '../kernel/clock.js';
import { type Period } from '../kernel/period.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type TeamSelection } from '../statements/team-statements.js';
import { loadLineFile } from './line-file.js';
import { loadPayrollFile } from './load-payroll-file.js';
import { csvFile, fileHash } from './payroll-csv.js';
import { type Layout, type PayrollFile, type Scope } from './payroll-layouts.js';
import { type Included, type TeamExport } from './team-export.js';

/** What a CSV file of the team contains, and how it is written. */
export interface CsvTerms {
  readonly layout: Layout | 'lines';
  readonly include?: 'approved' | 'draft' | 'all' | undefined;
  readonly scope: Scope;
  readonly columns: 'default' | 'extended';
  readonly delimiter: ',' | ';';
}

/** The content of the file, and the team whose amounts it contains. */
export async function loadTeamCsv(
  tx: Transaction,
  period: Period | undefined,
  { layout, include, scope, columns }: CsvTerms,
  repIds: TeamSelection['repIds'],
  clock: Clock,
): Promise<{ readonly file: PayrollFile; readonly team: TeamExport }> {
  const included: Included | undefined = include === 'all' ? 'everyone' : include;
  const selection = { repIds, everyone: include === 'all' };
  const requested = { period, scope, included, extended: columns === 'extended' };
  return layout === 'lines'
    ? loadLineFile(tx, requested, selection, clock)
    : loadPayrollFile(tx, { ...requested, layout }, selection, clock);
}

/** The bytes of the file with its headers. */
export async function writeTeamCsv({ filename, columns, lines, totals }: PayrollFile, { delimiter }: CsvTerms) {
  const content = Buffer.from(await csvFile(columns, lines, delimiter));
  const headers = { ...totals, 'X-Content-SHA256': fileHash(content) };
  return { contentType: 'text/csv; charset=utf-8', filename, content, headers };
}
