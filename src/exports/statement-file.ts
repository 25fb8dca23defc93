import { type Period } from '../kernel/period.js';
import { type StatementContent, type StatementHead } from '../statements/statement.js';
import { plainAmount } from './payroll-csv.js';

/** The name of a statement file. It contains only letters, digits, dots and dashes. */
export function statementFilename(period: Period, name: string, ending: string): string {
  const safe = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
  return `statement-${period}-${safe === '' ? 'rep' : safe}.${ending}`;
}

/** Control totals as response headers. Statements with more than one currency have no net total. */
export function statementTotals(content: StatementContent, head: StatementHead | null): Record<string, string> {
  return {
    'X-Row-Count': String(content.lines.length),
    ...(content.otherCurrencies.length > 0
      ? {}
      : { 'X-Net-Total': plainAmount(content.summary.netPayout, content.currency) }),
    'X-Statement-Version': String(content.version),
    'X-Statement-Status': head?.status ?? 'none',
  };
}
