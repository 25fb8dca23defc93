import { type Layout, type PayrollFile, type PayrollSums, type Scope } from '../../api/payroll-queries.js';
import { type TeamStatement } from '../../api/team-queries.js';
import { type Sum } from '../../features/statements/pay-sums.js';
import { difference, signOf, sumAmounts } from '../../shared/format/exact.js';
import { layouts } from './layouts.js';

/** Whether the statement is part of the files for payroll systems. */
export function isApproved({ status }: Pick<TeamStatement, 'status'>): boolean {
  return status === 'approved';
}

/** What is left of the sums when earlier files are taken off. */
export function lessHanded(sums: readonly Sum[], handedOver: PayrollSums['handedOver']): readonly Sum[] {
  const currencies = [...new Set([...sums, ...handedOver].map(({ currency }) => currency))];
  return currencies.map((currency) => ({
    currency,
    amount: difference(
      sums.find((sum) => sum.currency === currency)?.amount ?? '0',
      handedOver.find((handed) => handed.currency === currency)?.amount ?? 0,
    ),
  }));
}

/** What the file of the period has rows of. Approvals, hand-overs and payroll IDs make another file; drafts only one that contains them. */
export function fileContents(sums: PayrollSums, layout: Layout, scope: Scope) {
  const { approved, missing, handedOver, withoutPayrollId, changedPayrollIds, sharedPayrollIds } = sums;
  return {
    ...{ approved, withoutPayrollId, changedPayrollIds, sharedPayrollIds },
    ...(layout === 'generic' ? { missing } : {}),
    ...(scope === 'new' ? { handedOver } : {}),
  };
}

export function hasAmount(statement: Pick<TeamStatement, 'summary' | 'otherCurrencies'>): boolean {
  return [statement.summary, ...statement.otherCurrencies.map(({ summary }) => summary)].some(
    ({ netPayout, totalCommission, totalBonuses, totalAdjustments }) =>
      [netPayout, totalCommission, totalBonuses, totalAdjustments].some((amount) => amount !== 0),
  );
}

/** The sums of the columns of a file in one currency, and what they pay. */
export interface FileTotal extends Sum {
  readonly columns: ReadonlyMap<string, string>;
}

/** Adds up the cells of the file. A file without a column for the currency has amounts of the given one. */
export function fileTotals({ layout, header, rows }: PayrollFile, currency: string): readonly FileTotal[] {
  const { amounts, net, currency: column } = layouts[layout];
  const currencyAt = column === undefined ? -1 : header.indexOf(column);
  const readCurrency = (row: readonly string[]) => row[currencyAt] ?? currency;
  const currencies = [...new Set(rows.map(readCurrency))].sort();
  return currencies.map((currency) => {
    const ofIt = rows.filter((row) => readCurrency(row) === currency);
    const columns = new Map(
      amounts.map((name) => [name, sumAmounts(ofIt.map((row) => row[header.indexOf(name)] || '0'))] as const),
    );
    return { currency: currency, columns, amount: sumAmounts(net.map((name) => columns.get(name) ?? '0')) };
  });
}

interface Amount {
  readonly currency: string;
  readonly amount: string | number;
}

/** Whether both have the same amount in every currency, to the last decimal. */
export function areEqual(left: readonly Amount[], other: readonly Amount[]): boolean {
  const amountIn = (sums: readonly Amount[], currency: string) =>
    sums.find((sum) => sum.currency === currency)?.amount ?? '0';
  return [...left, ...other].every(
    ({ currency }) => signOf(difference(amountIn(left, currency), amountIn(other, currency))) === 0,
  );
}

/**
 * The sum of a column as the file writes amounts: a dot, no separators, and the decimals of the cells above. Blank for
 * a column without amounts.
 */
export function asInFile(sum: string, cells: readonly string[]): string {
  if (cells.every((cell) => cell === '')) return '';
  const places = Math.max(0, ...cells.map((cell) => cell.split('.')[1]?.length ?? 0));
  const [whole = '0', fraction = ''] = sum.split('.');
  const decimals = fraction.padEnd(places, '0');
  return decimals === '' ? whole : `${whole}.${decimals}`;
}
