import { type Period } from '../kernel/period.js';
import { hasNothing } from '../statements/payslip.js';
import { type CurrencySummary, listSummaries } from '../statements/snapshot.js';
import { type StatementContent, type StatementHead } from '../statements/statement.js';
import { sumHeaders } from './team-export.js';

/** The name of a statement file. It contains only letters, digits, dots and dashes. */
export function statementFilename(period: Period, name: string, ending: string): string {
  return `statement-${period}-${safeFilename(name, 'rep')}.${ending}`;
}

/** The name in letters, digits and dashes, or the other one if nothing is left. */
export function safeFilename(name: string, other: string): string {
  const safe = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
  return safe === '' ? other : safe;
}

/** In pay periods, without the currencies that have no amount. */
function listSums(content: StatementContent): readonly CurrencySummary[] {
  const sums = listSummaries(content);
  return content.payable === undefined ? sums : sums.filter(({ summary }) => !hasNothing(summary));
}

/** Control totals as response headers. Statements with more than one currency have no net total. */
export function statementTotals(content: StatementContent, head: StatementHead | null): Record<string, string> {
  return {
    'X-Row-Count': String(content.lines.length),
    ...sumHeaders(listSums(content)),
    'X-Statement-Version': String(content.version),
    'X-Statement-Status': head?.status ?? 'none',
  };
}
